"""A memory as one user may see it at one moment, in which recollection looks things up."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from evermem_cli.languages.words import claims
from evermem_cli.memory import Filter
from evermem_cli.recollection.notes import Note
from evermem_cli.recollection.passages.lines import Line
from evermem_cli.recollection.questions.question import Speakers
from evermem_cli.store import Searcher, Store


@dataclass(frozen=True, slots=True)
class MemoryView:
    """The memories in `store` that `where` admits, as of `now`. Whatever opens the store may raise StoreError."""

    store: Store
    where: Filter
    now: datetime

    @property
    def user_id(self) -> str | None:
        """The owner of the memory; None where chats between people have no owner."""
        return self.where.user_id

    @property
    def known_by(self) -> datetime:
        """The time up to which statements count."""
        return min(self.where.known_at or self.now, self.now)

    @contextmanager
    def at_once(self) -> Iterator["MemoryView"]:
        """The same view with the file opened once for all reading within the block, which writes nothing."""
        if self.store.opened is not None:
            yield self
            return
        with self.store.at_once() as opened:
            yield replace(self, store=replace(self.store, opened=opened))

    def speakers(self) -> Speakers:
        """The speakers, and which of them asks."""
        with self.store.read() as reader:
            names = reader.names.of_user(self.user_id) if self.user_id else []
            return Speakers(reader.names.called(self.user_id), next(iter(names), None))

    def lines(self, notes: Iterable[Note]) -> tuple[Line, ...]:
        """Notes as lines to read or cite, each with the message that has most of its words."""
        with self.store.read() as reader:
            return tuple(line_of(note, reader) for note in notes)


def line_of(note: Note, reader: Searcher) -> Line:
    """A note with the message that has most of its words; of several the latest."""
    claimed = claims(note.text)
    said = reader.candidates.evidence_of(note.message_ids)
    best = max(said, key=lambda evidence: (len(claimed & claims(evidence.text)), evidence.said_at))
    return Line(message=best.messages[0], text=note.text, evidence=best)
