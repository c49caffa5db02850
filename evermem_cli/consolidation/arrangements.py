"""Arrangements: when a meeting is, what tickets cost, and the like.

Such an assertion has an attribute like "the meeting day" and belongs to no profile. It concerns the same thing only
within one chain of scenes: a meeting in another chain is another meeting.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from evermem_cli import timespan
from evermem_cli.consolidation.attributes import ARRANGEMENT, is_arrangement
from evermem_cli.consolidation.history import history
from evermem_cli.formation.sentences.statements import is_question, split_sentences
from evermem_cli.languages.language import language
from evermem_cli.memory import Assertion, Fact, MemCell, Message, ProfileFact, Role, Stance, Time, content_id
from evermem_cli.reading.voices import own_words

_CONFIDENCE = 0.8
_THING = {
    "en": re.compile(
        r"\b(?:the|my|our)\s(?P<thing>(?:[a-z]+\s){0,2}?[a-z]{3,})\s"
        r"(?:(?:(?:is|was|has\sbeen|got|had\sto\sbe)\s)?(?:now\s)?"
        r"(?:move[sd]|changed|postponed|rescheduled|pushed\sback|brought\sforward|raised|reduced|went\sup|went\sdown)"
        r"(?:\s(?:from\s[^,.;]{1,20}?\s)?to)?|"
        r"is|are|will\sbe|starts?|begins?|costs?|leaves?|departs?|arrives?|closes|opens|takes\splace)\s(?:now\s|still\s|on\s|at\s|only\s|in\s)*(?P<told>(?:[^,.;!?]|[.,](?=\d)){1,40})",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"(?P<thing>会议|考试|面试|聚会|婚礼|手术|航班|火车|比赛|演出|房租|门票|学费|课|讲座|预约)"
        r"(?:是|在|改到了?|推迟到了?|提前到了?|定在了?|涨到了?|降到了?|从[^，。]{1,10}开始|要)(?P<told>[^，。！？]{1,20})"
    ),
}
_UNSURE = re.compile(
    r"\b(?:might|(?-i:may)|maybe|perhaps|could|would|should|if|unless|not|hope\w*|wish\w*|think|guess|about|around|probably|"
    r"usually|always|almost|another|same)\b|可能|也许|如果|大概|不",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"\b(?:\d{1,2}[:.]\d{2}(?:\s?[ap]m)?|\d{1,2}\s?[ap]m|noon|midnight|"
    r"(?:half\spast\s)?(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?=$|,|\s(?:o'clock|instead|now|sharp|on)\b))"
    r"|[一二三四五六七八九十\d]{1,3}点半?",
    re.IGNORECASE,
)
_PRICE = re.compile(
    r"[£$€]\s?\d[\d,.]*k?|\d[\d,.]*\s?(?:euros?|dollars?|pounds?|quid|eur|usd|gbp|块|元)\b", re.IGNORECASE
)


def read_arrangements(cell: MemCell, facts: Sequence[Fact]) -> list[Assertion]:
    """What the people in a MemCell say about dates and prices; `facts` are those formed from it."""
    assertions: dict[str, Assertion] = {}
    for message in cell.messages:
        if message.role is not Role.ASSISTANT:
            own = [fact for fact in facts if message.id in fact.message_ids]
            for assertion in _of_message(message, own):
                assertions.setdefault(assertion.id, assertion)
    return list(assertions.values())


def arranged(assertions: Sequence[Assertion], chains: Mapping[str, str]) -> Iterator[tuple[str, list[ProfileFact]]]:
    """The history of each arrangement that one person mentioned.

    `chains` gives the first scene of each scene's chain.
    """
    groups: dict[tuple[str, str], list[Assertion]] = {}
    for assertion in filter(is_arrangement, assertions):
        if assertion.scene_id and assertion.scene_id in chains:
            groups.setdefault((assertion.attribute, chains[assertion.scene_id]), []).append(assertion)
    for (attribute, _), group in sorted(groups.items()):
        yield attribute, history(attribute, group)


def _of_message(message: Message, facts: Sequence[Fact]) -> Iterator[Assertion]:
    for statement in split_sentences(own_words(message.text)):
        if is_question(statement):
            continue
        for match in _THING[language(statement)].finditer(statement):
            if _UNSURE.search(match[0]):
                continue
            thing = " ".join(match["thing"].lower().split())
            for aspect, value, end in _aspects(match["told"], message.local_time):
                yield Assertion(
                    id=content_id("assertion", message.id, thing, aspect, value),
                    user_id=message.user_id,
                    attribute=f"{ARRANGEMENT}{thing} {aspect}",
                    value=value,
                    stance=Stance.HOLDS,
                    valid_at=message.local_time,
                    invalid_at=end,
                    said_at=message.local_time,
                    confidence=_CONFIDENCE,
                    message_ids=(message.id,),
                    fact_ids=tuple(fact.id for fact in facts if thing in fact.atomic_fact.lower()),
                )


def _aspects(text: str, at: datetime) -> Iterator[tuple[str, str, Time | None]]:
    """The day, time of day and price in a text, and until when each can be true: a day is past once it is over."""
    without_clock = _CLOCK.sub(" ", text)  # with its time of day, "Friday at three" is an hour
    days = [span for span in timespan.find(without_clock, at, ahead=True) if span.interval.grain == "day"]
    for span in days[:1]:
        if span.interval.start and span.interval.end and span.interval.end > at:
            yield "day", f"{span.interval.start:%Y-%m-%d}", span.interval.stated_end
    if clock := _CLOCK.search(text):
        yield "time", clock[0].lower(), None
    if price := _PRICE.search(text):
        yield "price", price[0], None
