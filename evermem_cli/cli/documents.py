"""The machine-readable contract: nouns as JSON documents with stable keys, times in ISO 8601 UTC with `Z`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evermem_cli.config import Settings, config_file
from evermem_cli.engines.catalog import Model
from evermem_cli.memory import (
    CellContents,
    Conflict,
    Conversation,
    Episode,
    Evidence,
    Fact,
    Foresight,
    Happening,
    MemCell,
    Message,
    Profile,
    ProfileFact,
    Rule,
    Scene,
    Status,
    Why,
)

if TYPE_CHECKING:
    from evermem_cli.cli.session import Listing, Meaning
    from evermem_cli.enrich import EnrichReport
    from evermem_cli.reading import InputReport
    from evermem_cli.recollection.answer import Answer
    from evermem_cli.recollection.experience import Example, Experience
    from evermem_cli.timespan import Interval
    from evermem_cli.transcripts import Format

Document = dict[str, Any]

SCORE_DIGITS = 6
CONFIDENCE_DIGITS = 3
SECOND_DIGITS = 3


def search(query: str, as_of: datetime | None, found: Sequence[Evidence], *, explain: bool = False) -> Document:
    """`search --json`; with `explain` each result tells why."""
    return {"query": query, "as_of": _plain(as_of), "results": _results(found, explain=explain)}


def answer(said: Answer, *, explain: bool = False) -> Document:
    """`ask --json`; with `explain` also what was read for it, and why."""
    read = {"read": _results(said.read.seen, explain=True)} if explain else {}
    return (
        _fields(said, "question", "as_of")
        | {
            "answer": said.text,
            "known": said.known,
            "citations": _results(said.citations),
            "rounds": [_fields(done, "query", "results", "sufficient") for done in said.read.rounds],
            "mode": said.mode,
            "model": said.model,
            "timings": {name: round(seconds, SECOND_DIGITS) for name, seconds in said.timings.items()},
            "tokens": said.tokens,
        }
        | read
    )


def ingest(reports: Sequence[InputReport], made: EnrichReport | None, seconds: float) -> Document:
    """`ingest --json`."""
    from evermem_cli.enrich import EnrichReport

    inputs = [
        _input(report) | _fields(report, "memcells", "forgotten", "unchanged_messages", "removed_messages")
        for report in reports
    ]
    new = {
        "messages": sum(report.new_messages for report in reports),
        "memcells": sum(report.memcells for report in reports),
    }
    return {"inputs": inputs, "totals": new | _made(made or EnrichReport()), "seconds": round(seconds, SECOND_DIGITS)}


def survey(reports: Sequence[InputReport]) -> Document:
    """`ingest --dry-run --json`."""
    counts = ("messages", "new_messages", "edited_messages", "removed_messages")
    names = ("title", "participants", *counts, "first", "last")
    inputs = [_input(report) | {"chats": [_fields(chat, *names) for chat in report.chats]} for report in reports]
    return {"dry_run": True, "inputs": inputs}


def enrich(made: EnrichReport, seconds: float) -> Document:
    """`enrich --json`."""
    return {"totals": _made(made), "seconds": round(seconds, SECOND_DIGITS)}


def listing(kind: str, found: Listing) -> Document:
    """`list KIND --json`."""
    return {kind: [_item(item, found.messages) for item in found.items]}


def foresights(as_of: datetime, found: Listing) -> Document:
    """`foresights --json`."""
    return {"as_of": _plain(as_of)} | listing("foresights", found)


def contents(found: Sequence[CellContents]) -> Document:
    """`show --json`: MemCells with their messages and all that was made of them."""
    return {"memcells": [_contents(each) for each in found]}


def status(found: Status, db: Path) -> Document:
    """`status --json`."""
    names = ("schema_version", "embedder", "dimension", "counts", "pending", "failed", "unindexed")
    return {"db": str(db)} | _fields(found, *names) | {"bytes": db.stat().st_size}


def when(meant: Meaning) -> Document:
    """`when --json`; the end is exclusive."""
    whole = {"phrase": meant.phrase, "at": meant.at.isoformat(), "resolved": meant.interval is not None}
    spans = [_fields(span, "text", "start_offset", "end_offset") | _interval(span.interval) for span in meant.spans]
    return whole | _interval(meant.interval) | {"spans": spans}


def formats(known: Sequence[Format]) -> Document:
    """`formats --json`, in the order of detection."""
    return {"formats": [_fields(each, "name", "summary", "steps") for each in known]}


def config(settings: Settings) -> Document:
    """`config --json`."""
    known = {each.name: _plain(getattr(settings, each.name)) for each in fields(settings)}
    return {"file": str(config_file()), "settings": known}


def profile(found: Profile, messages: Mapping[str, Message], *, history: bool) -> Document:
    """`profile --json`: each attribute's value, or with `history` all its values, oldest first."""
    told = {attribute: [_profile_fact(fact, messages) for fact in values] for attribute, values in found.facts.items()}
    return _fields(found, "user_id", "as_of") | {
        "explicit_facts": told if history else {attribute: _together(values) for attribute, values in told.items()},
        "implicit_traits": [
            _fields(trait, "trait", "confidence", "tentative", "source_scenes")
            | {"messages": _external(messages[each] for each in trait.message_ids)}
            for trait in found.traits
        ],
        "last_updated": _plain(found.last_updated),
    }


