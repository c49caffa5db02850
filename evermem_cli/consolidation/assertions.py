"""What people say about themselves, read from their own words by code. No language model is involved.

English is read by the tagger. Chinese, which its vocabulary lacks, is read by wordings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache

from dateutil.relativedelta import relativedelta

from evermem_cli import timespan
from evermem_cli.consolidation.attributes import LASTING, NEVER_PLANNED
from evermem_cli.consolidation.statements import ASSERTED, assert_statements, attribute_of, is_asserted
from evermem_cli.consolidation.wordings.matching import WordingMatch, find
from evermem_cli.consolidation.wordings.stated import stated
from evermem_cli.consolidation.wordings.wording import wordings
from evermem_cli.formation.foresights import condition_end
from evermem_cli.languages.english import FUNCTION_WORDS
from evermem_cli.languages.language import language
from evermem_cli.languages.words import words_of
from evermem_cli.memory import Assertion, Fact, MemCell, Message, Role, Stance, Statement, Time, content_id
from evermem_cli.reading.decode import Passage
from evermem_cli.reading.tagger import LANGUAGES, Tagger
from evermem_cli.reading.voices import own_words

_CONFIDENCE = 0.9
_WEEK = timedelta(days=7)
_Window = tuple[Time | None, Time | None]
_STEM = 4  # letters that two words must share to count as one: "eats" and "eat"
_SHARED = 0.5  # share of an assertion's words that a fact must contain to state it


def read_assertions(
    cell: MemCell,
    statements: Mapping[str, Sequence[Statement]],
    facts: Sequence[Fact],
    condition_days: Mapping[str, float],
) -> list[Assertion]:
    """Everything that the people in a MemCell say about themselves, in order; `facts` are those formed from it.

    `statements` are those read from each message, by its id; a message that was not read is missing there.
    `condition_days` is how long an illness lasts if its end is not stated.
    """
    assertions: dict[str, Assertion] = {}
    for message in cell.messages:
        if message.role is Role.ASSISTANT:
            continue
        own = [fact for fact in facts if message.id in fact.message_ids]
        if language(message.text) in LANGUAGES:
            said = [
                replace(assertion, fact_ids=tuple(fact.id for fact in own if _has_words(fact, assertion.value)))
                for assertion in assert_statements(message, statements.get(message.id, ()), condition_days)
            ]
        else:
            said = [_assertion(match, message, own, condition_days) for match in find(stated(own_words(message.text)))]
        for assertion in _until_well(said):
            assertions.setdefault(assertion.id, assertion)
    return list(assertions.values())


def _until_well(said: Sequence[Assertion]) -> list[Assertion]:
    """The assertions of one message. Restrictions without an end of their own end with the illness."""
    ends = [assertion.invalid_at for assertion in said if assertion.attribute == "health" and assertion.invalid_at]
    well = max(ends, default=None)
    return [
        replace(assertion, invalid_at=well)
        if assertion.attribute == "restrictions" and not assertion.invalid_at
        else assertion
        for assertion in said
    ]


def asserted(sentence: str) -> list[tuple[str, str]]:
    """The attributes and values that a sentence would assert of its speaker."""
    if not sentence:
        return []
    if language(sentence) in LANGUAGES:
        [statements] = _tagger().read([Passage("", sentence, "")])
        return [
            (attribute_of(statement), statement.value)
            for statement in statements
            if is_asserted(statement) and ASSERTED.get(statement.stance) is Stance.HOLDS
        ]
    return [
        (match.wording.attribute, match.value)
        for match in find(stated(sentence))
        if match.wording.stance is Stance.HOLDS
    ]


@cache
def _tagger() -> Tagger:
    return Tagger()


def _assertion(
    match: WordingMatch, message: Message, facts: Sequence[Fact], condition_days: Mapping[str, float]
) -> Assertion:
    """The assertion for a match, made by the writer of the message."""
    start, end = _times(match, message, condition_days)
    start = start or message.local_time
    return Assertion(
        id=content_id("assertion", message.id, match.wording.attribute, match.value, match.wording.stance),
        user_id=message.user_id,
        attribute=match.wording.attribute,
        value=match.value,
        stance=match.wording.stance,
        valid_at=start,
        invalid_at=end if end and end > start else None,
        said_at=message.local_time,
        confidence=_CONFIDENCE,
        message_ids=(message.id,),
        fact_ids=tuple(fact.id for fact in facts if _has_words(fact, match.words)),
    )


def _times(match: WordingMatch, message: Message, condition_days: Mapping[str, float]) -> _Window:
    """The period stated in the clause, else in the sentence."""
    at = message.local_time
    start, end = _told_times(match, at, condition_days)
    if match.wording.attribute in LASTING:
        end = None
    if match.wording.attribute in NEVER_PLANNED and start and start > at:
        start = None
    return start, end


def _told_times(match: WordingMatch, at: datetime, condition_days: Mapping[str, float]) -> _Window:
    """The same for any attribute.

    A date alone is the beginning, not the duration. A weekday or holiday in a past clause is the most recent one.
    """
    own = timespan.validity(match.clause, at)
    if own is None and match.wording.attribute == "health":
        end = condition_end(match.clause, at, condition_days)
        if end:
            return None, end
    text = match.clause if own else match.sentence
    interval = own or timespan.validity(text, at)
    if interval is None:
        return None, None
    if interval.start is None or all(span.interval != interval for span in timespan.find(text, at)):
        return interval.stated_start, interval.stated_end
    return timespan.stated_time(_dated(match, text, interval.start, at), interval.grain), None


def _dated(match: WordingMatch, text: str, start: datetime, at: datetime) -> datetime:
    """The period that begins on the date in a text."""
    if start > at and not any(sign.isdigit() for sign in text) and wordings().past.search(match.words):
        return start - (_WEEK if start - at <= _WEEK else relativedelta(years=1))
    return start


def _has_words(fact: Fact, words: str) -> bool:
    """Whether a fact contains enough of the words."""
    said, in_fact = _stems(words), _stems(fact.atomic_fact)
    return bool(said) and len(said & in_fact) >= _SHARED * len(said)


def content_prefixes(text: str) -> frozenset[str]:
    """The content words of a text, cut to the letters that identify them."""
    return frozenset(_stems(text))


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in words_of(text) if word not in FUNCTION_WORDS}
