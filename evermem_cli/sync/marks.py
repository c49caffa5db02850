"""Marks decide which of two states of a thing wins. The result is the same on every machine, whatever the order."""

import hashlib
import json
from collections.abc import Mapping
from enum import IntEnum
from typing import Any, NamedTuple

from evermem_cli.memory import Tier, content_id
from evermem_cli.store import Exchanged
from evermem_cli.store.write.machines import merge_name

Thing = tuple[str, str]  # kind and name
Document = Mapping[str, Any]  # of a line

GONE_LINE, FORGOTTEN_LINE = "gone", "forgotten_message"
OWNER_LINE = "owner_name"
# The fields of a thing that can change, by type of line.
CHANGEABLE: dict[str, tuple[str, ...]] = {
    "conversation": ("title",),
    "message": ("text", "edits"),
    "correction": (),
    "privacy": ("privacy_tier",),
    "merged_person": (),
    OWNER_LINE: (),
}
STRICTNESS = [*Tier]


class Presence(IntEnum):
    """Whether a thing exists. Of two machines' states the higher one wins."""

    GONE = 0  # taken back, pruned or split; it may come again
    THERE = 1
    FORGOTTEN = 2


class Mark(NamedTuple):
    """The state of a thing: how often it has been changed, and a weight that decides between independent changes.

    Marks are compared field by field."""

    revision: int
    presence: Presence
    weight: str
    digest: str

    @property
    def is_there(self) -> bool:
        """Whether the thing exists."""
        return self.presence is Presence.THERE

    def raised(self, above: "Mark") -> "Mark":
        """The same mark, as a change after another mark."""
        return self._replace(revision=above.revision + 1)


def gone(revision: int) -> Mark:
    """The mark of a thing that was taken back."""
    return Mark(revision, Presence.GONE, "", Presence.GONE.name.lower())


def forgotten(revision: int) -> Mark:
    """The mark of a thing that was forgotten."""
    return Mark(revision, Presence.FORGOTTEN, "", Presence.FORGOTTEN.name.lower())


def thing_of(document: Document) -> Thing:
    """The thing that a line is about."""
    match document["type"]:
        case "gone":
            return document["kind"], document["name"]
        case "forgotten_message":
            return "message", document["message_id"]
        case "privacy" as kind:
            return kind, document["memory_id"]
        case "merged_person" as kind:
            return kind, merge_name(document)
        case "owner_name" as kind:
            return kind, owner_name(document["user_id"], document["name"])
        case kind:
            return kind, document["id"]


def mark_of(document: Document, revision: int) -> Mark:
    """The mark of the thing in a line."""
    kind = document["type"]
    if kind == GONE_LINE:
        return gone(revision)
    if kind == FORGOTTEN_LINE:
        return forgotten(revision)
    content = json.dumps([document.get(name) for name in CHANGEABLE[kind]], ensure_ascii=False, sort_keys=True)
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return Mark(revision, Presence.THERE, _weight(document), digest)


def marked_before(known: Exchanged) -> Mark | None:
    """The mark of a thing that was removed before the last exchange; None if it existed then."""
    marks = {mark.digest: mark for mark in (gone(known.revision), forgotten(known.revision))}
    return marks.get(known.digest)


def owner_name(user: str, name: str) -> str:
    """An identifier for a name of an owner that does not reveal the name."""
    return content_id("owner", user, name)


def _weight(document: Document) -> str:
    """What decides between independent changes: an emptied title wins, the later edit, the stricter tier."""
    match document["type"]:
        case "conversation":
            return "" if document["title"] else "empty"
        case "message":
            return str(document["edits"][-1]["replaced_at"]) if document["edits"] else ""
        case "privacy":
            return str(STRICTNESS.index(Tier(document["privacy_tier"])))
        case _:
            return ""
