"""Answers since when, until when and how long something holds: "How long have I been vegan?"."""

from datetime import datetime

from evermem_cli.consolidation.attributes import translated
from evermem_cli.memory import ProfileFact, moment_in
from evermem_cli.reading.statements.labels import Asks, Era
from evermem_cli.recollection.dates import since_when
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.notes import Note, looked_up
from evermem_cli.recollection.people.histories import Histories, holding
from evermem_cli.recollection.questions.form import Form
from evermem_cli.recollection.questions.profile_question import ProfileQuestion
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

# The longest unit that fits twice gives the length; rounded, so "about".
_UNITS = ((365.25, "year", "年"), (30.44, "month", "个月"), (7.0, "week", "周"), (1.0, "day", "天"))
_SINCE = {"en": "since {}", "zh": "{}起"}
_AT_LEAST = {"en": "at least since {}", "zh": "至少从{}起"}
_UNTIL = {"en": "until {}", "zh": "到{}为止"}
_ABOUT = {"en": "about {} {}s", "zh": "约{}{}"}


def tell_duration(question: Question, recollection: Recollection) -> Answer | None:
    """Since when the value holds, or until when it did; None where no such value is known."""
    now = recollection.memory.now
    if not question.profile.asks_for(Asks.TIME):
        return None
    needs_told = question.form is Form.DATE and question.profile.era is Era.THEN
    notes = [
        note
        for known in recollection.known_of(question)
        if (note := _note(question.profile, known, now, needs_told=needs_told))
    ]
    return answer_from(notes[:1], question, recollection)


def _note(question: ProfileQuestion, known: Histories, now: datetime, *, needs_told: bool) -> Note | None:
    """The periods of the values that are meant; with `needs_told` only of those whose beginning was told."""
    begun = [fact for fact in known.get(question.attribute, ()) if fact.valid_at is None or fact.valid_at <= now]
    alike = question.supposed(question.attribute, begun)
    if not alike and (question.narrow or not question.supposes_any):
        return None
    is_any = not alike and not question.asks_for_any
    alike = alike or begun
    present = holding(alike, now) or alike[-1:]
    timed = [fact for fact in present if _is_timed(fact, of_the_end=question.of_the_end, needs_told=needs_told)]
    if not timed or (is_any and len(timed) > 1):
        return None
    return looked_up("; ".join(_lasting(fact, now, question.language) for fact in timed), timed, now)


def _is_timed(fact: ProfileFact, *, of_the_end: bool, needs_told: bool) -> bool:
    """Whether it is known when a value began, or ended if the question is `of_the_end`."""
    if needs_told and not of_the_end and _is_undated(fact):
        return False
    return bool(fact.invalid_at or (fact.valid_at and not of_the_end))


def _is_undated(fact: ProfileFact) -> bool:
    """Whether a value was told without a beginning; it may be older than its message."""
    return fact.valid_at == fact.said_at


def _lasting(fact: ProfileFact, now: datetime, tongue: str) -> str:
    """A value with its period."""
    parts = []
    if fact.valid_at:
        dated = _AT_LEAST if _is_undated(fact) else _SINCE
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
