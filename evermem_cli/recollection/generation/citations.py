"""Citations: which results support an answer."""

import re
from collections.abc import Sequence

from evermem_cli.languages.words import claims
from evermem_cli.memory import Evidence
from evermem_cli.recollection.generation.phrasing import refuses
from evermem_cli.recollection.passages.lines import Line
from evermem_cli.recollection.questions.question import Question

CITATIONS = 3  # more would hide the one that matters
COUNT = re.compile(r"\d{1,2}|[一二两三四五六七八九十]+次?")  # a count of things in the lines; no line contains it


def cite(text: str, question: Question, lines: Sequence[Line]) -> list[Evidence]:
    """The results whose lines support the answer, best first; none where nothing does.

    A line supports an answer if it contains words of the answer. Words of the question do not count, because every line
    about the topic contains them. An answer without words of its own ("Yes.", "2") is supported by the lines that share
    the question's words. Among equals the line with the higher search score comes first, then the newest. In this order
    114 of 161 answers of LoCoMo cite the evidence first; with the newest first it is 105.
    """
    if not text or refuses(text):
        return []
    asked = question.terms.claims
    said = asked if COUNT.fullmatch(text.strip(" .")) else claims(text) - asked or asked
    support = {line.evidence.id: (_overlap(line, said), line.evidence) for line in lines}
    ranked = sorted(
        support.values(), key=lambda candidate: (-candidate[0], -candidate[1].score, -candidate[1].said_at.timestamp())
    )
    best = ranked[0][0] if ranked else 0.0
    return [evidence for share, evidence in ranked if share > 0 and share >= best / 2][:CITATIONS]


def likeliest(text: str, lines: Sequence[Line]) -> list[Evidence]:
    """The result that most likely answers the question by the learned check, for an answer in words that no line has.

    "From nine to one" supports "four hours" in this way. Empty if the text does not answer, or if no line passed the
    check.
    """
    if not text or refuses(text):
        return []
    passed = [line.evidence for line in lines if line.evidence.answers is not None and line.evidence.answers >= 0]
    return sorted(passed, key=lambda hit: -(hit.answers or 0.0))[:1]


def claimed_by(line: Line) -> frozenset[str]:
    """The words that a line and the date above it claim."""
    return claims(f"{line.date} {line.text}")


def _overlap(line: Line, said: frozenset[str]) -> float:
    return len(said & claimed_by(line)) / len(said) if said else 0.0
