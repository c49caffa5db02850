"""The profile of the page: every value that somebody ever had, with the days on which it held."""

from dataclasses import dataclass
from datetime import tzinfo

from evermem_cli.cli import picture
from evermem_cli.cli.session import Session
from evermem_cli.cli.words import day
from evermem_cli.consolidation.wording import label_of
from evermem_cli.errors import UsageError
from evermem_cli.language import language
from evermem_cli.memory import Message, ProfileFact
from evermem_cli.view.quotes import Quote, date_or_blank, quotes

MOST = 24  # people with a profile: the user, and those who say most


@dataclass(frozen=True, slots=True)
class HeldValue:
    """A value that held from `since` until the day before `until`, each a date or blank; `span` says that in words."""

    attribute: str
    value: str
    tongue: str
    since: str
    until: str
    span: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Portrait:
    """Somebody with all values there ever were, by attribute, oldest first, and their habits."""

    name: str
    is_user: bool
    values: tuple[HeldValue, ...]
    habits: tuple[str, ...]


def portraits(session: Session) -> tuple[Portrait, ...]:
    """The user first, then the others of whom anything is known."""
    with session.store.read() as reader:
        speakers = reader.who_speaks(session.settings.user)
    others = sorted(speakers, key=lambda each: -each.messages)
    names = [each.name for each in others if each.user_id.casefold() != session.settings.user.casefold()]
    found = [_portrait(session, name) for name in (None, *names[: MOST - 1])]
    return tuple(each for each in found if each is not None and (each.is_user or each.values))


def _portrait(session: Session, name: str | None) -> Portrait | None:
    try:
        known, messages = picture.profile(session, name, None, None, history=True)
    except UsageError:
        return None  # a name that is another's first name, or one that the user has merged
    values = (
        _value(attribute, fact, messages, session.zone) for attribute, facts in known.facts.items() for fact in facts
    )
    habits = tuple(trait.trait for trait in known.traits if not trait.tentative)
    return Portrait(name=name or known.name, is_user=name is None, values=tuple(values), habits=habits)


def _value(attribute: str, fact: ProfileFact, messages: dict[str, Message], zone: tzinfo) -> HeldValue:
    tongue = language(fact.value)
    begun = f"since {day(fact.valid_at, zone)}" if fact.valid_at else ""
    if fact.invalid_at:
        begun = f"{day(fact.valid_at, zone) if fact.valid_at else '…'} to {day(fact.invalid_at, zone)}"
    return HeldValue(
        attribute=label_of(attribute, tongue),
        value=fact.value,
        tongue=tongue,
        since=date_or_blank(fact.valid_at, zone),
        until=date_or_blank(fact.invalid_at, zone),
        span=begun,
        quotes=quotes(fact.message_ids, messages, zone),
    )
