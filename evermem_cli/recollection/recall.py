"""The workflow from question to passages: search, gather what to read, and search again in other words."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from evermem_cli.consolidation.precision import precise, told_a_time
from evermem_cli.engines import Embedder
from evermem_cli.memory import Evidence, Filter, Foresight
from evermem_cli.recollection import called_off, deeds, moved, who
from evermem_cli.recollection.acquaintance import introduction
from evermem_cli.recollection.ahead import ahead, asks_ahead
from evermem_cli.recollection.attribution import of_those_named
from evermem_cli.recollection.known import known
from evermem_cli.recollection.notes import Note
from evermem_cli.recollection.outdated import without_outdated
from evermem_cli.recollection.passages import Line, Passage, Reading
from evermem_cli.recollection.question import FIRST_PERSON, read_question
from evermem_cli.recollection.search import search
from evermem_cli.recollection.story import asks_for_story, story
from evermem_cli.store import Searcher, Store

RESULTS = 30  # more than fit the budget; the best come first


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One search on the way to an answer. `sufficient` is None where nobody judged it."""

    query: str
    results: int
    sufficient: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """What a question brought back: results best first, and the passages to read, oldest first in each round.

    `asker` is the name by which the passages know whoever asks, `named` are the speakers that the question names.
    `notes` are what profiles know of it, each with a message that says so; they are read after the passages.
    `answer` is the whole answer where the question asks for what a profile knows, who somebody is, what is ahead, or a
    story; `left_out` counts topics of its scenes that the story has no room for.
    """

    evidence: tuple[Evidence, ...] = ()
    passages: tuple[Passage, ...] = ()
    rounds: tuple[Round, ...] = ()
    asker: str = "the user"
    named: frozenset[str] = frozenset()
    notes: tuple[Line, ...] = ()
    answer: str | None = None
    left_out: int = 0

    @property
    def lines(self) -> list[Line]:
        """All lines in reading order."""
        return [*self.notes, *(line for passage in self.passages for line in passage)]

    @property
    def seen(self) -> tuple[Evidence, ...]:
        """The results that are among the passages, in reading order."""
        return tuple({line.evidence.id: line.evidence for line in self.lines}.values())

    @property
    def is_enough(self) -> bool:
        """Whether nobody judged that the passages do not tell the answer."""
        return not self.rounds or self.rounds[-1].sufficient is not False

    def judged(self, sufficient: bool) -> "Recollection":
        """The same with the last round's judgement."""
        return replace(self, rounds=(*self.rounds[:-1], replace(self.rounds[-1], sufficient=sufficient)))


def recall(question: str, store: Store, embedder: Embedder, where: Filter, reading: Reading) -> Recollection:
    """What memory has for a question, as the passages that fit the reading. Raises StoreError, StoreBusy."""
    introduced = introduction(question, store, where, reading.now)
    with store.read() as reader:
        names = reader.names_of(where.user_id) if where.user_id else []
        named = read_question(question, reader.called(where.user_id)).speakers
        asker = next(iter(names), "the user")
        expected = _expected(question, reader, where, reading.now)
        notes = introduced or ahead(question, expected, reading.now)
        people = named | {asker} if FIRST_PERSON.search(question) else named or {asker}
        notes = notes or list(_notes(question, reader, where, people, reading.now))
        lines = tuple(_line(reader, note) for note in notes)
    over = {message_id: end for note in notes for message_id, end in note.over.items()}
    answer = next((note.answer for note in notes if note.answer), None)
    start = Recollection(asker=asker, named=named, notes=lines, answer=answer)
    read = recall_more(question, start, store, embedder, where, replace(reading, over=over))
    if expected and not read.answer:  # a small model would make plans of whatever it reads
        return replace(read, passages=())
    return _as_story(read, store, where, reading) if asks_for_story(question) and not read.answer else read


def _expected(question: str, reader: Searcher, where: Filter, now: datetime) -> list[Foresight]:
    """All foresights, where the question is for what is ahead; memories of chats between people may have none."""
    if where.user_id is None or not asks_ahead(question, now):
        return []
    return reader.kept(reader.foresights(reader.memcell_ids(where.user_id)), where, now)


def _as_story(read: Recollection, store: Store, where: Filter, reading: Reading) -> Recollection:
    """The same with what the scenes of what was found tell as its answer, where they have been told."""
    with store.read() as reader:
        notes, left_out = story(read.evidence, where, reader, reading)
        lines = tuple(_line(reader, note) for note in notes)
    return replace(read, notes=lines, answer=notes[0].answer, left_out=left_out) if notes else read


def _notes(question: str, reader: Searcher, where: Filter, names: Iterable[str], now: datetime) -> Iterator[Note]:
    """What the profiles of these people know of how it was then; an owner's memory is asked, and nobody's has none."""
    if where.user_id is None:
        return
    ids = reader.speaker_ids(where.user_id)
    people = {ids[name]: name for name in sorted(names, reverse=True) if name in ids}
    for person, name in sorted(people.items(), key=lambda each: each[1]):
        assertions = reader.assertions(person, reader=where.user_id, known_at=where.known_at)
        cited = {message for each in assertions if told_a_time(each) for message in each.message_ids}
        assertions = precise(assertions, reader.messages(cited))
        yield from known(question, name, assertions, now)


def _line(reader: Searcher, note: Note) -> Line:
    """A note with the latest message that says so."""
    latest = max(reader.evidence_of(note.message_ids), key=lambda evidence: evidence.said_at)
    return Line(message=latest.messages[0], text=note.text, evidence=latest)


def recall_more(
    query: str, had: Recollection, store: Store, embedder: Embedder, where: Filter, reading: Reading
) -> Recollection:
    """What was had with what another search finds; passages already there stay where they are."""
    found = search(query, store, embedder, where, RESULTS)
    with store.read() as reader:
        around = reader.neighbours([message.id for evidence in found for message in evidence.messages], 1)
        changed = moved.moves(query, found, reader, where, reading.now)
        note = None
        if not had.answer and not had.rounds:  # what a model makes of a question is not what was asked
            note = moved.answer(query, found, changed)
            note = note or who.answer(query, found, reader, where, reading.now)
            note = note or deeds.doer(query, found, where)
            note = note or called_off.answer(query, found, reader, where, reading.now)
        notes = (_line(reader, note),) if note else had.notes
    reading = replace(reading, remarks=moved.remarks(changed))
    read = frozenset(line.message.id for passage in had.passages for line in passage)
    have = {evidence.id for evidence in had.evidence}
    to_read = of_those_named(had.named, without_outdated(query, found))
    return replace(
        had,
        notes=notes,
        answer=note.answer if note else had.answer,
        evidence=(*had.evidence, *(evidence for evidence in found if evidence.id not in have)),
        passages=(*had.passages, *reading.passages(to_read, around, read)),
        rounds=(*had.rounds, Round(query=query, results=len(found))),
    )


def recollect(found: Sequence[Evidence], now: datetime) -> Recollection:
    """What is read when just these memories are known, without what was said around them."""
    return Recollection(evidence=tuple(found), passages=tuple(Reading(now=now).passages(found, {})))
