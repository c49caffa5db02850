"""Converts rows into nouns and nouns into rows.

The file holds moments as naive UTC; everything outside the store is aware. A time stated as a day, month or year is
stored as clocks show it, with its grain in the column beside it: `valid_grain` belongs to `valid_at`.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from enum import Enum
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from evermem_cli.memory import (
    TIMES,
    Assertion,
    CalendarTime,
    ChatKind,
    Conflict,
    Conversation,
    Digest,
    Episode,
    Extraction,
    Fact,
    Foresight,
    MemCell,
    Message,
    Policy,
    Role,
    Scene,
    Stance,
    Statement,
    Time,
    TimeSource,
    Whose,
    grain_name,
    grain_of,
    seen_from,
    wall,
)
from evermem_cli.reading.domain import domain

Row = Mapping[str, Any]
Derived = TypeVar("Derived", Episode, Fact, Foresight)
Noun = TypeVar("Noun")


def utc(time: Time | None) -> datetime | None:
    """A time as stored: a moment in naive UTC, a day in local time."""
    return None if time is None else wall(seen_from(time, UTC))


def aware(row: Row) -> dict[str, Any]:
    """A row with aware moments, and with days where a grain is given."""
    return {k: _time(v, row.get(grain_name(k))) if isinstance(v, datetime) else v for k, v in row.items()}


def filed(values: Row) -> dict[str, Any]:
    """Values with times as stored, and the grains of those that have one."""
    grains = {grain_name(name): grain_of(values[name]) for name in (*TIMES, "ended_at") if name in values}
    return grains | {k: utc(v) if isinstance(v, Time) else v for k, v in values.items()}


def _time(moment: datetime, grain: str | None) -> Time:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return CalendarTime(wall(aware.astimezone(UTC)), grain) if grain else aware


def columns(rows: Sequence[Row]) -> dict[str, NDArray[Any]]:
    """Rows as numpy columns, which DuckDB reads two hundred times faster than one statement per row.

    Columns without any value are left out: they are null, and DuckDB cannot infer their type.
    """
    result: dict[str, NDArray[Any]] = {}
    rows = [filed(row) for row in rows]
    for name in rows[0]:
        values = [row[name] for row in rows]
        if all(value is None for value in values):
            continue
        if any(isinstance(value, datetime) for value in values):
            result[name] = np.array(values, dtype="datetime64[us]")
        else:
            result[name] = np.array(values, dtype=object)
    return result


def plain(item: Any) -> dict[str, Any]:
    """A noun's fields by name, with enumerations as values."""
    values = {name: getattr(item, name) for name in item.__dataclass_fields__}
    return {name: value.value if isinstance(value, Enum) else value for name, value in values.items()}


def conversation(row: Row) -> Conversation:
    """A conversations row."""
    return Conversation(
        id=row["id"],
        key=row["key"],
        title=row["title"],
        kind=ChatKind(row["kind"]),
        format=row["format"],
        group_id=row["group_id"],
        user_id=row["user_id"],
    )


def message(row: Row) -> Message:
    """A messages row with aware times."""
    return Message(
        id=row["id"],
        conversation_id=row["conversation_id"],
        ordinal=row["ordinal"],
        external_id=row["external_id"],
        speaker=row["speaker"],
        user_id=row["user_id"],
        role=Role(row["role"]),
        text=row["text"],
        said_at=row["said_at"],
        utc_offset=timedelta(seconds=row["utc_offset"]),
        time_source=TimeSource(row["time_source"]),
    )


def message_row(item: Message, now: datetime) -> Row:
    """A messages row of this noun, in no MemCell yet."""
    offset = int(item.utc_offset.total_seconds())
    return plain(item) | {"utc_offset": offset, "created_at": now, "domain": domain(item.text)}


