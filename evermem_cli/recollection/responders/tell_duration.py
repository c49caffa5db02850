"""Answers since when, until when and how long something holds: "How long have I been vegan?"."""

from collections.abc import Iterator
from datetime import datetime

from evermem_cli.consolidation.attributes import key, same, translated
from evermem_cli.languages.words import words_of
from evermem_cli.memory import ProfileFact, moment_in
from evermem_cli.recollection.dates import since_when
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.histories import Histories, holding
from evermem_cli.recollection.notes import Note, looked_up
from evermem_cli.recollection.questions.durations import DurationQuestion
from evermem_cli.recollection.questions.polar import supposed
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

_OWNED = ("pets", "car", "contacts")
# The longest unit that fits twice gives the length; rounded, so "about".
_UNITS = ((365.25, "year", "年"), (30.44, "month", "个月"), (7.0, "week", "周"), (1.0, "day", "天"))
_SINCE = {"en": "since {}", "zh": "{}起"}
_AT_LEAST = {"en": "at least since {}", "zh": "至少从{}起"}
_UNTIL = {"en": "until {}", "zh": "到{}为止"}
_ABOUT = {"en": "about {} {}s", "zh": "约{}{}"}


def tell_duration(question: Question, recollection: Recollection) -> Answer | None:
    """Since when the value holds, or until when it did; None where no such value is known."""
    duration, now = question.profile.duration, recollection.memory.now
    if duration is None:
        return None
    people = recollection.histories.items()
    notes = [note for name, known in people if (note := _note(duration, name, known, question.language, now))]
    return answer_from(notes[:1], question, recollection)


def _note(duration: DurationQuestion, name: str, known: Histories, tongue: str, now: datetime) -> Note | None:
    for attribute, value_key in _meant(duration, name, known):
        begun = [fact for fact in known.get(attribute, ()) if fact.valid_at is None or fact.valid_at <= now]
        alike = [fact for fact in begun if same(attribute, key(attribute, fact.value), value_key)]
        facts = holding(alike, now) or alike[-1:]
        timed = [fact for fact in facts if fact.invalid_at or (fact.valid_at and not duration.of_the_end)]
        if timed:
            return looked_up("; ".join(_lasting(fact, now, tongue) for fact in timed), timed, now)
    return None


def _meant(duration: DurationQuestion, name: str, known: Histories) -> Iterator[tuple[str, frozenset[str]]]:
    """The attributes and values asked about. A possession may be called by its name: "do I have Biscuit"."""
    yield from ((attribute, key(attribute, value)) for attribute, value, _ in supposed(duration.polar, name, known))
    if attribute := duration.attribute(name):
        yield attribute, frozenset()
    if called := duration.owned(name):
        for attribute in _OWNED:
            for fact in known.get(attribute, ()):
                if called <= set(words_of(fact.value)):
                    yield attribute, key(attribute, fact.value)


def _lasting(fact: ProfileFact, now: datetime, tongue: str) -> str:
    """A value with its period. A value stated without a time may be older than its message."""
    parts = []
    if fact.valid_at:
        dated = _SINCE if fact.valid_at != fact.said_at else _AT_LEAST
        parts.append(dated[tongue].format(since_when(fact.valid_at, tongue)))
    if fact.invalid_at:
        parts.append(_UNTIL[tongue].format(since_when(fact.invalid_at, tongue)))
    elif fact.valid_at:
        parts.append(_length((now - moment_in(fact.valid_at, now.tzinfo)).days, tongue))
    value, times = translated(fact.value, tongue), [part for part in parts if part]
    return f"{value}：{'，'.join(times)}" if tongue == "zh" else f"{value}: {', '.join(times)}"


def _length(days: int, tongue: str) -> str:
    """The number of days in the longest unit that fits twice; "" for less than two days."""
    for length, english, chinese in _UNITS:
        if days >= 2 * length:
            return _ABOUT[tongue].format(round(days / length), chinese if tongue == "zh" else english)
    return ""
