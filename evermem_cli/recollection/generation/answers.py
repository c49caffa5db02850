"""Answers: a text, the results that support it, and the evidence that it was drawn from."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from evermem_cli.memory import Evidence, Mode
from evermem_cli.recollection.dates import in_tongue
from evermem_cli.recollection.generation.citations import CITATIONS, cite
from evermem_cli.recollection.generation.phrasing import NOT_KNOWN
from evermem_cli.recollection.notes import Note
from evermem_cli.recollection.questions.form import Form
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer with the results that support it; `known` is False when memory does not say, None when nobody judged.

    `recollection` is the evidence that it was drawn from. `timings` are seconds. `tokens` counts what the model read
    ("prompt"), what it had read before ("cached") and what it wrote ("answer"). `model` is None if no model was asked.
    `by_code` is the answer that code has where this one is evidence alone.
    """

    question: str
    as_of: datetime
    text: str
    known: bool | None
    citations: tuple[Evidence, ...]
    recollection: Recollection
    mode: Mode = Mode.STANDARD
    model: str | None = None
    timings: dict[str, float] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=dict)
    by_code: "Answer | None" = None

    def with_most(self, results: int) -> "Answer":
        """The same answer; of evidence alone only the best results, at most so many."""
        return self if self.text else replace(self, citations=self.citations[:results])


def answer_of(text: str, question: Question, recollection: Recollection, citations: Sequence[Evidence]) -> Answer:
    """An answer to a question. It is known if anything supports it. A date is in the language of the question."""
    now = recollection.memory.now
    return Answer(
        question=question.text,
        as_of=now,
        text=in_tongue(text, now, question.language) if question.form is Form.DATE else text,
        known=bool(citations),
        citations=tuple(citations),
        recollection=recollection,
    )


def answer_from(notes: Sequence[Note], question: Question, recollection: Recollection) -> Answer | None:
    """The answer that consists of notes, one line each; None if there are no notes.

    The notes replace the passages, so the answer cites their messages alone. These messages support the answer even if
    they share no word with it, as with "you".
    """
    if not notes:
        return None
    lines = recollection.memory.lines(notes)
    text = "\n".join(note.text for note in notes)
    cited = cite(text, question, lines) or [line.evidence for line in lines][:CITATIONS]
    return answer_of(text, question, replace(recollection, notes=lines), cited)


def not_known(question: Question, recollection: Recollection) -> Answer:
    """The answer if memory does not say."""
    return answer_of(NOT_KNOWN[question.language], question, recollection, ())


def evidence_only(question: Question, recollection: Recollection, answer: Answer | None) -> Answer:
    """The results themselves, for the user to read, without the text of an answer.

    No answer is given, so none is known: False where code's `answer` is that memory does not say, or nothing was found,
    and else None, since the user is to judge what was found.
    """
    is_lacking = not answer.known if answer else not recollection.hits
    return Answer(
        question=question.text,
        as_of=recollection.memory.now,
        text="",
        known=False if is_lacking else None,
        citations=recollection.hits,
        recollection=recollection,
        mode=Mode.LIGHT,
        by_code=answer,
    )