def _profile_fact(fact: ProfileFact, messages: Mapping[str, Message]) -> Document:
    return _fields(fact, "value", "valid_at", "invalid_at", "said_at", "source_scenes") | {
        "confidence": round(fact.confidence, CONFIDENCE_DIGITS),
        "messages": _external(messages[each] for each in fact.message_ids),
    }


def _together(values: Sequence[Document]) -> Document:
    """Several values that hold together as one: all of them, from the latest on, as sure as the least sure."""
    return values[0] | {
        "value": ", ".join(each["value"] for each in values),
        "confidence": min(each["confidence"] for each in values),
        "valid_at": max((each["valid_at"] for each in values if each["valid_at"]), default=None),
        "source_scenes": list(dict.fromkeys(scene for each in values for scene in each["source_scenes"])),
        "messages": list(dict.fromkeys(message for each in values for message in each["messages"])),
    }


def conflicts(found: Sequence[Conflict], messages: Mapping[str, Message]) -> Document:
    """`conflicts --json`."""
    names = ("id", "scope", "user_id", "attribute", "old_value", "new_value", "old_timestamp", "new_timestamp")
    return {
        "conflicts": [
            _fields(each, *names, "resolution")
            | {
                "old_messages": _external(messages[m] for m in each.old_messages),
                "new_messages": _external(messages[m] for m in each.new_messages),
            }
            for each in found
        ]
    }


def timeline(user_id: str, found: Sequence[Happening], messages: Mapping[str, Message]) -> Document:
    """`timeline --json`: entries by month."""
    months: dict[str, list[Document]] = {}
    for each in found:
        entry = _fields(each, "at", "kind", "text", "theme", "people", "id")
        entry |= {"messages": _external(messages[m] for m in each.message_ids)}
        months.setdefault(f"{each.at:%Y-%m}", []).append(entry)
    return {"user_id": user_id, "months": [{"month": month, "entries": rows} for month, rows in months.items()]}


def models(known: Sequence[tuple[Model, bool]]) -> Document:
    """`models list --json`."""
    return {
        "models": [
            _fields(model, "name", "kind", "description", "license")
            | {"bytes": model.size, "present": present}
            | {"files": [{"name": file.name, "bytes": file.size, "sha256": file.sha256} for file in model.files]}
            for model, present in known
        ]
    }


def examples(situation: str, found: Experience) -> Document:
    """`examples --json`."""
    return {"situation": situation, "examples": [_interaction(item, found.messages) for item in found.items]}


def interactions(found: Experience) -> Document:
    """`list interactions --json`."""
    return {"interactions": [_interaction(item, found.messages) for item in found.items]}


def rules(found: Sequence[Rule]) -> Document:
    """`rules --json`, and what the commands print that change one."""
    names = ("id", "agent_type", "rule", "derived_from", "confidence", "offered")
    life = ("created_at", "last_validated", "override_count", "retired_at")
    return {"rules": [_fields(rule, *names, *life) for rule in found]}


def _interaction(item: Example, messages: Mapping[str, Message]) -> Document:
    told = item.interaction
    words = _fields(told, "id", "situation", "reasoning", "action", "outcome", "user_feedback")
    about = _fields(told, "agent_type", "mission_id", "timestamp", "tags")
    score = {} if item.score is None else {"score": round(item.score, SCORE_DIGITS)}
    return words | about | {"messages": _external(messages[name] for name in told.message_ids)} | score


