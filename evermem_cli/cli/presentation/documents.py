"""The machine-readable output: nouns as JSON documents with stable keys, times in ISO 8601 UTC with `Z`.

A day is the same in every zone: its midnight with `Z`, and its grain beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evermem_cli.config import Settings, config_file
from evermem_cli.engines.catalog import Model
from evermem_cli.memory import (
    TIMES,
    CalendarTime,
    CellContents,
    Conversation,
    Digest,
    Episode,
    Evidence,
    Fact,
    FactSupport,
    Foresight,
    MemCell,
    Message,
    RankReasons,
    Scene,
    SearchResults,
    Status,
    grain_name,
    grain_of,
    moment_in,
    utc_text,
)

if TYPE_CHECKING:
    from evermem_cli.cli.lookups.memories import Listing, PhraseMeaning
    from evermem_cli.recollection.generation.answers import Answer
    from evermem_cli.timespan import Interval
    from evermem_cli.transcripts import Format

Document = dict[str, Any]

SCORE_DIGITS = 6
CONFIDENCE_DIGITS = 3
STRENGTH_DIGITS = 4
SECOND_DIGITS = 3


def search(query: str, as_of: datetime | None, results: SearchResults, *, explain: bool = False) -> Document:
    """`search --json`; `explain` adds why each result was chosen."""
    shown = {"results": _results(results.items, explain=explain)}
    return {"query": query, "as_of": plain(as_of)} | pick(results, "by_meaning_only") | shown


def answer(said: Answer, *, explain: bool = False) -> Document:
    """`ask --json`; `explain` adds what was read for the answer, and why."""
    read = {"read": _results(said.recollection.seen, explain=True)} if explain else {}
    return (
        pick(said, "question", "as_of")
        | {
            "answer": said.text,
            "known": said.known,
            "citations": _results(said.citations),
            "rounds": [pick(done, "query", "results", "sufficient") for done in said.recollection.rounds],
            "mode": said.mode,
            "model": said.model,
            "timings": {name: round(seconds, SECOND_DIGITS) for name, seconds in said.timings.items()},
            "tokens": said.tokens,
        }
        | read
    )


def listing(kind: str, items: Listing) -> Document:
    """`list KIND --json`."""
    return {
        kind: [_item(item, items.messages) | _outline(item, items) | _strength(item, items) for item in items.items]
    }


def digests(listed: Listing, *, dry_run: bool, undo: bool) -> Document:
    """`digest --json`."""
    return {"dry_run": dry_run, "undo": undo} | listing("digests", listed)


def foresights(as_of: datetime, listed: Listing) -> Document:
    """`foresights --json`."""
    return {"as_of": plain(as_of)} | listing("foresights", listed)


def contents(cells: Sequence[CellContents]) -> Document:
    """`show --json`: MemCells with their messages and everything derived from them."""
    return {"memcells": [_contents(cell) for cell in cells]}


def status(counts: Status, db: Path) -> Document:
    """`status --json`."""
    names = ("schema_version", "embedder", "dimension", "counts", "pending", "unformed", "failed")
    return {"db": str(db)} | pick(counts, *names) | {"bytes": db.stat().st_size}


def when(meaning: PhraseMeaning) -> Document:
    """`when --json`; the end is exclusive."""
    whole = {"phrase": meaning.phrase, "at": plain(meaning.at), "resolved": meaning.interval is not None}
    spans = [pick(span, "text", "start_offset", "end_offset") | _interval(span.interval) for span in meaning.spans]
    return whole | _interval(meaning.interval) | {"spans": spans}


def formats(known: Sequence[Format]) -> Document:
    """`formats --json`, in the order of detection."""
    return {"formats": [pick(chat_format, "name", "summary", "steps") for chat_format in known]}


def config(settings: Settings) -> Document:
    """`config --json`."""
    known = {option.name: plain(getattr(settings, option.name)) for option in settings.options()}
    return {"file": str(config_file()), "settings": known}


def models(known: Sequence[tuple[Model, bool | None]]) -> Document:
    """`models list --json`."""
    return {
        "models": [
            pick(model, "name", "kind", "description", "license")
            | {"bytes": model.size, "present": present}
            | {"files": [{"name": file.name, "bytes": file.size, "sha256": file.sha256} for file in model.files]}
            for model, present in known
        ]
    }


def _results(results: Sequence[Evidence], *, explain: bool = False) -> list[Document]:
    """Search results or citations."""
    names = ("kind", "text", "speaker", "said_at", "valid_at", "invalid_at", "conversation", "scene")
    return [
        {"rank": rank, "id": evidence.id, "score": round(evidence.score, SCORE_DIGITS)}
        | pick(evidence, *names)
        | cited(evidence.messages)
        | ({"why": _why(evidence.why)} if explain else {})
        for rank, evidence in enumerate(results, start=1)
    ]


def _why(why: RankReasons | None) -> Document | None:
    """Why a result was chosen; None for a message beside a result."""
    if why is None:
        return None
    parts = {name: round(part, SCORE_DIGITS) for name, part in why.parts.items()}
    return pick(why, "rank_by_words", "rank_by_meaning") | {"parts": parts}


def _item(
    item: MemCell | Episode | Fact | Foresight | Conversation | Scene | Digest, messages: Mapping[str, Message]
) -> Document:
    match item:
        case MemCell():
            return _memcell(item)
        case Episode():
            document = pick(item, "id", "user_id", "subject", "summary", "episode", "said_at")
            return document | pick(item, "memcell_event_id_list")
        case Fact():
            who = pick(item, "id", "atomic_fact", "speaker", "user_id", "group_id")
            return who | pick(item, "said_at", "valid_at", "invalid_at") | _grounds(item, messages)
        case Foresight():
            window = pick(item, "start_time", "end_time", "duration_days", "duration_type")
            return pick(item, "id", "foresight", "evidence", "predicted") | window | _grounds(item, messages)
        case Scene():
            document = pick(item, "scene_id", "theme", "summary", "memcell_ids")
            return document | pick(item, "first_timestamp", "latest_timestamp", "previous_scene_id")
        case Digest():
            document = pick(item, "id", "subject", "digest", "start_at", "said_at")
            memcells = {"memcell_event_id_list": list(item.memcell_ids)}
            return document | memcells | cited(messages[message_id] for message_id in item.message_ids)
        case Conversation():
            return pick(item, "id", "key", "title", "kind", "format", "group_id", "user_id")


def _memcell(item: MemCell) -> Document:
    return (
        pick(item, "event_id", "group_id", "summary", "start_at", "end_at", "participants", "boundary_reason")
        | pick(item, "extraction", "policy", "scene_id")
        | {"conversation": item.conversation_id, "timestamp": plain(item.end_at), "messages": external(item.messages)}
    )


def _grounds(item: Fact | Foresight, messages: Mapping[str, Message]) -> Document:
    """The ids that a derived memory is based on."""
    document = pick(item, "parent_type", "parent_id") | {"confidence": round(item.confidence, CONFIDENCE_DIGITS)}
    return document | cited(messages[message_id] for message_id in item.message_ids)


def _contents(known: CellContents) -> Document:
    messages = {message.id: message for message in known.cell.messages}
    said = ("id", "external_id", "speaker", "user_id", "text", "said_at", "time_source")
    drawn: dict[str, tuple[Episode | Fact | Foresight, ...]] = {
        "episodes": known.episodes,
        "facts": known.facts,
        "foresights": known.foresights,
    }
    quoted = [pick(message, *said) | _strength(message, known) for message in known.cell.messages]
    return (
        _memcell(known.cell)
        | {"original_data": quoted}
        | {name: [_item(item, messages) | _strength(item, known) for item in items] for name, items in drawn.items()}
    )


def _outline(item: object, known: Listing) -> Document:
    """The size, times and beginning of a conversation that has messages."""
    if not isinstance(item, Conversation) or item.id not in known.outlines:
        return {}
    return pick(known.outlines[item.id], "message_count", "first_at", "last_at", "opening")


def _strength(
    item: Message | MemCell | Episode | Fact | Foresight | Conversation | Scene | Digest, known: Listing | CellContents
) -> Document:
    """The strength of a memory that fades, and for a fact which others confirm or contradict it."""
    if not isinstance(item, Message | Episode | Fact | Foresight | Digest) or item.id not in known.strengths:
        return {}
    strength = known.strengths[item.id]
    document = {"strength": round(strength.strength, STRENGTH_DIGITS)}
    document |= pick(strength, "last_accessed", "access_count", "archived")
    if isinstance(item, Fact):
        support = known.supports.get(item.id, FactSupport())
        return document | {"confirmed_by": list(support.confirmed_by), "ended_by": list(support.ended_by)}
    return document


def _interval(interval: Interval | None) -> Document:
    return pick(interval, "start", "end", "grain") if interval else {"start": None, "end": None, "grain": None}


def cited(messages: Iterable[Message]) -> Document:
    """The messages behind something: their ids in the transcript, and those that `show` takes."""
    behind = list(messages)
    return {"messages": external(behind), "message_ids": [message.id for message in behind]}


def external(messages: Iterable[Message]) -> list[str]:
    return [message.external_id for message in messages]


def pick(item: object, *names: str) -> Document:
    values = {name: plain(getattr(item, name)) for name in names}
    return values | {grain_name(name): grain_of(getattr(item, name)) for name in names if name in TIMES}


def plain(value: Any) -> Any:
    match value:
        case datetime() | CalendarTime():
            return utc_text(moment_in(value, UTC))
        case Enum():
            return value.value
        case Path():
            return str(value)
        case tuple():
            return [plain(item) for item in value]
        case _:
            return value
