"""Question to passages: what was found, as the short coherent pieces of conversation that a reader understands."""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from evermem_cli import timespan
from evermem_cli.engines import Embedder
from evermem_cli.memory import Evidence, Filter, Kind, Message
from evermem_cli.recollection.search import search
from evermem_cli.store import Store

RESULTS = 15  # more than fit the budget; the best come first
QUESTION_MARKS = ("?", "？")


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One search on the way to an answer. `sufficient` is None where nobody judged it."""

    query: str
    results: int
    sufficient: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A message as the reader sees it, and the best result it stands for; a mere neighbour stands for itself."""

    message: Message
    text: str
    evidence: Evidence

    @property
    def is_hit(self) -> bool:
        """Whether the search found it, not only something next to it."""
        return self.evidence.score > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """What a question brought back: results best first, and the passages to read, oldest first.

    `asker` is the name by which the passages know whoever asks.
    """

    evidence: tuple[Evidence, ...]
    passages: tuple[tuple[Line, ...], ...]
    rounds: tuple[Round, ...]
    asker: str

    @property
    def lines(self) -> list[Line]:
        """All lines in reading order."""
        return [line for passage in self.passages for line in passage]


def recall(
    question: str,
    store: Store,
    embedder: Embedder,
    where: Filter,
    budget: int,
    count_tokens: Callable[[str], int],
    now: datetime,
) -> Recollection:
    """Searches and gathers passages of at most `budget` tokens, best results first until it is full.

    `now` is the moment that the question is asked at: what was over by then is marked so.
    """
    found = search(question, store, embedder, where, RESULTS)
    with store.read() as reader:
        around = reader.neighbours([message.id for evidence in found for message in evidence.messages], 1)
    chosen = _choose(found, around, budget, count_tokens, now)
    names = (line.message.speaker for line in chosen if line.message.user_id == where.user_id)
    return Recollection(
        evidence=tuple(found),
        passages=tuple(_passages(chosen)),
        rounds=(Round(query=question, results=len(found)),),
        asker=next(names, "the user"),
    )


def recollect(found: Sequence[Evidence], now: datetime) -> Recollection:
    """What is read when just these memories are known, without what was said around them."""
    chosen = _choose(found, {message.id: message for each in found for message in each.messages}, sys.maxsize, len, now)
    return Recollection(evidence=tuple(found), passages=tuple(_passages(chosen)), rounds=(), asker="the user")


def _choose(
    found: Sequence[Evidence],
    around: dict[str, Message],
    budget: int,
    count_tokens: Callable[[str], int],
    now: datetime,
) -> list[Line]:
    """Lines of the best results that fit, each with the question it answers or the answer it got."""
    by_place = {(message.conversation_id, message.ordinal): message for message in around.values()}
    lines: dict[str, Line] = {}
    for evidence in found:
        if evidence.kind is Kind.EPISODE:  # its messages are found on their own; whole episodes would crowd them out
            continue
        fresh: dict[str, Line] = {}
        for message in _with_context(evidence.messages, by_place):
            found_itself = message in evidence.messages
            if message.id not in lines or (found_itself and not lines[message.id].is_hit):
                stands_for = evidence if found_itself else _neighbour(message, evidence)
                fresh[message.id] = Line(message=message, text=_render(message, stands_for, now), evidence=stands_for)
        cost = sum(count_tokens(line.text) for line in fresh.values())
        if cost > budget and lines:
            break
        budget -= cost
        lines |= fresh
    return list(lines.values())


def _with_context(hits: Iterable[Message], by_place: dict[tuple[str, int], Message]) -> list[Message]:
    chosen = []
    for hit in hits:
        before = by_place.get((hit.conversation_id, hit.ordinal - 1))
        after = by_place.get((hit.conversation_id, hit.ordinal + 1))
        if before and before.text.rstrip().endswith(QUESTION_MARKS):
            chosen.append(before)
        chosen.append(hit)
        if after and hit.text.rstrip().endswith(QUESTION_MARKS):
            chosen.append(after)
    return chosen


def _neighbour(message: Message, hit: Evidence) -> Evidence:
    """A message beside a hit as evidence of its own: it was not found, but an answer may rest on it."""
    return Evidence(
        id=message.id,
        kind=Kind.MESSAGE,
        text=message.text,
        score=0.0,
        speaker=message.speaker,
        said_at=message.said_at,
        valid_at=None,
        invalid_at=None,
        conversation=hit.conversation,
        scene=hit.scene,
        messages=(message,),
    )


def _render(message: Message, evidence: Evidence, now: datetime) -> str:
    """`Name: text` with time words resolved, and with a note when what it says was over by `now`."""
    text = message.text
    for span in reversed(timespan.find(text, message.local_time)):
        if span.interval.start is not None and not any(c.isdigit() for c in span.text):
            date = _date(span.interval.start, span.interval.grain)
            text = f"{text[: span.end_offset]} ({date}){text[span.end_offset :]}"
    note = ""
    if evidence.invalid_at and evidence.invalid_at < now:
        note = f" [over since {_date(evidence.invalid_at, 'day')}]"
    return f"{message.speaker}: {text}{note}"


def _date(moment: datetime, grain: str) -> str:
    match grain:
        case "year":
            return f"{moment:%Y}"
        case "month":
            return f"{moment:%B %Y}"
        case _:
            return f"{moment.day} {moment:%B %Y}"


def _passages(lines: Iterable[Line]) -> list[tuple[Line, ...]]:
    """Neighbouring lines together, passages in order of time."""
    ordered = sorted(lines, key=lambda line: (line.message.conversation_id, line.message.ordinal))
    passages: list[list[Line]] = []
    for line in ordered:
        last = passages[-1][-1].message if passages else None
        follows = (
            last is not None
            and last.conversation_id == line.message.conversation_id
            and line.message.ordinal - last.ordinal <= 2
        )
        if follows:
            passages[-1].append(line)
        else:
            passages.append([line])
    return [tuple(passage) for passage in sorted(passages, key=lambda passage: passage[0].message.said_at)]
