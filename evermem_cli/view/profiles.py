"""The profiles on the page: every value that a person ever had, with the days on which it held."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from evermem_cli.cli.lookups import people
from evermem_cli.cli.presentation.profiles import held, language_of
from evermem_cli.cli.shared.session import Session
from evermem_cli.consolidation.attributes import TIES
from evermem_cli.languages.labels import label_of
from evermem_cli.languages.language import language
from evermem_cli.memory import Message, ProfileFact
from evermem_cli.recollection.people.histories import histories_of_all
from evermem_cli.view.quotes import QUOTED, Quote, date_or_blank, quotes

LATEST = 12  # values shown per attribute, the latest ones
MOST = 24  # people with a profile: the user and those who write most


@dataclass(frozen=True, slots=True)
class HeldValue:
    """A value that held from `since` until the day before `until`; both are dates or blank.

    `span` is the same in words.

    `id` is the id of the assertion in the latest message that states the value.
    """

    id: str
    attribute: str
    value: str
    tongue: str
    since: str
    until: str
    span: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class PersonProfile:
    """One person: all values by attribute, oldest first, and habits."""

    name: str
    is_user: bool
    values: tuple[HeldValue, ...]
    habits: tuple[str, ...]
    left_out: int


def profiles(session: Session) -> tuple[PersonProfile, ...]:
    """The profiles of the user and then of everybody else of whom something is known.

    All labels and dates are in one language, that of `evermem profile`.
    """
    user = session.settings.user
    own, _ = people.profile(session, None, None, None, history=True)
    everybody = {person.casefold(): every for person, every in histories_of_all(session.store, user).items()}
    with session.store.read() as reader:
        speakers = sorted(reader.entities.who_speaks(user), key=lambda speaker: -speaker.messages)
    names: dict[str, str] = {}
    for speaker in speakers:
        names.setdefault(speaker.user_id.casefold(), speaker.name)
    others = [person for person in names if person in everybody and person != user.casefold()]
    known = {
        names[person]: {name: values for name, values in everybody[person].items() if name not in TIES}
        for person in others[: MOST - 1]
    }
    every: list[Mapping[str, Sequence[ProfileFact]]] = [own.facts, *known.values()]
    facts = [fact for person_facts in every for values in person_facts.values() for fact in values[-LATEST:]]
    with session.store.read() as reader:
        messages = reader.messages.by_id({message_id for fact in facts for message_id in fact.message_ids[:QUOTED]})
    tongue = language_of([fact for values in own.facts.values() for fact in values] or facts)
    habits = tuple(trait.trait for trait in own.traits if not trait.tentative)
    return (
        _profile(own.name, own.facts, tongue, messages, session.zone, habits, is_user=True),
        *(_profile(name, person_facts, tongue, messages, session.zone) for name, person_facts in known.items()),
    )


def _profile(
    name: str,
    known: Mapping[str, Sequence[ProfileFact]],
    tongue: str,
    messages: Mapping[str, Message],
    zone: tzinfo,
    habits: tuple[str, ...] = (),
    *,
    is_user: bool = False,
) -> PersonProfile:
    shown = [(attribute, fact) for attribute, facts in sorted(known.items()) for fact in facts[-LATEST:]]
    return PersonProfile(
        name=name,
        is_user=is_user,
        values=tuple(_value(attribute, fact, tongue, messages, zone) for attribute, fact in shown),
        habits=habits,
        left_out=sum(map(len, known.values())) - len(shown),
    )


def _value(attribute: str, fact: ProfileFact, tongue: str, messages: Mapping[str, Message], zone: tzinfo) -> HeldValue:
    return HeldValue(
        id=fact.assertions[-1].id if fact.assertions else "",
        attribute=label_of(attribute, tongue),
        value=fact.value,
        tongue=language(fact.value),
        since=date_or_blank(fact.valid_at, zone),
        until=date_or_blank(fact.invalid_at, zone),
        span=held(fact, zone, tongue),
        quotes=quotes(fact.message_ids, messages, zone),
    )
