"""Assembles passages from results: what fits the budget, with the questions and answers around each hit."""

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from evermem_cli.formation.pieces import QUESTION_MARKS, sentences
from evermem_cli.languages.language import language
from evermem_cli.memory import NARRATIVES, Evidence, Message, Time, seen_from
from evermem_cli.recollection.dates import dated, since_when
from evermem_cli.recollection.passages.extracts import extract
from evermem_cli.recollection.passages.lines import OVER, Line, Passage
from evermem_cli.recollection.search.answer_check import as_evidence
from evermem_cli.recollection.search.sittings import SITTING

Place = tuple[str, int]  # conversation and ordinal

# Words below which a message may not be understood without its neighbours (`sittings.TELLING_LENGTH`).
SHORT = 25
# The best hits whose neighbours are read where the learned check, which chooses neighbours, does not know the language.
WITH_NEIGHBOURS = 3
NEAR = (-1, 1, -2)  # how far from a short message the messages are that are read with it


@dataclass(slots=True)
class _Selection:
    """The lines chosen so far, by message id, and the hits that they come from."""

    budget: int
    most: int
    count: Callable[[str], int]
    read: frozenset[str]
    lines: dict[str, Line] = field(default_factory=dict)
    hits: list[Evidence] = field(default_factory=list)

    @property
    def left(self) -> int:
        """What is left of the budget."""
        return self.budget - sum(self.count(line.text) for line in self.lines.values())

    def add(self, lines: Iterable[Line]) -> bool:
        """Adds the new ones of these lines if they fit; the first ones always do."""
        fresh = {line.message.id: line for line in lines if self._is_new(line)}
        too_many = len(self.lines | fresh) > self.most
        if self.lines and (too_many or sum(self.count(line.text) for line in fresh.values()) > self.left):
            return False
        self.lines |= fresh
        return True

    def _is_new(self, line: Line) -> bool:
        known = self.lines.get(line.message.id)
        return line.message.id not in self.read and (known is None or (line.is_hit and not known.is_hit))


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """What to read and how: `budget` in tokens by `count`, and `most` messages; `now` is when the question is asked.

    `stems` are the words of the question, `named` the speakers that it names. Checked results with a margin more than
    `reach` below the best are not read. `over` are messages (by id) about something that has ended, with the end;
    `remarks` tell (by id) how things in a message are now.
    """

    now: datetime
    stems: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    budget: int = sys.maxsize
    most: int = sys.maxsize
    count: Callable[[str], int] = len
    reach: float = math.inf
    over: Mapping[str, Time] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)

    def choose(
        self, hits: Sequence[Evidence], around: Mapping[str, Message], read: frozenset[str] = frozenset()
    ) -> list[Passage]:
        """Passages of the best hits that fit, oldest first, without messages `read` before (by id).

        Each message comes with the question that it answers, or with the answer to it; where the budget has room, the
        best short ones that were not checked also with what was said beside them. Whole episodes are left out, since
        they would displace messages, which are found by themselves.
        """
        places = {(message.conversation_id, message.ordinal): message for message in around.values()}
        selection = _Selection(budget=self.budget, most=self.most, count=self.count, read=read)
        for hit in (hit for hit in hits if hit.kind not in NARRATIVES):
            lines = [line for message in hit.messages for line in self._with_context(message, hit, places)]
            if not selection.add(lines):
                break
            selection.hits.append(hit)
        unchecked = [hit for hit in selection.hits if hit.answers is None]
        for line in self._beside_short(unchecked[:WITH_NEIGHBOURS], places):
            selection.add([line])
        return _passages_of(selection.lines.values())

    def _beside_short(self, hits: Sequence[Evidence], places: Mapping[Place, Message]) -> Iterator[Line]:
        """What was said just before and after the short messages among the hits, best hits first."""
        for hit in hits:
            for message in hit.messages:
                near = (_said(message, step, places) for step in NEAR)
                short = len(message.text.split()) < SHORT
                yield from (self._beside(other, other.text, hit) for other in near if other and short)

    def _with_context(self, message: Message, hit: Evidence, places: Mapping[Place, Message]) -> list[Line]:
        lines = [Line(message=message, text=self._written(message, message.text, hit), evidence=hit)]
        before, after = (_neighbour(message, step, places) for step in (-1, 1))
        if before and (asked := _questions(before)):
            lines.insert(0, self._beside(before, asked[-1], hit))
        if after and _questions(message)[-1:] == sentences(message.text)[-1:]:
            lines.append(self._beside(after, after.text, hit))
        return lines

    def _beside(self, message: Message, text: str, hit: Evidence) -> Line:
        """A message beside a hit as evidence: no search found it, but an answer may depend on it."""
        itself = as_evidence(message, hit)
        return Line(message=message, text=self._written(message, text, itself), evidence=itself)

    def _written(self, message: Message, text: str, evidence: Evidence) -> str:
        """`Name: text` on one line with its dates, and with a note where its content had ended by `now`."""
        note = self.remarks.get(message.id, "")
        end = self.over.get(message.id, evidence.invalid_at)
        if end and end < self.now:
            tongue = language(text)
            note += f" [{OVER[tongue]} {since_when(seen_from(end, self.now.tzinfo), tongue)}]"
        written = dated(extract(text, self.stems), message.local_time)
        return f"{message.speaker}: {' '.join(written.split())}{note}"


def _neighbour(message: Message, step: int, places: Mapping[Place, Message]) -> Message | None:
    """Somebody else's message directly before or after in the same sitting."""
    near = _said(message, step, places)
    return None if near is None or near.speaker == message.speaker else near


def _said(message: Message, step: int, places: Mapping[Place, Message]) -> Message | None:
    """The message so many places after this one, in the same sitting."""
    near = places.get((message.conversation_id, message.ordinal + step))
    return None if near is None or abs(near.said_at - message.said_at) > SITTING else near


def _questions(message: Message) -> list[str]:
    return [sentence for sentence in sentences(message.text) if sentence.endswith(QUESTION_MARKS)]


def _passages_of(lines: Iterable[Line]) -> list[Passage]:
    """Joins neighbouring lines of a sitting; passages are in order of time."""
    passages: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (line.message.conversation_id, line.message.ordinal)):
        if passages and _follows(passages[-1][-1].message, line.message):
            passages[-1].append(line)
        else:
            passages.append([line])
    return [tuple(passage) for passage in sorted(passages, key=lambda passage: passage[0].message.said_at)]


def _follows(earlier: Message, later: Message) -> bool:
    return (
        earlier.conversation_id == later.conversation_id
        and later.ordinal - earlier.ordinal <= 2
        and later.said_at - earlier.said_at <= SITTING
    )
