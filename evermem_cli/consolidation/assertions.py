"""What people say of themselves, read from their own words by code: no model guesses at a profile."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from evermem_cli import timespan
from evermem_cli.consolidation.attributes import key
from evermem_cli.consolidation.wording import Wording, Wordings, wordings
from evermem_cli.formation.english import FUNCTION_WORDS
from evermem_cli.formation.statements import is_question, split_sentences
from evermem_cli.language import language, searchable
from evermem_cli.memory import Assertion, Fact, MemCell, Message, Role, content_id

_CONFIDENCE = 0.9
_ACCEPTED = re.compile(r"\b(?:accept\w*|signed|took|said yes)\b|接受|签", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_STEM = 4  # letters that tell "eats" and "eat" to be the same
_SHARED = 0.5  # of an assertion's words must stand in a fact that states it


@dataclass(frozen=True, slots=True)
class _Found:
    """A wording in a sentence, with the value it gives."""

    wording: Wording
    value: str
    words: str
    sentence: str


def read_assertions(cell: MemCell, facts: Sequence[Fact]) -> list[Assertion]:
    """Everything that the people of a MemCell say of themselves, in order; `facts` are those formed of it."""
    dates = {message.id: list(_future_dates(message)) for message in cell.messages}
    found: dict[str, Assertion] = {}
    for message in cell.messages:
        if message.role is Role.ASSISTANT:
            continue
        own = [fact for fact in facts if message.id in fact.message_ids]
        later = dates[message.id] or [
            date for other in cell.messages if other.speaker == message.speaker for date in dates[other.id]
        ]
        for each in _found(message.text):
            assertion = _assertion(each, message, min(later, default=None), own)
            if assertion:
                found.setdefault(assertion.id, assertion)
    return list(found.values())


def _found(text: str) -> Iterator[_Found]:
    for sentence in split_sentences(text.replace("’", "'").replace("‘", "'")):
        if not is_question(sentence):
            spoken = wordings(language(sentence))
            yield from _most_telling(list(_matches(sentence, spoken)))
            yield from _named(sentence, spoken)


def _matches(sentence: str, spoken: Wordings) -> Iterator[_Found]:
    for wording in spoken.wordings:
        for match in wording.pattern.finditer(sentence):
            if _is_own(sentence, match, spoken):
                yield _Found(wording, match.expand(wording.value).strip(" .,'"), match[0], sentence)


def _named(sentence: str, spoken: Wordings) -> Iterator[_Found]:
    """ "My favourite film is Alien": the words before "is" name the attribute."""
    for match in spoken.own_words.finditer(sentence):
        if not spoken.hedge.search(_clause(sentence, match.start(), match.end(), spoken)):
            attribute = re.sub(r"\s+", "_", match["a"].lower()).replace("favorite", "favourite")
            wording = Wording(re.sub(r"^fav_", "favourite_", attribute), spoken.own_words)
            yield _Found(wording, match["v"].strip(), match[0], sentence)


def _is_own(sentence: str, match: re.Match[str], spoken: Wordings) -> bool:
    """Whether the words are the speaker's own, and told as true: no wish, no condition, nobody else's."""
    if spoken.hedge.search(_clause(sentence, match.start(), match.end(), spoken)):
        return False
    if spoken.negation.search(_clause(sentence, match.start(), match.start(), spoken)):
        return False
    if spoken.self.match(match[0].lstrip(" ,;:.!–—-")):
        return True
    before = sentence[: match.start()]
    others = _last(spoken.others, before)
    return others < 0 or others < _last(spoken.self, before)


def _last(pattern: re.Pattern[str], text: str) -> int:
    return max((match.start() for match in pattern.finditer(text)), default=-1)


def _clause(sentence: str, start: int, end: int, spoken: Wordings) -> str:
    """The clause that begins before `start`, up to `end`."""
    boundaries = [match.end() for match in spoken.clause.finditer(sentence) if match.end() <= start]
    return sentence[boundaries[-1] if boundaries else 0 : end]


def _most_telling(found: Sequence[_Found]) -> list[_Found]:
    """The longest of values that overlap; of the same value the planned one, which has more to it."""
    kept: list[_Found] = []
    for each in sorted(found, key=lambda one: (-len(one.value), not one.wording.planned)):
        words = key(each.wording.attribute, each.value)
        covered = any(
            one.wording.attribute == each.wording.attribute
            and one.wording.stance is each.wording.stance
            and words <= key(one.wording.attribute, one.value)
            for one in kept
        )
        if not covered:
            kept.append(each)
    return kept


def _assertion(found: _Found, message: Message, later: datetime | None, facts: Sequence[Fact]) -> Assertion | None:
    wording = found.wording
    start, end = _times(found.sentence, message)
    if wording.planned and (start is None or start <= message.said_at):
        start = later or (message.said_at if _ACCEPTED.search(found.sentence) else None)
        if start is None:
            return None
    valid_at = start or message.said_at
    return Assertion(
        id=content_id("assertion", message.id, wording.attribute, found.value, wording.stance),
        user_id=message.user_id,
        attribute=wording.attribute,
        value=found.value,
        stance=wording.stance,
        valid_at=valid_at,
        invalid_at=end if end and end > valid_at else None,
        said_at=message.said_at,
        confidence=_CONFIDENCE,
        message_ids=(message.id,),
        fact_ids=tuple(fact.id for fact in facts if _states(fact, found)),
    )


def _times(sentence: str, message: Message) -> tuple[datetime | None, datetime | None]:
    """From when, and until when, by the words of the sentence; a date alone is when it began, not how long it lasts."""
    interval = timespan.validity(sentence, message.local_time)
    if interval is None:
        return None, None
    dated = any(span.interval == interval for span in timespan.find(sentence, message.local_time))
    start, end = interval.start, interval.end
    if dated and start is not None:
        end = None
    return start and start.astimezone(UTC), end and end.astimezone(UTC)


def _future_dates(message: Message) -> Iterator[datetime]:
    for span in timespan.find(message.text, message.local_time):
        start = span.interval.start
        if start is not None and start > message.local_time:
            yield start.astimezone(UTC)


def _states(fact: Fact, found: _Found) -> bool:
    """Whether the fact says what the words say."""
    said, told = _stems(found.words), _stems(fact.atomic_fact)
    return bool(said) and len(said & told) >= _SHARED * len(said)


def _stems(text: str) -> set[str]:
    words = _WORD.findall(searchable(text))
    return {word[:_STEM] for word in words if word not in FUNCTION_WORDS}
