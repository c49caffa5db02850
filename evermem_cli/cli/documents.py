"""The machine-readable contract: nouns as JSON documents with stable keys, times in ISO 8601 UTC with `Z`."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evermem_cli.cli.session import Listing, Meaning
from evermem_cli.config import Settings, config_file
from evermem_cli.engines.catalog import Model
from evermem_cli.ingest import EnrichReport, InputReport
from evermem_cli.memory import (
    CellContents,
    Conversation,
    Episode,
    Evidence,
    Fact,
    Foresight,
    MemCell,
    Message,
    Status,
)
from evermem_cli.recollection.answer import Answer
from evermem_cli.timespan import Interval

Document = dict[str, Any]


def iso(moment: datetime | None) -> str | None:
    """UTC with `Z`; None stays None."""
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def result(rank: int, found: Evidence) -> Document:
    """A search result or a citation."""
    return {
        "rank": rank,
        "id": found.id,
        "kind": found.kind.value,
        "text": found.text,
        "score": round(found.score, 6),
        "speaker": found.speaker,
        "said_at": iso(found.said_at),
        "valid_at": iso(found.valid_at),
        "invalid_at": iso(found.invalid_at),
        "conversation": found.conversation,
        "scene": found.scene,
        "messages": _external(found.messages),
    }


def search(query: str, as_of: datetime | None, found: Sequence[Evidence]) -> Document:
    """`search --json`."""
    results = [result(rank, evidence) for rank, evidence in enumerate(found, start=1)]
    return {"query": query, "as_of": iso(as_of), "results": results}


def answer(said: Answer) -> Document:
    """`ask --json`."""
    return {
        "question": said.question,
        "as_of": iso(said.as_of),
        "answer": said.text,
        "known": said.known,
        "citations": [result(rank, evidence) for rank, evidence in enumerate(said.citations, start=1)],
        "rounds": [
            {"query": done.query, "results": done.results, "sufficient": done.sufficient} for done in said.rounds
        ],
        "mode": said.mode,
        "model": said.model,
        "timings": {name: round(seconds, 3) for name, seconds in said.timings.items()},
        "tokens": said.tokens,
    }


def ingest(reports: Iterable[InputReport], made: EnrichReport | None, seconds: float) -> Document:
    """`ingest --json`."""
    inputs = [
        {
            "path": report.path,
            "format": report.format or None,
            "status": report.status,
            "conversations": report.conversations,
            "messages": report.messages,
            "new_messages": report.new_messages,
            "memcells": report.memcells,
            "error": report.error,
            "problems": [
                {"path": problem.path, "line": problem.line, "reason": problem.reason} for problem in report.problems
            ],
        }
        for report in reports
    ]
    new = {"messages": sum(i["new_messages"] for i in inputs), "memcells": sum(i["memcells"] for i in inputs)}
    return {"inputs": inputs, "totals": new | _enrichment(made or EnrichReport()), "seconds": round(seconds, 3)}


def enrich(made: EnrichReport, seconds: float) -> Document:
    """`enrich --json`."""
    return {"totals": _enrichment(made), "seconds": round(seconds, 3)}


def _enrichment(made: EnrichReport) -> Document:
    """What tier 2 made and cost."""
    return {
        "enriched_memcells": made.memcells,
        "episodes": made.episodes,
        "facts": made.facts,
        "foresights": made.foresights,
        "unsupported": made.dropped,
        "llm_calls": made.llm_calls,
        "prompt_tokens": made.prompt_tokens,
        "output_tokens": made.output_tokens,
        "failed_memcells": len(made.failed),
    }


def conversation(item: Conversation) -> Document:
    """A row of `list conversations`."""
    return {
        "id": item.id,
        "key": item.key,
        "title": item.title,
        "kind": item.kind.value,
        "format": item.format,
        "group_id": item.group_id,
        "user_id": item.user_id,
    }


def memcell(item: MemCell) -> Document:
    """A row of `list memcells`."""
    return {
        "event_id": item.event_id,
        "conversation": item.conversation_id,
        "group_id": item.group_id,
        "summary": item.summary,
        "timestamp": iso(item.end_at),
        "start_at": iso(item.start_at),
        "end_at": iso(item.end_at),
        "participants": list(item.participants),
        "boundary_reason": item.boundary_reason,
        "extraction": item.extraction.value,
        "policy": item.policy.value,
        "scene_id": item.scene_id,
        "messages": _external(item.messages),
    }


def message(item: Message) -> Document:
    """A message as the transcript had it."""
    return {
        "id": item.id,
        "external_id": item.external_id,
        "speaker": item.speaker,
        "user_id": item.user_id,
        "text": item.text,
        "said_at": iso(item.said_at),
        "time_source": item.time_source.value,
        "conversation": item.conversation_id,
    }


def episode(item: Episode) -> Document:
    """A row of `list episodes`."""
    return {
        "id": item.id,
        "user_id": item.user_id,
        "subject": item.subject,
        "summary": item.summary,
        "episode": item.episode,
        "said_at": iso(item.said_at),
        "memcell_event_id_list": list(item.memcell_event_id_list),
    }


def fact(item: Fact, messages: Mapping[str, Message]) -> Document:
    """A row of `list facts`."""
    return {
        "id": item.id,
        "atomic_fact": item.atomic_fact,
        "speaker": item.speaker,
        "user_id": item.user_id,
        "group_id": item.group_id,
        "parent_type": item.parent_type,
        "parent_id": item.parent_id,
        "said_at": iso(item.said_at),
        "valid_at": iso(item.valid_at),
        "invalid_at": iso(item.invalid_at),
        "confidence": round(item.confidence, 3),
        "messages": _external(messages[message_id] for message_id in item.message_ids),
    }


def foresight(item: Foresight, messages: Mapping[str, Message]) -> Document:
    """A row of `list foresights` and `foresights`."""
    return {
        "id": item.id,
        "foresight": item.foresight,
        "evidence": item.evidence,
        "start_time": iso(item.start_time),
        "end_time": iso(item.end_time),
        "duration_days": item.duration_days,
        "duration_type": item.duration_type,
        "confidence": round(item.confidence, 3),
        "parent_type": item.parent_type,
        "parent_id": item.parent_id,
        "messages": _external(messages[message_id] for message_id in item.message_ids),
    }


def listing(kind: str, found: Listing) -> Document:
    """`list KIND --json`."""
    return {kind: [_item(item, found.messages) for item in found.items]}


def foresights(as_of: datetime, found: Listing) -> Document:
    """`foresights --json`."""
    return {"as_of": iso(as_of)} | listing("foresights", found)


def contents(found: Sequence[CellContents]) -> Document:
    """`show --json`: MemCells with their messages and all that was made of them."""
    return {"memcells": [_cell_contents(each) for each in found]}


def status(found: Status, db: Path) -> Document:
    """`status --json`."""
    return {
        "db": str(db),
        "schema_version": found.schema_version,
        "embedder": found.embedder,
        "dimension": found.dimension,
        "counts": found.counts,
        "pending": found.pending,
        "failed": found.failed,
        "unindexed": found.unindexed,
        "bytes": db.stat().st_size,
    }


def when(meant: Meaning) -> Document:
    """`when --json`; the end is exclusive."""
    whole = {"phrase": meant.phrase, "at": meant.at.isoformat(), "resolved": meant.interval is not None}
    spans = [
        {"text": span.text, "start_offset": span.start_offset, "end_offset": span.end_offset} | _interval(span.interval)
        for span in meant.spans
    ]
    return whole | _interval(meant.interval) | {"spans": spans}


def config(settings: Settings) -> Document:
    """`config --json`."""
    return {"file": str(config_file()), "settings": settings.model_dump(mode="json")}


def models(known: Sequence[tuple[Model, bool]]) -> Document:
    """`models list --json`."""
    return {
        "models": [
            {
                "name": model.name,
                "kind": model.kind.value,
                "description": model.description,
                "license": model.license,
                "bytes": model.size,
                "present": present,
                "files": [{"name": file.name, "bytes": file.size, "sha256": file.sha256} for file in model.files],
            }
            for model, present in known
        ]
    }


def _interval(interval: Interval | None) -> Document:
    if interval is None:
        return {"start": None, "end": None, "grain": None}
    return {"start": iso(interval.start), "end": iso(interval.end), "grain": interval.grain}


def _item(item: MemCell | Episode | Fact | Foresight | Conversation, messages: Mapping[str, Message]) -> Document:
    match item:
        case MemCell():
            return memcell(item)
        case Episode():
            return episode(item)
        case Fact():
            return fact(item, messages)
        case Foresight():
            return foresight(item, messages)
        case Conversation():
            return conversation(item)


def _cell_contents(found: CellContents) -> Document:
    messages = {item.id: item for item in found.cell.messages}
    return memcell(found.cell) | {
        "original_data": [message(item) for item in found.cell.messages],
        "episodes": [episode(item) for item in found.episodes],
        "facts": [fact(item, messages) for item in found.facts],
        "foresights": [foresight(item, messages) for item in found.foresights],
    }


def _external(messages: Iterable[Message]) -> list[str]:
    return [message.external_id for message in messages]
