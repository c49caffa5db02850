"""Joining: the answers to the parts of a question as one answer."""

import re
from collections.abc import Sequence
from dataclasses import replace

from evermem_cli.naming import NAME
from evermem_cli.recollection.generation.answers import Answer, not_known
from evermem_cli.recollection.generation.phrasing import NOT_KNOWN
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def with_name(text: str, first: Question, answer: Answer) -> str:
    """The text of a later part with the name that answers the first part: "my cat" becomes "Biscuit"."""
    name = answer.text.strip(' ."')
    if not first.named_thing or not answer.known or not NAME.fullmatch(name):
        return text
    return re.sub(rf"\b{re.escape(first.named_thing)}\b", name, text, flags=re.IGNORECASE)


def joined_answer(question: Question, answers: Sequence[Answer]) -> Answer:
    """The answers to the parts of a question as one, a line each. An unknown part is shown with its question."""
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