def memcell(row: Row, messages: Sequence[Message], forgotten: Mapping[str, tuple[str, ...]]) -> MemCell:
    """A memcells row with the messages it holds, and the marks of all forgotten memories."""
    return MemCell(
        event_id=row["event_id"],
        conversation_id=row["conversation_id"],
        group_id=row["group_id"],
        kind=ChatKind(row["kind"]),
        messages=tuple(messages),
        boundary_reason=row["boundary_reason"],
        open=row["is_open"],
        policy=Policy(row["policy"]),
        extraction=Extraction(row["extraction"]),
        summary=row["summary"],
        scene_id=row["scene_id"],
        is_formed=row["model"] is not None,
        forgotten=forgotten,
    )


def memcell_row(item: MemCell, now: datetime) -> Row:
    """A memcells row of this noun."""
    return {
        "event_id": item.event_id,
        "conversation_id": item.conversation_id,
        "group_id": item.group_id,
        "kind": item.kind.value,
        "boundary_reason": item.boundary_reason,
        "is_open": item.open,
        "policy": item.policy.value,
        "extraction": item.extraction.value,
        "summary": item.summary,
        "start_at": item.start_at,
        "end_at": item.end_at,
        "scene_id": item.scene_id,
        "created_at": now,
    }


def derived(noun: type[Derived], row: Row, message_ids: Sequence[str]) -> Derived:
    """An episodes, event_logs or foresights row; the sources of an episode are MemCells, not messages.

    A row that another machine shares has no `predicted`.
    """
    values = {"predicted": False, **row}
    values |= {"message_ids": tuple(message_ids), "memcell_event_id_list": (row["memcell_id"],)}
    return noun(**{name: values[name] for name in noun.__dataclass_fields__})


def derived_row(item: Episode | Fact | Foresight, cell: MemCell, now: datetime) -> Row:
    """The row of a noun formed from this MemCell."""
    row = plain(item) | {"memcell_id": cell.event_id, "created_at": now}
    row.pop("message_ids", None)
    row.pop("memcell_event_id_list", None)
    match item:
        case Fact():
            row["domain"] = domain(item.atomic_fact)
        case Foresight():
            row["domain"] = domain(f"{item.foresight} {item.evidence}")
    return row


def assertion(row: Row, message_ids: Sequence[str]) -> Assertion:
    """An assertions row with the scene of its MemCell, on the speaker's clock."""
    zone = timezone(timedelta(seconds=row["utc_offset"] or 0))
    values = {name: seen_from(value, zone) if isinstance(value, Time) else value for name, value in row.items()}
    values |= {"stance": Stance(row["stance"]), "fact_ids": tuple(row["fact_ids"])}
    return _noun(Assertion, values | {"message_ids": tuple(message_ids)})


def statement(row: Row) -> Statement:
    """A statements row."""
    return _noun(Statement, {**row, "whose": Whose(row["whose"]), "stance": Stance(row["stance"])})


def statement_row(item: Statement) -> Row:
    """A statements row; what a model says of it stands apart, since another tagger's reading replaces this one."""
    values = plain(item)
    del values["confirmed"]
    return values


def scene(row: Row) -> Scene:
    """A scenes row with its MemCells in order."""
    return _noun(Scene, {**row, "memcell_ids": tuple(row["memcell_ids"])})


def conflict(row: Row) -> Conflict:
    """A conflicts row."""
    messages = {name: tuple(row[name]) for name in ("old_messages", "new_messages")}
    return _noun(Conflict, {**row, **messages})


def digest(row: Row, message_ids: Sequence[str]) -> Digest:
    """A digests row with the messages behind it."""
    lists = {"memcell_ids": tuple(row["memcell_ids"]), "message_ids": tuple(message_ids)}
    return _noun(Digest, {**row, **lists})


def _noun(noun: type[Noun], values: Row) -> Noun:
    """The noun, from those of a row's values that it has as fields."""
    fields = noun.__dataclass_fields__  # type: ignore[attr-defined]
    return noun(**{name: values[name] for name in fields})
