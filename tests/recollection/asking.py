"""Questions asked of parts of recollection: of assertions alone, of texts alone, or of a real memory."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from evermem_cli.consolidation.history import histories
from evermem_cli.engines import Embedder
from evermem_cli.memory import Assertion, Evidence, Filter, Kind, Message
from evermem_cli.reading.answerability import Answerability
from evermem_cli.reading.statements.tagger import SHIPPED
from evermem_cli.recollection.generation.answers import Answer
from evermem_cli.recollection.memory_view import MemoryView
from evermem_cli.recollection.notes import Note
from evermem_cli.recollection.passages.assembly import ReadingPlan
from evermem_cli.recollection.passages.lines import Line
from evermem_cli.recollection.people.histories import local_histories
from evermem_cli.recollection.people.profile_notes import profile_notes
from evermem_cli.recollection.questions.question import Question, Speakers, read_question
from evermem_cli.recollection.recollection import Recollection, recall
from evermem_cli.recollection.responders import RESPONDERS
from evermem_cli.store import Store
from tests.consolidation.test_assertions import SAID_AT, chat
from tests.support.fakes import WordEmbedder

ANN = Speakers({"Ann": frozenset({"Ann"})}, "Ann")


class ViewOfNothing(MemoryView):
    """A memory without a file: notes are cited as messages that say nothing else."""

    def lines(self, notes: Iterable[Note]) -> tuple[Line, ...]:
        return tuple(line_of(note.text, note.text) for note in notes)


def read(text: str, now: datetime = SAID_AT, speakers: Speakers = ANN) -> Question:
    """The question as Ann asks it."""
    return read_question(text, SHIPPED.read_question(text), now, speakers)


def line_of(text: str, said: str = "", speaker: str = "Ann") -> Line:
    """A line with a message of its own that the search found; `said` is the text of the message if it is another."""
    message = replace(chat(said or text).messages[0], speaker=speaker)
    return Line(message=message, text=text, evidence=hit_of(message))


def hit_of(message: Message, score: float = 1.0) -> Evidence:
    """A message as the search found it."""
    return Evidence(
        id=message.text, kind=Kind.MESSAGE, text=message.text, score=score, speaker=message.speaker,
        said_at=message.said_at, valid_at=None, invalid_at=None, conversation="c", messages=(message,), is_hit=True,
    )  # fmt: skip


def view(now: datetime = SAID_AT) -> MemoryView:
    """A memory without a file, as Ann sees it."""
    return ViewOfNothing(Store(Path("nowhere.duckdb"), 0.0), Filter(user_id=None), now)


def recollection_of(*texts: str, speaker: str = "Ann") -> Recollection:
    """What was read: lines of these texts, said by one speaker."""
    return Recollection(memory=view(), passages=tuple((line_of(text, speaker=speaker),) for text in texts))


def known_answer(question: str, assertions: Sequence[Assertion], now: datetime = SAID_AT) -> str | None:
    """What is answered of Ann by these assertions alone; None where the model would have to answer."""
    recollection = Recollection(memory=view(now), histories={"Ann": local_histories(histories(assertions), now.tzinfo)})
    answer = respond(read(question, now), recollection)
    return answer.text if answer else None


def known_notes(question: str, assertions: Sequence[Assertion], now: datetime = SAID_AT) -> list[str]:
    """What the model would be told of Ann beside the excerpts."""
    known = local_histories(histories(assertions), now.tzinfo)
    return [note.text for note in profile_notes(read(question, now).profile, "Ann", known, now)]


def recalled(
    store: Store, question: str, as_of: str, embedder: Embedder | None = None, most: int = sys.maxsize
) -> tuple[Question, Recollection]:
    """A question to a real memory at the end of a day, and what it brings back, of at most so many messages."""
    now = datetime.fromisoformat(f"{as_of}T23:00:00+00:00").astimezone(UTC)
    memory = MemoryView(store, Filter(user_id="default", as_of=now), now)
    embedder = embedder or WordEmbedder(store.embedder or "words")
    asked = read(question, now, memory.speakers())
    plan = ReadingPlan(now=now, stems=asked.terms.stems, named=asked.whose.named, most=most)
    return asked, recall(asked, memory, embedder, Answerability(), plan)


def answered(store: Store, question: str, as_of: str, embedder: Embedder | None = None) -> str | None:
    """What code answers of a real memory; None where the model would have to."""
    answer = respond(*recalled(store, question, as_of, embedder))
    return answer.text if answer else None


def respond(question: Question, recollection: Recollection) -> Answer | None:
    """The answer of the first responder that has one."""
    return next((answer for each in RESPONDERS if (answer := each(question, recollection))), None)
