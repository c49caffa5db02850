"""What changed and why, and what lies ahead: conflicts and foresights with the messages that say so."""

from dataclasses import dataclass
from datetime import UTC, datetime

from evermem_cli.cli.lookups import memories, people
from evermem_cli.cli.shared.formatting import day
from evermem_cli.cli.shared.session import Session
from evermem_cli.languages.language import language
from evermem_cli.memory import Foresight
from evermem_cli.view.quotes import Quote, date_of, date_or_blank, quotes

MOST = 200  # of either; of more the latest


@dataclass(frozen=True, slots=True)
class ValueChange:
    """A value that took the place of another, since a day, with what was said before and then."""

    attribute: str
    who: str
    old: str
    new: str
    tongue: str
    day: str
    date: str
    before: tuple[Quote, ...]
    after: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Upcoming:
    """Something expected from `since` to `until`, both dates and both inclusive; blank is open."""

    id: str
    text: str
    tongue: str
    since: str
    until: str
    span: str
    is_archived: bool
    quotes: tuple[Quote, ...]


def changes(session: Session) -> tuple[tuple[ValueChange, ...], int]:
    """What took the place of what, latest first, and how many older ones are left out."""
    found, messages = people.conflicts(session, None)
    with session.store.read() as reader:
        names = {person.casefold(): name for name, person in reader.speaker_ids(session.settings.user).items()}
    told = tuple(
        ValueChange(
            attribute=each.attribute.replace("_", " "),
            who=names.get(each.user_id.casefold(), each.user_id),
            old=each.old_value,
            new=each.new_value,
            tongue=language(each.new_value),
            day=day(each.new_timestamp, session.zone),
            date=date_of(each.new_timestamp, session.zone),
            before=quotes(each.old_messages[:1], messages, session.zone),
            after=quotes(each.new_messages[:1], messages, session.zone),
        )
        for each in reversed(found[-MOST:])
    )
    return told, max(0, len(found) - MOST)


def upcoming(session: Session) -> tuple[tuple[Upcoming, ...], int]:
    """What is or was expected, by when it begins, and how many older ones are left out."""
    found = memories.listing(session, "foresights")
    items = [item for item in found.items if isinstance(item, Foresight)]
    with session.store.read() as reader:
        strengths = reader.strengths((item.id for item in items[-MOST:]), datetime.now(UTC))
    told = tuple(
        Upcoming(
            id=item.id,
            text=item.foresight,
            tongue=language(item.foresight),
            since=date_of(item.start_time, session.zone),
            until=date_or_blank(item.end_time, session.zone),
            span=_span(item, session),
            is_archived=strengths[item.id].archived,
            quotes=quotes(item.message_ids, found.messages, session.zone),
        )
        for item in items[-MOST:]
    )
    return told, max(0, len(items) - MOST)


def _span(item: Foresight, session: Session) -> str:
    begun = day(item.start_time, session.zone)
    over = day(item.end_time, session.zone) if item.end_time else None
    return f"from {begun}" if over is None else begun if over == begun else f"{begun} to {over}"
