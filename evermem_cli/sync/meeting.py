"""Compares this memory with the bundles: which state of each thing wins, and what that changes here."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from evermem_cli.store import Exchanged, Sharing
from evermem_cli.sync.lines import SyncLine, documents
from evermem_cli.sync.marks import Mark, Presence, Thing, forgotten, gone, mark_of, marked_before, owner_name, thing_of
from evermem_cli.sync.places import Place, places

# The words for the counts in the report, by kind of thing: a new thing, and a changed thing.
WORDS = {
    "conversation": ("", "titles"),
    "message": ("messages", "edits"),
    "correction": ("corrections", "corrections"),
    "privacy": ("privacy", "privacy"),
    "merged_person": ("people", "people"),
    "owner_name": ("people", "people"),
}


@dataclass(slots=True)
class Holdings:
    """The content of this memory: a mark for each thing, present or past, and the places and chats of messages.

    `fresh` are things that it has never exchanged. `changed` counts the changes since the last exchange.
    """

    marks: dict[Thing, Mark] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    chats: dict[str, str] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    fresh: set[Thing] = field(default_factory=set)
    changed: Counter[str] = field(default_factory=Counter)


def held(sharing: Sharing) -> Holdings:
    """The content of the memory, and its changes since the last exchange."""
    placed, known = sharing.places(), sharing.exchanged()
    owned = {user: sharing.reader.names.ownership(user) for user in sharing.reader.names.owners()}
    holdings = Holdings(
        places=places(placed),
        chats={message.id: message.chat for message in placed},
        names={user: [*ownership.names] for user, ownership in owned.items()},
    )
    for document in documents(sharing, holdings.names):
        _note(holdings, thing_of(document), mark_of(document, 0), known.pop(thing_of(document), None))
    others = {owner_name(user, name) for user, ownership in owned.items() for name in ownership.others}
    for (kind, name), before in known.items():
        # A forgotten message without its record was read again and taken back since.
        same = gone(before.revision) if before.digest == gone(0).digest else None
        if same is None and (kind == "conversation" or (kind == "owner_name" and name not in others)):
            continue  # removed together with its messages: nothing is left that it could be about
        holdings.marks[kind, name] = same or gone(before.revision + 1)
        if same is None:
            holdings.changed[word((kind, name), holdings.marks[kind, name], None)] += 1
    return holdings


def _note(holdings: Holdings, thing: Thing, mark: Mark, before: Exchanged | None) -> None:
    if before is None:
        holdings.fresh.add(thing)
        mark = mark._replace(revision=int(mark.presence is Presence.FORGOTTEN))
    else:
        mark = mark._replace(revision=before.revision + (before.digest != mark.digest))
    holdings.marks[thing] = mark
    if before is None or before.digest != mark.digest:
        holdings.changed[word(thing, mark, (marked_before(before) or mark) if before else None)] += 1


def word(thing: Thing, mark: Mark, before: Mark | None) -> str:
    """The word under which a change is counted; empty if it is not counted."""
    kind, _ = thing
    if kind == "message" and not mark.is_there:
        return "forgotten" if mark.presence is Presence.FORGOTTEN else "removed"
    return WORDS[kind][before is not None and before.is_there]


@dataclass(slots=True)
class Meeting:
    """The merged state of this memory and all bundles: the `winners` are the lines that this memory has to take in."""

    held: Holdings
    winners: dict[Thing, SyncLine] = field(default_factory=dict)
    moved: set[str] = field(default_factory=set)  # stored messages that got an earlier place
    kept: set[Thing] = field(default_factory=set)  # things that other machines took back, and that stay here

    @property
    def is_news(self) -> bool:
        """Whether this machine knows something other than what it exchanged last."""
        return bool(self.winners or self.moved or self.kept or self.held.changed)

    def mark(self, thing: Thing) -> Mark | None:
        """The mark of a thing."""
        winner = self.winners.get(thing)
        return winner.mark if winner else self.held.marks.get(thing)

    def differs(self, entry: SyncLine) -> bool:
        """Whether an entry has anything new."""
        mine, place = self.mark(entry.thing), self.held.places.get(entry.thing[1])
        is_earlier = entry.place is not None and (place is None or entry.place < place)
        return mine is None or entry.mark > mine or not mine.is_there or is_earlier

    def merge_lines(self, entries: Iterable[SyncLine]) -> int:
        """Merges the lines of a bundle. Returns how many of its messages are forgotten here."""
        stale = 0
        for entry in entries:
            kind, name = entry.thing
            mine = self.mark(entry.thing)
            if entry.place:
                self._place(name, entry.place)
            if mine is None or entry.mark > mine:
                self._take(entry, mine)
            elif kind == "message" and entry.mark.is_there and mine.presence is Presence.FORGOTTEN:
                stale += 1
        return stale

    def close(self) -> None:
        """Drops corrections whose messages no longer exist, with the statements in them, as forgetting the messages
        would."""
        for thing, entry in [*self.winners.items()]:
            if thing[0] != "correction" or not entry.mark.is_there:
                continue
            if all(self._is_there(message_id) for message_id in entry.row["message_ids"]):
                continue
            self.winners[thing] = replace(entry, mark=gone(entry.mark.revision + 1))
            statement = ("message", entry.row["statement_id"] or "")
            if stated := self.winners.get(statement):
                self.winners[statement] = replace(stated, mark=forgotten(stated.mark.revision + 1))

    def came(self) -> Counter[str]:
        """The changes here, counted by kind."""
        counts = Counter[str]()
        for thing, entry in self.winners.items():
            mine = self.held.marks.get(thing)
            is_news = mine is None or mine.digest != entry.mark.digest
            if is_news and (entry.mark.is_there or (mine is not None and mine.is_there)):
                counts[word(thing, entry.mark, mine)] += 1
        return Counter({name: count for name, count in counts.items() if name})

    def news(self, kind: str, wanted: Callable[[Mark], bool]) -> Mapping[str, SyncLine]:
        """The winners of one kind, by name, whose marks are wanted and differ from the stored ones."""
        return {
            thing[1]: entry
            for thing, entry in self.winners.items()
            if thing[0] == kind and wanted(entry.mark) and self._differs(thing, entry)
        }

    def _differs(self, thing: Thing, entry: SyncLine) -> bool:
        mine = self.held.marks.get(thing)
        return mine is None or mine.digest != entry.mark.digest

    def _is_there(self, message: str) -> bool:
        mark = self.mark(("message", message))
        return mark is not None and mark.is_there

    def _take(self, entry: SyncLine, mine: Mark | None) -> None:
        """A thing that was taken back elsewhere stays here if this memory has it and has never exchanged it."""
        if entry.mark.presence is not Presence.GONE or mine is None or entry.thing not in self.held.fresh:
            self.winners[entry.thing] = entry
            return
        self.kept.add(entry.thing)
        if winner := self.winners.get(entry.thing):
            self.winners[entry.thing] = replace(winner, mark=mine.raised(entry.mark))
        else:
            self.held.marks[entry.thing] = mine.raised(entry.mark)

    def _place(self, message: str, place: Place) -> None:
        known = self.held.places.get(message)
        if known is None or place < known:
            self.held.places[message] = place
            if message in self.held.chats:
                self.moved.add(message)
