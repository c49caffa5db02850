"""Foresights of a MemCell: what is to be expected, in the model's words; evidence and time are found by code."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from evermem_cli import prompts, timespan
from evermem_cli.engines import Request
from evermem_cli.formation.clarity import is_clear
from evermem_cli.formation.facts import Telling
from evermem_cli.formation.ground import Source
from evermem_cli.language import language
from evermem_cli.memory import Message

MOST_KEPT = 10  # of one MemCell and owner
_MOST_ASKED = 14  # sentences put to the model at once
_TOKENS = 40
_SUPPORT = 0.6  # share of a foresight's words that its message must hold; an expectation may add some of its own
_ONE_DAY = timedelta(days=1)
_TICK = timedelta(milliseconds=1)  # the last moment of a day stands for the whole day

_AHEAD = re.compile(
    r"""\b(?:will|won['’]t|gonna|going\ to|about\ to|plan(?:s|ning)?\ (?:to|on|a)|hop(?:e|es|ing)\ to|wants?\ to|
    needs?\ to|ha(?:ve|s)\ to(?!\ (?:say|tell|admit|agree))|aim(?:s|ing)?\ (?:to|for)|intends?\ to|
    thinking\ (?:about|of)|consider(?:s|ing)|tr(?:y|ies|ying)\ to|looking\ (?:forward|into)|working\ (?:on|towards?)|
    would\ (?:like|love)\ to|can['’]t\ wait|supposed\ to|due|
    deadline|goals?|dream\ of|upcoming|tomorrow|tonight|soon|next\ (?:week|month|year|weekend|time|summer|winter|
    spring|fall|autumn|\w+day)|start(?:s|ing)\ on|appointment|booked|scheduled|signed\ up|applied)\b|['’]ll\b
    |(?:我们?|用户|等人)[也都还]*(?:会|将|要|想|打算|计划|准备|希望|期待)|打算|计划|准备|明天|明年|下周|下个?月|周末|目标|期待|
    即将|坚持""",
    re.IGNORECASE | re.VERBOSE,
)
_LASTS = re.compile(  # what holds on without an end
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
    """When something is expected, both ends inclusive, UTC; `duration_days` and `duration_type` follow from them."""

    start: datetime
    end: datetime | None
    duration_type: str

    @property
    def duration_days(self) -> int | None:
        """Days begun, so ten days from nine to nine are 10 and a calendar week is 7; None without an end."""
        return None if self.end is None else math.ceil((self.end - self.start - timedelta(seconds=1)) / _ONE_DAY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect:
    """A sentence that bears on the future: as it stands in the message, and in the third person."""

    telling: Telling
    evidence: str
    told: str
    window: Window

    @property
    def message(self) -> Message:
        """Where the evidence stands."""
        return self.telling.statement.message


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """A grounded foresight, before it has ids."""

    text: str
    prospect: Prospect
    confidence: float


def condition_end(sentence: str, said_at: datetime, condition_days: Mapping[str, float]) -> datetime | None:
    """When an illness that the sentence says its speaker has will be over, by `condition_days` (name: days)."""
    for condition, days in condition_days.items():
        name = re.escape(condition)
        pattern = name if language(condition) == "zh" else rf"{_HAS}{name}{_NO_NOUN}"
        if re.search(pattern, sentence, re.I):
            return said_at + timedelta(days=days)
    return None


def expected_window(sentence: str, message: Message, condition_days: Mapping[str, float]) -> Window | None:
    """When the sentence expects something, None if it does not or if that was over when it was said.

    Times come from its words; a length of time and an illness count from the moment it was said. Without an end, what
    is intended is "ongoing" and what simply holds is "indefinite".
    """
    at = message.local_time
    interval = timespan.validity(sentence, at)
    start = at if interval is None or interval.start is None else interval.start
    end = None if interval is None or interval.end is None else _inclusive(interval.end, start, at)
    if interval is None:
        end = condition_end(sentence, at, condition_days)
    if end is not None and end < max(start, at):
        return None
    ahead, lasts = bool(_AHEAD.search(sentence)), bool(_LASTS.search(sentence))
    if not ahead and not lasts and (start < at or (end is None and start == at)):
        return None
    duration_type = "fixed" if end else "ongoing" if ahead else "indefinite"
    return Window(start=start.astimezone(UTC), end=end and end.astimezone(UTC), duration_type=duration_type)


def _inclusive(end: datetime, start: datetime, at: datetime) -> datetime:
    """The last moment before `end`; a length of time counted from `at` ends at its very end."""
    counted = start == at and end.timetz() == at.timetz()
    return end if counted else end - _TICK


def find_prospects(tellings: Sequence[Telling], condition_days: Mapping[str, float]) -> list[Prospect]:
    """The sentences that bear on the future, in order."""
    return [
        Prospect(telling=telling, evidence=sentence, told=told, window=window)
        for telling in tellings
        for sentence, told in zip(telling.statement.sentences, telling.told, strict=True)
        if (window := expected_window(sentence, telling.statement.message, condition_days))
    ]


def foresight_request(prospects: Sequence[Prospect]) -> Request | None:
    """The one request of a MemCell; None if nothing bears on the future."""
    if not prospects:
        return None
    spoken = prospects[0].telling.language
    mark = "：" if spoken == "zh" else ": "
    lines = [
        f"{number}. {prospect.telling.name}{mark}{prospect.told}" for number, prospect in enumerate(prospects, start=1)
    ]
    system, user = prompts.fill("foresights", spoken, statements="\n".join(lines))
    names = "|".join(re.escape(name) for name in dict.fromkeys(prospect.telling.name for prospect in prospects))
    line = rf"\d{{1,2}}\. (?:{names})[^\n]{{3,200}}"
    pattern = rf"{line}(?:\n{line}){{0,{len(prospects) - 1}}}" if len(prospects) > 1 else line
    return Request(system=system, user=user, max_tokens=_TOKENS * (len(prospects) + 1), pattern=pattern)


def choose_prospects(prospects: Sequence[Prospect]) -> list[Prospect]:
    """As many as are asked of the model at once: those with an end before those without, then in order."""
    return sorted(sorted(prospects, key=lambda prospect: prospect.window.end is None)[:_MOST_ASKED], key=_order)


def _order(prospect: Prospect) -> tuple[int, int]:
    sentences = prospect.telling.statement.sentences
    return prospect.message.ordinal, sentences.index(prospect.evidence)


def ground_foresights(
    proposed: Sequence[tuple[int, str]], prospects: Sequence[Prospect]
) -> tuple[list[Expectation], int]:
    """The foresights that hold, and how many were dropped.

    Where the model's words are not supported, the sentence itself is the foresight if it is clear.
    """
    kept: dict[str, Expectation] = {}
    dropped = 0
    for number, text in proposed:
        expectation = _expectation(text, _meant(number, text, prospects)) if 1 <= number <= len(prospects) else None
        if expectation is None:
            dropped += 1
        else:
            kept.setdefault(expectation.text, expectation)
    return list(kept.values()), dropped


def _meant(number: int, text: str, prospects: Sequence[Prospect]) -> Prospect:
    """The sentence that the text is about: the one of its number unless another has more of its words."""
    return max(
        prospects,
        key=lambda prospect: (Source([prospect.told], frozenset()).confidence(text), prospect is prospects[number - 1]),
    )


def _expectation(proposed: str, prospect: Prospect) -> Expectation | None:
    telling = prospect.telling
    text = re.sub(rf"^{re.escape(telling.name)}\s*[:：]\s*", "", proposed)
    source = telling.source
    if source.supports_mostly(text, _SUPPORT) and is_clear(text, telling.name):
        return Expectation(text=text, prospect=prospect, confidence=source.confidence(text))
    if is_clear(prospect.told, telling.name):
        return Expectation(text=prospect.told, prospect=prospect, confidence=1.0)
    return None
