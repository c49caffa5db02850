"""Citations: which results support an answer."""

import re
from collections.abc import Sequence

from evermem_cli.languages.words import claims
from evermem_cli.memory import Evidence
from evermem_cli.recollection.generation.phrasing import refuses
from evermem_cli.recollection.passages.lines import Line
from evermem_cli.recollection.questions.question import Question

CITATIONS = 3  # more would hide the one that matters
COUNT = re.compile(r"\d{1,2}|[一二两三四五六七八九十]+次?")  # what the lines hold so many of, it is written in none


def cite(text: str, question: Question, lines: Sequence[Line]) -> list[Evidence]:
    """The results whose lines support the answer, best first; none where nothing does.

    A line supports an answer by the words of the answer that it holds; words that the question already had count for
    less, because every line about the topic holds them. An answer without words of its own ("Yes.", "2") is carried by
    the lines that share the question's words. Of equals the one that the search found the likelier comes first, then
    the newest: of 161 answers of LoCoMo 114 then cite first what is the evidence, 105 with the newest first.
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
    """The result that a learned check takes to tell the answer, for an answer in words that no line has.

    "Four hours" is told by "from nine to one". None where the text is no answer, or no line passed the check.
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
