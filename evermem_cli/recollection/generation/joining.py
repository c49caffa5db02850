"""Joining: the answers to the questions for dates that answer a question, as one answer."""

from collections.abc import Sequence
from dataclasses import replace

from evermem_cli.recollection.generation.answers import Answer, not_known
from evermem_cli.recollection.generation.phrasing import NOT_KNOWN
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def joined_answer(question: Question, answers: Sequence[Answer]) -> Answer:
    """Several answers as one, a line each. An unknown one is shown with its question."""
    unknown = NOT_KNOWN[question.language]
    lines = [answer.text if answer.known else f"{answer.question} {unknown}" for answer in answers]
    recollection = _joined_recollections([answer.recollection for answer in answers])
    return replace(
        not_known(question, recollection),
        text="\n".join(lines) if any(answer.known for answer in answers) else unknown,
        known=any(answer.known for answer in answers),
        citations=tuple({cited.id: cited for answer in answers for cited in answer.citations}.values()),
    )


def _joined_recollections(recollections: Sequence[Recollection]) -> Recollection:
    """The evidence for several questions as the evidence for one."""
    return replace(
        recollections[0],
        hits=tuple({hit.id: hit for recollection in recollections for hit in recollection.hits}.values()),
        passages=tuple(passage for recollection in recollections for passage in recollection.passages),
        rounds=tuple(done for recollection in recollections for done in recollection.rounds),
        notes=tuple(note for recollection in recollections for note in recollection.notes),
    )
