"""Builds the history of an attribute from assertions: what held when, and what contradicted what.

A pure function of the set of assertions: the order of reading does not matter, and without later assertions the result
is the history as known on an earlier day.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from math import prod

from dateutil.relativedelta import relativedelta

from evermem_cli.consolidation.attributes import (
    ENDS_WITH,
    REMEMBERED,
    SEVERAL,
    TIES,
    amount,
    implies,
    is_arrangement,
    is_outgrown,
    key,
    may_be_translation,
    replaces,
    same,
)
from evermem_cli.languages.english import begins_in_past
from evermem_cli.memory import Assertion, Conflict, ProfileFact, Stance, Time, content_id, wall

OFFER_STANDS = timedelta(days=60)
# The confidence at which an end proves that something had held before, and a partner that somebody is single no more.
SURE = 0.75


@dataclass(slots=True)
class _Span:
    """A value that holds, while the history is being built."""

    key: frozenset[str]
    start: Time | None
    end: Time | None
    assertions: list[Assertion] = field(default_factory=list)
    ended_by: list[Assertion] = field(default_factory=list)

    @property
    def value(self) -> str:
        """The value as first stated."""
        return self.assertions[0].value

    @property
    def certainty(self) -> float:
        """How likely it was stated at all: not all of its assertions were misread."""
        return 1 - prod(1 - assertion.confidence for assertion in self.assertions)


def histories(assertions: Iterable[Assertion]) -> dict[str, list[ProfileFact]]:
    """Each attribute's values for one person, oldest first. `assertions` are all of that person's.

    An offer may be read doubtfully: it counts only when it is accepted, which tells that there was one.
    """
    known = (
        assertion
        for assertion in assertions
        if (assertion.sure or assertion.stance is Stance.OFFERED)
        and assertion.attribute not in TIES
        and not is_arrangement(assertion)
    )
    grouped = _by_attribute(known)
    for attribute, others in ENDS_WITH.items():
        for ended in _general_ends(grouped.get(attribute, ())):
            for other in others:
                if other in grouped:
                    grouped[other].append(ended)
    if "relationship" in grouped:
        grouped["relationship"] += _no_longer_single(grouped.get("partner", ()))
    return {attribute: history(attribute, group) for attribute, group in grouped.items()}


def ties(assertions: Iterable[Assertion]) -> dict[str, list[ProfileFact]]:
    """The same for relationships to other people, places and things."""
    grouped = _by_attribute(assertion for assertion in assertions if assertion.sure and assertion.attribute in TIES)
    return {attribute: history(attribute, group) for attribute, group in grouped.items()}


def _by_attribute(assertions: Iterable[Assertion]) -> dict[str, list[Assertion]]:
    known = sorted(assertions, key=lambda assertion: assertion.attribute)
    return {attribute: list(group) for attribute, group in groupby(known, key=lambda assertion: assertion.attribute)}


def _general_ends(assertions: Iterable[Assertion]) -> list[Assertion]:
    """Statements that end whatever held: "I quit my job"."""
    return [assertion for assertion in assertions if assertion.stance is Stance.ENDED and not assertion.value]


def _no_longer_single(partners: Iterable[Assertion]) -> list[Assertion]:
    return [
        replace(assertion, attribute="relationship", value="single", stance=Stance.ENDED)
        for assertion in partners
        if assertion.stance is Stance.HOLDS and assertion.confidence >= SURE
    ]


def history(attribute: str, assertions: Sequence[Assertion]) -> list[ProfileFact]:
    """The values of one attribute of one person, oldest first."""
    spans: list[_Span] = []
    for assertion in sorted(_replanned(attribute, _taken(assertions)), key=_order):
        start = assertion.valid_at or assertion.said_at
        words = key(attribute, assertion.value)
        open_now = [span for span in spans if span.end is None or span.end > start]
        if assertion.stance is Stance.ENDED:
            if not _end(attribute, assertion, words, start, open_now):
                spans[:] = _with_past(attribute, assertion, words, start, spans)
        elif (span := _matching(attribute, words, open_now)) is not None:
            span.assertions.append(assertion)
            span.key |= words
            ends = [assertion for assertion in span.assertions if assertion.invalid_at]
            span.end = max(ends, key=lambda assertion: assertion.said_at).invalid_at if ends else span.end
        elif (span := _implying(attribute, assertion.value, open_now)) is not None:
            span.assertions.append(replace(assertion, value=span.value))
        else:
            _close([other for other in open_now if replaces(attribute, assertion.value, other.value)], start, assertion)
            spans.append(_Span(words, start, assertion.invalid_at, [assertion]))
    return [_fact(attribute, span) for span in spans if span.end is None or span.end != span.start]


def _order(assertion: Assertion) -> tuple[datetime, bool, datetime, str]:
    """By time of validity. At the same moment ends come first; what was said later comes last."""
    start = wall(assertion.valid_at or assertion.said_at)
    return start, assertion.stance is Stance.HOLDS, assertion.said_at, assertion.id


def _replanned(attribute: str, assertions: Sequence[Assertion]) -> list[Assertion]:
    """Drops plans that were cancelled or moved to another day before they began."""
    changes = [assertion for assertion in assertions if assertion.stance is Stance.ENDED or _begins_later(assertion)]

    def is_off(plan: Assertion) -> bool:
        return _begins_later(plan) and any(
            plan.said_at < change.said_at <= (plan.valid_at or plan.said_at)
            and plan.valid_at != change.valid_at
            and same(attribute, key(attribute, plan.value), key(attribute, change.value))
            for change in changes
            if change.value
        )

    return [assertion for assertion in assertions if assertion.stance is Stance.ENDED or not is_off(assertion)]


def _begins_later(assertion: Assertion) -> bool:
    return assertion.valid_at is not None and assertion.valid_at > assertion.said_at


def _matching(attribute: str, words: frozenset[str], spans: Sequence[_Span]) -> _Span | None:
    return next((span for span in spans if same(attribute, span.key, words)), None)


def _implying(attribute: str, value: str, spans: Sequence[_Span]) -> _Span | None:
    return next((span for span in spans if implies(attribute, span.value, value)), None)


def _taken(assertions: Sequence[Assertion]) -> list[Assertion]:
    """Assertions that something holds or ended; an accepted offer takes the value of the last offer before it."""
    offers = sorted(
        (assertion for assertion in assertions if assertion.stance is Stance.OFFERED),
        key=lambda assertion: assertion.said_at,
    )
    holding = [assertion for assertion in assertions if assertion.stance in (Stance.HOLDS, Stance.ENDED)]
    # A denial ends what was held to be true, and says nothing about earlier times.
    holding += [
        replace(assertion, stance=Stance.ENDED, confidence=0.0)
        for assertion in assertions
        if assertion.stance is Stance.DENIED
    ]
    for acceptance in (assertion for assertion in assertions if assertion.stance is Stance.TAKEN):
        accepted = [offer for offer in offers if timedelta() <= acceptance.said_at - offer.said_at <= OFFER_STANDS]
        if accepted:
            holding.append(
                replace(
                    acceptance,
                    value=accepted[-1].value,
                    stance=Stance.HOLDS,
                    message_ids=tuple(dict.fromkeys((*accepted[-1].message_ids, *acceptance.message_ids))),
                )
            )
    return holding


def _end(attribute: str, ended: Assertion, words: frozenset[str], at: Time, spans: Sequence[_Span]) -> bool:
    """Ends the value that is named, or any value if none is named; False where the named value is unknown."""
    anything = not ended.value or ended.attribute != attribute
    ending = spans if anything else [span for span in spans if same(attribute, span.key, words)]
    _close(ending, at, ended)
    return anything or bool(ending)


def _with_past(
    attribute: str, ended: Assertion, words: frozenset[str], at: Time, spans: Sequence[_Span]
) -> list[_Span]:
    """The values with one that is first mentioned when it is over: it held from an unknown day on.

    It did not hold while another value did. Where another one holds and no day of the end was told, it was over before
    all that is known. "Sold the car" tells how something ended, and nothing that held.
    """
    if attribute not in REMEMBERED or ended.confidence < SURE or begins_in_past(ended.value):
        return [*spans]
    if attribute in SEVERAL:
        return [*spans, _Span(words, None, at, [ended])]
    if all(span.end is not None and span.end <= at for span in spans):
        return [*spans, _Span(words, max((span.end for span in spans if span.end), default=None), at, [ended])]
    begun = [span.start for span in spans if span.start is not None]
    if at != ended.said_at or len(begun) < len(spans) or any(same(attribute, span.key, words) for span in spans):
        return [*spans]
    return [_Span(words, None, min(begun), [ended]), *spans]


def _close(spans: Sequence[_Span], at: Time, by: Assertion) -> None:
    for span in spans:
        span.end = at
        span.ended_by.append(by)


def _fact(attribute: str, span: _Span) -> ProfileFact:
    fullest = max(
        span.assertions,
        key=lambda assertion: (len(key(attribute, assertion.value)), assertion.confidence, assertion.said_at),
    )
    return ProfileFact(
        attribute=attribute,
        value=fullest.value,
        confidence=span.certainty,
        valid_at=span.start,
        invalid_at=span.end,
        said_at=min(assertion.said_at for assertion in span.assertions),
        assertions=tuple(span.assertions),
        ended_by=tuple(span.ended_by),
    )


def conflicts(user_id: str, attribute: str, facts: Sequence[ProfileFact]) -> list[Conflict]:
    """Values that replaced one that still held. Neither an end by itself nor a first value is a conflict."""
    if attribute in SEVERAL:
        return []
    return [
        Conflict(
            id=content_id("conflict", user_id, attribute, old.assertions[0].id, new.assertions[0].id),
            scope="profile",
            user_id=user_id,
            attribute=attribute,
            old_value=old.value,
            new_value=new.value,
            old_timestamp=old.valid_at or old.said_at,
            new_timestamp=new.valid_at or new.said_at,
            old_messages=old.message_ids,
            new_messages=new.message_ids,
        )
        for old, new in pairwise(facts)
        if _has_replaced(old, new) and is_other_value(old, new)
    ]


def is_other_value(old: ProfileFact, new: ProfileFact) -> bool:
    """Whether a value is known to differ from the one before it, or was told as a change: with an end or a day.

    An age differs if it is not the one that follows from the one before.
    """
    if is_outgrown(new):
        return not _has_aged(old, new)
    is_told = new.valid_at != new.said_at or any(by.stance is Stance.ENDED for by in old.ended_by)
    return is_told or not may_be_translation(new.attribute, old.value, new.value)


def _has_aged(old: ProfileFact, new: ProfileFact) -> bool:
    passed = relativedelta(wall(new.valid_at or new.said_at), wall(old.valid_at or old.said_at))
    return 0 <= amount(new.value) - amount(old.value) - passed.years <= 1


def _has_replaced(old: ProfileFact, new: ProfileFact) -> bool:
    """Whether the new value ended the old one, or was stated together with the end: "I left Acme for Corvane"."""
    messages = {message for assertion in new.assertions[:1] for message in assertion.message_ids}
    return any(by in new.assertions or not messages.isdisjoint(by.message_ids) for by in old.ended_by)


def fact_ends(history_values: Iterable[Sequence[ProfileFact]]) -> dict[str, tuple[Time, datetime]]:
    """When the statements of facts stopped being true, and when that was said; the earliest of several ends."""
    ends: dict[str, tuple[Time, datetime]] = {}
    for fact in (fact for values in history_values for fact in values if fact.ended_by):
        if fact.invalid_at is not None:
            end = fact.invalid_at, min(by.said_at for by in fact.ended_by)
            for fact_id in (fact_id for assertion in fact.assertions for fact_id in assertion.fact_ids):
                ends[fact_id] = min(ends.get(fact_id, end), end)
    return ends
