"""Foresights of a MemCell that were stated: facts about the future, with their times; found by code.

A small model turned "So I decided to be pescatarian" into "Maya will decide to be pescatarian". What a model predicts
is in `predictions.py`.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from evermem_cli import timespan
from evermem_cli.formation.facts import Claim
from evermem_cli.formation.sentences.statements import Remark
from evermem_cli.languages.language import language
from evermem_cli.memory import CalendarTime, Message, Time, wall
from evermem_cli.timespan import Interval

MOST_KEPT = 10  # foresights of one MemCell and owner
_TOLD_BY_DAYS = ("week", "weekend", "season", "quarter", "half")
_ONE_DAY = timedelta(days=1)
_TICK = timedelta(milliseconds=1)  # the last moment of a day represents the whole day

_AHEAD = re.compile(
    r"""\b(?:will|won['’]t|gonna|going\ to|about\ to|plan(?:s|ning)?\ (?:to|on|a)|hop(?:e|es|ing)\ to|wants?\ to|
    needs?\ to|ha(?:ve|s)\ to(?!\ (?:say|tell|admit|agree))|aim(?:s|ing)?\ (?:to|for)|intends?\ to|
    thinking\ (?:about|of)|consider(?:s|ing)|tr(?:y|ies|ying)\ to|looking\ (?:forward|into)|working\ (?:on|towards?)|
    would\ (?:like|love)\ to|can['’]t\ wait|supposed\ to|due|
    deadline|goals?|dream\ of|upcoming|tomorrow|tonight|soon|next\ (?:week|month|year|weekend|time|summer|winter|
    spring|fall|autumn|\w+day)|start(?:s|ing)\ on|appointment|booked|scheduled|signed\ up|applied)\b|['’]ll\b
    |(?:我们?|用户)[也都还]*(?:会|将|要|想|打算|计划|准备|希望|期待)|打算|计划|准备|明天|明年|下周|下个?月|周末|目标|期待|
    即将|坚持""",
    re.IGNORECASE | re.VERBOSE,
)
_LASTS = re.compile(  # what continues without an end
    r"""\b(?:vegan|vegetarian|pescatarian|allerg(?:y|ic)|intolerant|diabet(?:es|ic)|celiac|asthma|pregnant|diet|
    quit(?:ting)?|antibiotics|medication|injur(?:y|ed)|sprained|broken|surgery|recover(?:y|ing)|diagnos(?:is|ed))\b
    |素食|过敏|糖尿病|怀孕|节食|戒|脂肪肝|扭伤|受伤|康复""",
    re.IGNORECASE | re.VERBOSE,
)
# "I have a bad cold", "my flu is back"; not "I had a cold", "a cold drink", "I have cold feet".
_HAS = r"\b(?:(?:have|has|having|got|caught|catching|down with|bed with) (?:\w+ ){0,2}|(?:my|this) (?:\w+ )?)"
_NO_NOUN = r"(?=\W*$|[^\w\s]| (?:and|but|so|or|again|right|now|today|since|because|for|from|which|until|is|has)\b)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """When something is expected, both ends inclusive. `duration_days` and `duration_type` follow from them."""

    start: Time
    end: Time | None
    duration_type: str

    @property
    def duration_days(self) -> int | None:
        """Days begun: ten days from nine to nine are 10, a calendar week is 7. None without an end."""
        if self.end is None:
            return None
        return math.ceil((wall(self.end) - wall(self.start) - timedelta(seconds=1)) / _ONE_DAY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """A foresight before it has ids: `evidence` are words of `statement`, on which it rests.

    `predicted`: nobody said it, the model expects it.
    """

    text: str
    evidence: str
    statement: Remark
    window: Window
    confidence: float
    predicted: bool = False


def condition_end(sentence: str, said_at: datetime, condition_days: Mapping[str, float]) -> Time | None:
    """When an illness that the sentence mentions will be over, by `condition_days` (name: days)."""
    for condition, days in condition_days.items():
        if names_condition(sentence, [condition]):
            return timespan.stated_time(said_at + timedelta(days=days), "day")
    return None


def names_condition(sentence: str, conditions: Iterable[str]) -> bool:
    """Whether the sentence says that somebody has one of these illnesses."""
    for condition in conditions:
        name = re.escape(condition)
        pattern = name if language(condition) == "zh" else rf"{_HAS}{name}{_NO_NOUN}"
        if re.search(pattern, sentence, re.I):
            return True
    return False


def expected_window(sentence: str, message: Message, condition_days: Mapping[str, float]) -> Window | None:
    """When the sentence expects something; None if it expects nothing, or if that was over when it was said.

    Times come from its words. A duration or an illness counts from the moment it was said. Without an end, an intention
    is "ongoing" and a state is "indefinite".
    """
    at = message.local_time
    interval = timespan.validity(sentence, at)
    start, end = (at, condition_end(sentence, at, condition_days)) if interval is None else edges(interval, at)
    if end is not None and end < max(start, at):
        return None
    ahead, lasts = bool(_AHEAD.search(sentence)), bool(_LASTS.search(sentence))
    if not ahead and not lasts and (start < at or (end is None and start == at)):
        return None
    duration_type = "fixed" if end else "ongoing" if ahead else "indefinite"
    return Window(start=start, end=end, duration_type=duration_type)


def edges(interval: Interval, at: datetime) -> tuple[Time, Time | None]:
    """The beginning and last moment. A duration counted from `at` ends at its exact end.

    A week is described by its first and last day, which have the grain of a day.
    """
    days = replace(interval, grain="day") if interval.grain in _TOLD_BY_DAYS else interval
    start, end = days.stated_start or at, days.stated_end
    if end is None or (interval.start in (None, at) and wall(end).time() == at.time()):
        return start, end
    return start, replace(end, wall=end.wall - _TICK) if isinstance(end, CalendarTime) else end - _TICK


def expectations(claims: Iterable[Claim], condition_days: Mapping[str, float]) -> list[Expectation]:
    """The facts about the future, in order."""
    return [
        Expectation(
            text=claim.text,
            evidence=claim.sentence,
            statement=claim.statement,
            window=window,
            confidence=claim.confidence,
        )
        for claim in claims
        if (window := expected_window(claim.sentence, claim.statement.message, condition_days))
    ]


def most_definite(expected: Sequence[Expectation]) -> list[Expectation]:
    """The `MOST_KEPT` most definite ones, in order; what was stated is preferred, then what has an end."""
    kept = sorted(range(len(expected)), key=lambda place: _doubt(expected[place]))[:MOST_KEPT]
    return [expected[place] for place in sorted(kept)]


def _doubt(expectation: Expectation) -> tuple[bool, bool]:
    return expectation.predicted, expectation.window.end is None
