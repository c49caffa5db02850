"""Passages to an answer: what the model says from them, whether memory supports it, and which messages say so."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from evermem_cli import prompts
from evermem_cli.engines import Llm, Request
from evermem_cli.language import language, searchable
from evermem_cli.memory import Evidence
from evermem_cli.recollection.recall import Line, Recollection

ANSWER_TOKENS = 160
NOT_KNOWN = {"en": "Memory does not say.", "zh": "记忆中没有提到。"}
CITATIONS = 3  # more would hide the one that matters
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

    `read` is what it was answered from. `timings` are seconds, `tokens` counts by "prompt" and "answer"; `model` is
    None where none was asked.
    """

    question: str
    as_of: datetime
    text: str
    known: bool
    citations: tuple[Evidence, ...]
    read: Recollection
    mode: str
    model: str | None
    timings: dict[str, float]
    tokens: dict[str, int]


def evidence_only(question: str, as_of: datetime, found: Recollection, timings: dict[str, float]) -> Answer:
    """The answer of no model: what was found, to be read by the user. Known when anything was found."""
    return Answer(
        question=question,
        as_of=as_of,
        text="",
        known=bool(found.evidence),
        citations=found.evidence,
        read=found,
        mode="light",
        model=None,
        timings=timings,
        tokens={"prompt": 0, "answer": 0},
    )


def answer(
    question: str,
    as_of: datetime,
    found: Recollection,
    llm: Llm,
    on_text: Callable[[str], None],
    timings: dict[str, float],
    start: float,
) -> Answer:
    """Has the model answer from the passages alone; `on_text` streams the reply.

    Known unless the model says otherwise or nothing in the passages supports what it says. `start` is the monotonic
    clock when the question was asked. Raises ModelError.
    """
    first: list[float] = []

    def stream(piece: str) -> None:
        first.append(time.monotonic() - start)
        on_text(piece)

    if found.lines:
        reply = llm.complete([request(question, as_of, found, ANSWER_TOKENS)], stream)[0]
        text, tokens = reply.text.strip(), {"prompt": reply.prompt_tokens, "answer": reply.output_tokens}
    else:
        text, tokens = NOT_KNOWN[language(question)], {"prompt": 0, "answer": 0}
        on_text(text)
    citations = cite(text, question, found.lines)
    return Answer(
        question=question,
        as_of=as_of,
        text=text,
        known=bool(citations),
        citations=tuple(citations),
        read=found,
        mode="standard",
        model=llm.name,
        timings=timings | {"first_token": first[0] if first else 0.0, "total": time.monotonic() - start},
        tokens=tokens,
    )


def request(question: str, as_of: datetime, found: Recollection, max_tokens: int) -> Request:
    """The one prompt of an answer: fixed instructions, then passages oldest first, then the question."""
    passages = "\n\n".join(
        f"[{_day(passage[0].message.local_time)}]\n" + "\n".join(line.text for line in passage)
        for passage in found.passages
    )
    system, user = prompts.fill(
        "answer",
        language(question),
        passages=passages,
        today=_day(as_of),
        asker=found.asker,
        question=question,
    )
    return Request(system=system, user=user, max_tokens=max_tokens)


def refuses(text: str) -> bool:
    """Whether a reply says that memory does not tell."""
    return any(refusal.rstrip(".。") in text for refusal in NOT_KNOWN.values())


def cite(text: str, question: str, lines: Sequence[Line]) -> list[Evidence]:
    """The results whose lines support the answer, best first; none when memory does not say.

    A line supports an answer by the words of the answer that it holds; words that the question already had count for
    less, because every line about the topic holds them. An answer without words of its own ("Yes.") is carried by the
    lines that share the question's words.
    """
    if not text or refuses(text):
        return []
    asked = _words(question)
    said = _words(text) - asked or asked
    support = {line.evidence.id: (_overlap(line, said), line.evidence) for line in lines}
    ranked = sorted(support.values(), key=lambda entry: (-entry[0], -entry[1].score))
    best = ranked[0][0] if ranked else 0.0
    return [evidence for share, evidence in ranked if share > 0 and share >= best / 2][:CITATIONS]


def _overlap(line: Line, said: set[str]) -> float:
    return len(said & _words(line.text)) / len(said) if said else 0.0


def _words(text: str) -> set[str]:
    """Content words, crudely stemmed: the first five letters tell "walking" and "walked" to be the same."""
    return {word[:5] for word in WORD.findall(searchable(text)) if word not in EMPTY_WORDS}


def _day(moment: datetime) -> str:
    return f"{moment:%A}, {moment.day} {moment:%B %Y}"
