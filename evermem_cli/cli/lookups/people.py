"""Look-ups of people and times, with the messages behind them."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from evermem_cli import visibility
from evermem_cli.cli.lookups import elsewhere
from evermem_cli.cli.shared.options import moment, period
from evermem_cli.cli.shared.session import Session
from evermem_cli.errors import UsageError
from evermem_cli.memory import Conflict, Message, Profile, TimelineEvent
from evermem_cli.recollection.people import profile as people
from evermem_cli.recollection.people.network import read_network
from evermem_cli.visibility import CountedAs

Messages = dict[str, Message]


def profile(
    session: Session, person: str | None, as_of: str | None, known_at: str | None, *, history: bool
) -> tuple[Profile, Messages]:
    """The profile of a person; of the user if no name is given. Raises UsageError."""
    known_until = moment(known_at, session.zone, end=True)
    who = _person(session, person)
    described = people.describe_person(
        session.store, session.settings.user, who, session.now(as_of), known_until, history=history
    )
    cited = [fact.message_ids for values in described.facts.values() for fact in values]
    return described, _messages(session, [*cited, *(trait.message_ids for trait in described.traits)])


def conflicts(session: Session, person: str | None) -> tuple[list[Conflict], Messages]:
    """The contradictions about a person; about everybody if no name is given. Raises UsageError."""
    who = None if person is None else _person(session, person)
    with session.store.read() as reader:
        contradictions = reader.consolidation.conflicts(session.settings.user, who)
    return contradictions, _messages(
        session, ((*contradiction.old_messages, *contradiction.new_messages) for contradiction in contradictions)
    )


def timeline(
    session: Session,
    person: str | None,
    theme: str | None,
    since: str | None,
    until: str | None,
    *,
    quoted: int | None = None,
) -> tuple[list[TimelineEvent], Messages]:
    """What happened and changed between two moments, both inclusive, with the messages of the `quoted` latest events.

    Raises UsageError.
    """
    first, last = period(since, until, session.zone)
    start, end = first or datetime.min.replace(tzinfo=UTC), last or datetime.max.replace(tzinfo=UTC)
    who = None if person is None else _person(session, person)
    happened = people.timeline(session.store, session.settings.user, who, theme)
    events = [event for event in happened if start <= event.at <= end]
    latest = events if quoted is None else events[-quoted:]
    return events, _messages(session, (event.message_ids for event in latest))


def withheld(
    session: Session,
    ask: Callable[..., tuple[Profile | list[Conflict] | list[TimelineEvent], Messages]],
    *asked: Any,
    **options: Any,
) -> int | None:
    """How much of what the owner would get is withheld from the agent; None where the owner asks.

    `ask` is the look-up of this module that was called.
    """

    def ids_of_answer(side: Session) -> set[str]:
        return _ids(ask(side, *asked, **options)[0])

    return visibility.withheld(session, ids_of_answer, CountedAs.WORKED_OUT)


def _ids(answer: Profile | list[Conflict] | list[TimelineEvent]) -> set[str]:
    """Identifiers of the single items in an answer."""
    if isinstance(answer, Profile):
        known = {f"{name}: {fact.value}" for name, values in answer.facts.items() for fact in values}
        return known | {trait.trait for trait in answer.traits}
    return {item.id for item in answer}


def ids_of(session: Session, name: str) -> frozenset[str]:
    """All ids, in lower case, of a person who speaks in the user's chats. Raises UsageError."""
    who = _person(session, name)
    with session.store.read() as reader:
        return frozenset(reader.names.of_one(session.settings.user, who))


def _person(session: Session, name: str | None) -> str:
    user = session.settings.user
    if name is None:
        return user
    try:
        return people.find_person(session.store, user, name)
    except UsageError as error:
        network = read_network(session.store, user)
        if entity := network.index.find(name):
            hint = elsewhere.known_of(session, network, entity)
            raise UsageError(f"{entity.name} speaks in none of these chats", hint) from error
        if hint := elsewhere.known_as(session, network, name):
            raise UsageError(error.message, hint) from error
        raise


def _messages(session: Session, cited: Iterable[Iterable[str]]) -> Messages:
    with session.store.read() as reader:
        return reader.messages.by_id({message_id for ids in cited for message_id in ids})
