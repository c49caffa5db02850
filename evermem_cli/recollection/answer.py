"""Passages to an answer: what the model says from them, and which messages say so."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from Stemmer import Stemmer

from evermem_cli import prompts
from evermem_cli.engines import Request
from evermem_cli.language import language, searchable
from evermem_cli.memory import Evidence, Mode
from evermem_cli.recollection.dated import day
from evermem_cli.recollection.form import form_of
from evermem_cli.recollection.passages import Line, Passage
from evermem_cli.recollection.phrasing import refuses
from evermem_cli.recollection.question import FIRST_PERSON, asks_how_things_are
from evermem_cli.recollection.recall import Recollection

ANSWER_TOKENS = 96  # a long list; most answers are a few words
REWRITE_TOKENS = 48
# What a question is about beyond its words; said only where it matters: a small model answers with it otherwise.
TODAY = {"en": "Today is {}.\n", "zh": "今天是{}。\n"}
ASKER = {"en": 'In the question, "I" and "my" mean {}.\n', "zh": "问题中的“我”指{}。\n"}
COUNTS_FROM_TODAY = re.compile(
    r"\b(?:today|tonight|now|current\w*|nowadays|so far|yet|still|ago|old|age|next|this|tomorrow|yesterday|upcoming|"
    r"soon|last)\b|[今明昨]天|现在|目前|几岁|多大|[上下]个?(?:周|月|星期)",
    re.IGNORECASE,
)
KNOWN = {"en": "True today, worked out from all excerpts:", "zh": "由全部摘录得出，今天的情况："}
YES = {"en": "yes", "zh": "有"}
NO = {"en": "no", "zh": "没有"}
CITATIONS = 3  # more would hide the one that matters
COUNT = re.compile(r"\d{1,2}|[一二两三四五六七八九十]+次?")  # what the lines hold so many of, it is written in none
WORD = re.compile(r"[^\W_]+")
# Words that carry no claim of their own, so that they need no support.
EMPTY_WORDS = frozenset(
    """
    a an the and or but of in on at to for from by with about as is are was were be been am do does did has have had i
    you he she it we they me my your his her its our their this that these those there not no yes cannot don won isn t
    ll ve re will would can could should may might user who what when where why how than then so if
    """.split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer with the results that support it; `known` is False when memory does not say.

    `read` is what it was answered from. `timings` are seconds, `tokens` counts what the model read ("prompt"), what it
    had read before ("cached") and what it wrote ("answer"). `model` is None where none was asked.
    """

    question: str
    as_of: datetime
    text: str
    known: bool
    citations: tuple[Evidence, ...]
    read: Recollection
    mode: Mode
    model: str | None
    timings: dict[str, float]
    tokens: dict[str, int]


def answer_request(question: str, as_of: datetime, read: Recollection) -> Request:
    """Asks for the answer, in the form that the question wants."""
    tongue = language(question)
    from_today = COUNTS_FROM_TODAY.search(question) or asks_how_things_are(question)
    about = TODAY[tongue].format(day(as_of, tongue)) if from_today else ""
    return _request(f"answer-{form_of(question)}", question, read, ANSWER_TOKENS, about=about)


def sufficiency_request(question: str, read: Recollection) -> Request:
    """Asks whether the passages tell the answer: a yes or a no."""
    tongue = language(question)
    return _request("sufficient", question, read, 4, pattern=f"{YES[tongue]}|{NO[tongue]}")


def rewrite_request(question: str, read: Recollection) -> Request:
    """Asks for the question in other words than those tried."""
    tried = "; ".join(done.query for done in read.rounds)
    return _request("rewrite", question, read, REWRITE_TOKENS, pattern=r"[^\n]{3,200}", tried=tried)


def other_than(name: str) -> str:
    """A pattern of lines that do not begin with this name, but may with what is theirs: "Ann's aunt"."""
    others = "|".join(f"{re.escape(name[:place])}[^{re.escape(name[place])}\\n]" for place in range(len(name)))
    return rf"(?:{others}|{re.escape(name)}(?:['’]s |[a-z]|的))[^\n]*"


def cite(text: str, question: str, lines: Sequence[Line]) -> list[Evidence]:
    """The results whose lines support the answer, best first; none where nothing does.

    A line supports an answer by the words of the answer that it holds; words that the question already had count for
    less, because every line about the topic holds them. An answer without words of its own ("Yes.", "2") is carried by
    the lines that share the question's words. Of equals the one that the search found the likelier comes first, then
    the newest: of 161 answers of LoCoMo 114 then cite first what is the evidence, 105 with the newest first.
    """
    if not text or refuses(text):
        return []
    asked = claimed(question)
    said = asked if COUNT.fullmatch(text.strip(" .")) else claimed(text) - asked or asked
    support = {line.evidence.id: (_overlap(line, said), line.evidence) for line in lines}
    ranked = sorted(support.values(), key=lambda each: (-each[0], -each[1].score, -each[1].said_at.timestamp()))
    best = ranked[0][0] if ranked else 0.0
    return [evidence for share, evidence in ranked if share > 0 and share >= best / 2][:CITATIONS]


def _request(
    step: str, question: str, read: Recollection, max_tokens: int, pattern: str | None = None, **values: str
) -> Request:
    """A step's request after the passages. All steps begin alike, so the model reads the passages once."""
    tongue = language(question)
    notes = ["\n".join([KNOWN[tongue], *(line.text for line in read.notes)])] if read.notes else []
    system, passages = prompts.fill("reading", tongue, passages="\n\n".join([*map(_passage, read.passages), *notes]))
    asker = ASKER[tongue].format(read.asker) if FIRST_PERSON.search(question) else ""
    values["about"] = values.get("about", "") + asker
    _, task = prompts.fill(step, tongue, question=question, **values)
    return Request(system=system, user=f"{passages}\n\n{task}", max_tokens=max_tokens, pattern=pattern)


def _passage(passage: Passage) -> str:
    return "\n".join([f"{said_on(passage[0])}:", *(line.text for line in passage)])


def said_on(line: Line) -> str:
    """The date above a line."""
    return day(line.message.local_time, language(line.message.text))


def claimed(text: str) -> set[str]:
    """Content words, crudely stemmed: five letters of a stem tell "photo" and "photography" to be the same."""
    told = [word for word in WORD.findall(searchable(text)) if word not in EMPTY_WORDS]
    return {stem[:5] for stem in Stemmer("porter").stemWords(told)}


def claimed_by(line: Line) -> set[str]:
    """The content words of a line and of the date above it."""
    return claimed(f"{said_on(line)} {line.text}")


def _overlap(line: Line, said: set[str]) -> float:
    return len(said & claimed_by(line)) / len(said) if said else 0.0
