"""Lines of bundles: each holds one thing, in the form of an export, with its mark."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from evermem_cli.archive import lines
from evermem_cli.store import Sharing, Table
from evermem_cli.sync.marks import FORGOTTEN_LINE, GONE_LINE, OWNER_LINE, Document, Mark, Thing, mark_of, thing_of
from evermem_cli.sync.places import Place

Tables = Mapping[str, Table]
Value = TypeVar("Value", int, str, float)
STATED = ("fact", "foresight")  # the memories that a correction has stored in place of the wrong one
BESIDE = ("revision", "place", "edits", *STATED)  # fields of a line that are not columns of its row
EXCHANGED = ("conversation", FORGOTTEN_LINE, "correction", "privacy", "merged_person")  # messages and names apart


@dataclass(frozen=True, slots=True)
class SyncLine:
    """The content of one line: a thing with its mark, the row of its table, and further rows that belong to it."""

    thing: Thing
    mark: Mark
    row: Mapping[str, Any]
    place: Place | None = None
    edits: tuple[Mapping[str, Any], ...] = ()
    stated: tuple[tuple[str, Mapping[str, Any]], ...] = ()  # table and row


def documents(sharing: Sharing, names: Mapping[str, list[str]]) -> Iterator[dict[str, Any]]:
    """Everything in a memory that is exchanged, chats before their messages; `names` are those of its owners."""
    tables, edits, stated = sharing.shared(), sharing.edits(), sharing.stated()
    ordinals = {place.id: str(place.ordinal) for place in sharing.places()}
    for kind in EXCHANGED:
        for row in sharing.portable.dump(tables[kind], sharing.which_chats if kind == "conversation" else "true"):
            if kind == "correction":
                row |= stated.get(row["statement_id"], {})
            yield {"type": kind} | row
    for row in sharing.portable.dump(tables["message"], sharing.which):
        given = "" if row["external_id"] == ordinals[row["id"]] else row["external_id"]
        yield {"type": "message"} | row | {"external_id": given, "edits": edits.get(row["id"], [])}
    for user, spoken in names.items():
        yield from ({"type": OWNER_LINE, "user_id": user, "name": name} for name in sorted(spoken))


def entry(document: Document, tables: Tables) -> SyncLine:
    """The content of a line. Raises ValueError that says what is wrong with it."""
    try:
        revision, kind = _as(int, document["revision"]), document["type"]
        if kind in (GONE_LINE, OWNER_LINE):
            wanted = ("kind", "name") if kind == GONE_LINE else ("user_id", "name")
            row: Mapping[str, Any] = {name: _as(str, document[name]) for name in wanted}
            return SyncLine(thing_of(document), mark_of(document, revision), row)
        if kind not in (*EXCHANGED, "message"):
            raise ValueError(f"{kind} is not a known type of line")
        row = _row(document, tables[kind])
        if kind == "message":
            return _message(document, revision, row, tables)
        stated = tuple(
            (tables[name].name, _row(row, tables[name])) for name in STATED for row in document.get(name, ())
        )
        return SyncLine(thing_of(document), mark_of(document, revision), row, stated=stated)
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise ValueError(f"this {document['type']} lacks {error}") from error


def _message(document: Document, revision: int, row: Mapping[str, Any], tables: Tables) -> SyncLine:
    moment, number = document["place"]
    place = _moment(moment), float(_as(float, number))
    edits = tuple(_row(edit, tables["message_edit"]) for edit in document["edits"])
    return SyncLine(thing_of(document), mark_of(document, revision), row, place, edits)


def _row(document: Document, table: Table) -> Mapping[str, Any]:
    """The columns of a line. Raises ValueError."""
    given = {name: value for name, value in document.items() if name not in BESIDE}
    return lines.row(given, table, with_vectors=False)


def _as(kind: type[Value], value: Any) -> Value:
    if type(value) is not kind:
        raise ValueError(f"{value!r:.60} is not a valid value")
    return value


def _moment(value: Any) -> datetime:
    moment = datetime.fromisoformat(value)
    if moment.tzinfo is None:
        raise ValueError(f"{value} has no zone")
    return moment.astimezone(UTC)
