"""Citations: which results support an answer."""

import re
from collections.abc import Sequence

from evermem_cli.languages.words import amounts, claims, words_of
from evermem_cli.memory import Evidence
from evermem_cli.naming import find_mentions, key
from evermem_cli.recollection.generation.phrasing import refuses
from evermem_cli.recollection.passages.lines import Line
from evermem_cli.recollection.questions.form import Form
from evermem_cli.recollection.questions.question import Question

CITATIONS = 3  # more would hide the one that matters
LEAST_DIGITS = 3  # of an amount that no model works out from what it reads
COUNT = re.compile(r"\d{1,2}|[一二两三四五六七八九十]+次?")  # a count of things in the lines; no line contains it

_TELLING = frozenset({Form.PERSON, Form.DATE, Form.CLOCK, Form.LENGTH})
_IN_WORDS = frozenset({"hundred", "thousand", "grand", "million"})


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


def has_invented_amount(answer: str, question: Question, lines: Sequence[Line]) -> bool:
    """Whether an answer has a number of several digits that neither the question nor any line has.

    Zeros at the end do not count: "28.5k" is 28,500. A year may follow from a date, and "two hundred" is 200.
    """
    texts = [f"{line.date} {line.text} {line.message.text}" for line in lines]
    if any(not _IN_WORDS.isdisjoint(words_of(text.casefold())) for text in texts):
        return False
    digits = ["".join(filter(str.isdigit, text)) for text in texts]
    known = {amount.rstrip("0") for text in texts for amount in amounts(text)}
    return any(
        len(amount) >= LEAST_DIGITS
        and amount not in question.terms.amounts
        and amount.rstrip("0") not in known
        and not any(amount in run for run in digits)
        and not (len(amount) == 4 and amount[:2] in ("19", "20"))
        for amount in amounts(answer)
    )


def has_invented_name(answer: str, question: Question, lines: Sequence[Line]) -> bool:
    """Whether an answer names somebody or something that neither the question nor any line names.

    Of 844 right answers to questions about whole chats 2 do.
    """
    texts = (f"{line.message.speaker} {line.text} {line.message.text}" for line in lines)
    named = question.terms.claims.union(*map(claims, texts))
    names = (mention.name for mention in find_mentions(answer))
    return any(
        not named.issuperset(claims(name)) and not named.issuperset(claims(" ".join(key(name)))) for name in names
    )


def repeats_question(answer: str, question: Question) -> bool:
    """Whether an answer has only words of the question, which asks for a name, a person, a time or a length.

    Other questions may name what there is to choose from. Of 846 right answers to questions about whole chats, none has
    only words of a question that asks for neither a yes nor a choice.
    """
    said = claims(answer)
    asks_for_more = bool(question.named_thing) or question.form in _TELLING
    return asks_for_more and bool(said) and said <= question.terms.claims


def claimed_by(line: Line) -> frozenset[str]:
    """The words that a line and the date above it claim."""
    return claims(f"{line.date} {line.text}")


def _overlap(line: Line, said: frozenset[str]) -> float:
    return len(said & claimed_by(line)) / len(said) if said else 0.0
