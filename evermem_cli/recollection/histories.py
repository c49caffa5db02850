"""Histories of people: all values that each attribute ever had, and the values that a question presupposes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo

from evermem_cli.consolidation.assertions import asserted
from evermem_cli.consolidation.attributes import SEVERAL, excluded
from evermem_cli.consolidation.history import histories
from evermem_cli.languages.words import words_of
from evermem_cli.memory import Assertion, ProfileFact, seen_from
from evermem_cli.recollection.questions.polar import PolarQuestion

Histories = Mapping[str, Sequence[ProfileFact]]  # the values of each attribute, oldest first
Supposed = tuple[str, str, bool]  # an attribute, a value, and whether another value in its place denies it


def local_histories(assertions: Iterable[Assertion], zone: tzinfo | None) -> Histories:
    """The histories of one person, with moments in a zone, from all valid assertions of that person."""
    known = histories(assertions)
    return {attribute: [_local(fact, zone) for fact in facts] for attribute, facts in known.items()}


def supposed(polar: PolarQuestion, name: str, known: Histories) -> Iterator[Supposed]:
    """What a question presupposes about `name`: from the statement asked about, else from words of a known value."""
    for attribute, value in asserted(polar.statement(name)):
        yield attribute, value, attribute not in SEVERAL
    if not polar.is_about(name):
        return
    for attribute, others in polar.others.items():
        rest = others - set(words_of(name))
        values = [fact for fact in known.get(attribute, ()) if rest and rest <= set(words_of(fact.value))]
        if values:
            yield attribute, " ".join(rest) if rest <= excluded(values[-1].value) else values[-1].value, False


def holding(facts: Iterable[ProfileFact], now: datetime) -> list[ProfileFact]:
    """The facts that hold now."""
    return [fact for fact in facts if fact.holds_at(now)]


def over(facts: Iterable[ProfileFact], now: datetime) -> list[ProfileFact]:
    """The facts that held and no longer hold."""
    return [fact for fact in facts if fact.invalid_at and fact.invalid_at <= now]


def _local(fact: ProfileFact, zone: tzinfo | None) -> ProfileFact:
    return replace(
        fact,
        valid_at=fact.valid_at and seen_from(fact.valid_at, zone),
        invalid_at=fact.invalid_at and seen_from(fact.invalid_at, zone),
        said_at=fact.said_at.astimezone(zone),
    )
