"""Histories of people: all values that each attribute ever had, as far as the asker may know them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo

from evermem_cli.consolidation.attributes import key, same
from evermem_cli.consolidation.history import histories, ties
from evermem_cli.memory import Assertion, ProfileFact, seen_from
from evermem_cli.store import Searcher, Store

Histories = Mapping[str, Sequence[ProfileFact]]  # the values of each attribute, oldest first


def histories_of(
    store: Store, reader_id: str, person: str, known_at: datetime | None, now: datetime | None = None
) -> Histories:
    """The histories of one person, as known by a time, as far as the asker may know them.

    `reader_id` is the user who asks: only chats that they own or took part in count. With `now`, a value that is over
    by then is left out where the one after it is withheld: nobody should take it for the last. Raises StoreError,
    StoreBusy.
    """

    def read(reader: Searcher) -> dict[str, Histories]:
        return {person: histories(reader.consolidation.assertions(person, reader=reader_id, known_at=known_at))}

    return as_seen(store, read, now)[person]


def histories_of_all(store: Store, reader_id: str, known_at: datetime | None = None) -> dict[str, Histories]:
    """The histories and ties of everybody, by user id. Raises StoreError, StoreBusy."""

    def read(reader: Searcher) -> dict[str, Histories]:
        assertions = reader.consolidation.assertions(reader=reader_id, known_at=known_at)
        people = _by_person(assertions, reader.names.merged(reader_id))
        return {person: histories(own) | ties(own) for person, own in people.items()}

    return as_seen(store, read)


def local_histories(known: Histories, zone: tzinfo | None) -> Histories:
    """The same histories with moments in a zone."""
    return {attribute: [_local(fact, zone) for fact in facts] for attribute, facts in known.items()}


def holding(facts: Iterable[ProfileFact], now: datetime) -> list[ProfileFact]:
    """The facts that hold now."""
    return [fact for fact in facts if fact.holds_at(now)]


def over(facts: Iterable[ProfileFact], now: datetime) -> list[ProfileFact]:
    """The facts that held and no longer hold."""
    return [fact for fact in facts if fact.invalid_at and fact.invalid_at <= now]


def as_seen(
    store: Store, read: Callable[[Searcher], dict[str, Histories]], now: datetime | None = None
) -> dict[str, Histories]:
    """What is read for the asker. Raises StoreError, StoreBusy.

    Where memories are withheld from the asker, a value that lasts longer for the asker than for the owner is left out,
    whatever the day that is asked about: something withheld ended it or took its place.
    """
    with store.read() as reader:
        known = read(reader)
    if not store.access and store.public is None:
        return known
    with replace(store, access=None, public=None).read() as owner:
        whole = read(owner)
    return {person: _no_longer_than(whole.get(person, {}), own, now) for person, own in known.items()}


def _by_person(assertions: Iterable[Assertion], merged: Mapping[str, str]) -> dict[str, list[Assertion]]:
    people: defaultdict[str, list[Assertion]] = defaultdict(list)
    for assertion in assertions:
        people[merged.get(assertion.user_id.lower(), assertion.user_id)].append(assertion)
    return people


def _no_longer_than(whole: Histories, known: Histories, now: datetime | None) -> Histories:
    """The known values that last no longer than they do in the whole; by `now`, without those that are not the last."""
    seen = {
        attribute: [fact for fact in facts if any(_lasts(other, fact) for other in whole.get(attribute, ()))]
        for attribute, facts in known.items()
    }
    if now is None:
        return seen
    return {attribute: _unless_followed(whole.get(attribute, ()), facts, now) for attribute, facts in seen.items()}


def _unless_followed(whole: Sequence[ProfileFact], seen: Sequence[ProfileFact], now: datetime) -> list[ProfileFact]:
    """All values that are seen, or those alone that are not over if what came after the last one is hidden."""
    ended = over(seen, now)
    last = max((fact.invalid_at for fact in ended if fact.invalid_at), default=None)
    if last is None or holding(seen, now):
        return list(seen)
    hidden = (other for other in whole if not any(_lasts(other, fact) for fact in seen))
    if any(other.valid_at and last <= other.valid_at <= now for other in hidden):
        return [fact for fact in seen if fact not in ended]
    return list(seen)


def _lasts(other: ProfileFact, fact: ProfileFact) -> bool:
    """Whether another fact has the same value, and does not end before this one."""
    attribute = fact.attribute
    if not same(attribute, key(attribute, fact.value), key(attribute, other.value)):
        return False
    return other.invalid_at is None or (fact.invalid_at is not None and fact.invalid_at <= other.invalid_at)


def _local(fact: ProfileFact, zone: tzinfo | None) -> ProfileFact:
    return replace(
        fact,
        valid_at=fact.valid_at and seen_from(fact.valid_at, zone),
        invalid_at=fact.invalid_at and seen_from(fact.invalid_at, zone),
        said_at=fact.said_at.astimezone(zone),
    )