def _results(found: Sequence[Evidence], *, explain: bool = False) -> list[Document]:
    """Search results or citations."""
    names = ("kind", "text", "speaker", "said_at", "valid_at", "invalid_at", "conversation", "scene")
    return [
        {"rank": rank, "id": evidence.id, "score": round(evidence.score, SCORE_DIGITS)}
        | _fields(evidence, *names)
        | {"messages": _external(evidence.messages)}
        | ({"why": _why(evidence.why)} if explain else {})
        for rank, evidence in enumerate(found, start=1)
    ]


def _why(why: Why | None) -> Document | None:
    """Why a result was chosen; None for a message that stands beside one."""
    if why is None:
        return None
    parts = {name: round(part, SCORE_DIGITS) for name, part in why.parts.items()}
    return _fields(why, "rank_by_words", "rank_by_meaning") | {"parts": parts}


def _input(report: InputReport) -> Document:
    """What was read of one input, and what could not be."""
    names = ("path", "format", "status", "conversations", "messages", "new_messages", "edited_messages", "error")
    return _fields(report, *names, "skipped") | {
        "guesses": list(report.guesses),
        "problems": [_fields(problem, "path", "line", "reason") for problem in report.problems],
    }


def _made(report: EnrichReport) -> Document:
    """What tier 2 made and cost."""
    names = (
        "episodes",
        "facts",
        "foresights",
        "interactions",
        "rules",
        "dropped",
        "llm_calls",
        "prompt_tokens",
        "output_tokens",
    )
    return {"enriched_memcells": report.memcells, "failed_memcells": len(report.failed)} | _fields(report, *names)


def _item(
    item: MemCell | Episode | Fact | Foresight | Conversation | Scene, messages: Mapping[str, Message]
) -> Document:
    match item:
        case MemCell():
            return _memcell(item)
        case Episode():
            told = _fields(item, "id", "user_id", "subject", "summary", "episode", "said_at")
            return told | _fields(item, "memcell_event_id_list")
        case Fact():
            who = _fields(item, "id", "atomic_fact", "speaker", "user_id", "group_id")
            return who | _fields(item, "said_at", "valid_at", "invalid_at") | _grounds(item, messages)
        case Foresight():
            window = _fields(item, "start_time", "end_time", "duration_days", "duration_type")
            return _fields(item, "id", "foresight", "evidence") | window | _grounds(item, messages)
        case Scene():
            told = _fields(item, "scene_id", "theme", "summary", "memcell_ids")
            return told | _fields(item, "first_timestamp", "latest_timestamp", "previous_scene_id")
        case Conversation():
            return _fields(item, "id", "key", "title", "kind", "format", "group_id", "user_id")


def _memcell(item: MemCell) -> Document:
    return (
        _fields(item, "event_id", "group_id", "summary", "start_at", "end_at", "participants", "boundary_reason")
        | _fields(item, "extraction", "policy", "scene_id")
        | {"conversation": item.conversation_id, "timestamp": _plain(item.end_at), "messages": _external(item.messages)}
    )


def _grounds(item: Fact | Foresight, messages: Mapping[str, Message]) -> Document:
    """What a derived memory rests on."""
    return _fields(item, "parent_type", "parent_id") | {
        "confidence": round(item.confidence, CONFIDENCE_DIGITS),
        "messages": _external(messages[message_id] for message_id in item.message_ids),
    }


def _contents(found: CellContents) -> Document:
    messages = {message.id: message for message in found.cell.messages}
    said = ("id", "external_id", "speaker", "user_id", "text", "said_at", "time_source")
    return _memcell(found.cell) | {
        "original_data": [_fields(message, *said) for message in found.cell.messages],
        "episodes": [_item(item, messages) for item in found.episodes],
        "facts": [_item(item, messages) for item in found.facts],
        "foresights": [_item(item, messages) for item in found.foresights],
    }


def _interval(interval: Interval | None) -> Document:
    return _fields(interval, "start", "end", "grain") if interval else {"start": None, "end": None, "grain": None}


def _external(messages: Iterable[Message]) -> list[str]:
    return [message.external_id for message in messages]


def _fields(item: object, *names: str) -> Document:
    return {name: _plain(getattr(item, name)) for name in names}


def _plain(value: Any) -> Any:
    match value:
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case Enum():
            return value.value
        case Path():
            return str(value)
        case tuple():
            return [_plain(each) for each in value]
        case _:
            return value
