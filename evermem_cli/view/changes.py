"""What changed and why, and what is still to come: conflicts and foresights with the messages behind them."""

from dataclasses import dataclass
from datetime import UTC, datetime

from evermem_cli.cli.lookups import memories, people
from evermem_cli.cli.shared.formatting import day
from evermem_cli.cli.shared.session import Session
from evermem_cli.languages.language import language
from evermem_cli.memory import Foresight, moment_in
from evermem_cli.view.quotes import Quote, date_of, quotes

MOST = 200  # entries of each list; beyond that only the latest are shown


@dataclass(frozen=True, slots=True)
class ValueChange:
    """A value that replaced another one on a day, with the messages that state both."""

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
    """Something expected from `since` to `until`, which are inclusive dates.

    Without an end it is still to be expected for `memories.ENDLESS` after its beginning.
    """

    id: str
    text: str
    tongue: str
    since: str
    until: str
    span: str
    is_predicted: bool
    is_archived: bool
    quotes: tuple[Quote, ...]


def changes(session: Session) -> tuple[tuple[ValueChange, ...], int]:
    """The values that replaced others, latest first, and how many older changes are left out."""
    conflicts, messages = people.conflicts(session, None)
    with session.store.read() as reader:
        shown_as = reader.names.display_names(session.settings.user)
    names = {person.casefold(): name for person, name in shown_as.items()}
    shown = tuple(
        ValueChange(
            attribute=conflict.attribute.replace("_", " "),
            who=names.get(conflict.user_id.casefold(), conflict.user_id),
            old=conflict.old_value,
            new=conflict.new_value,
            tongue=language(conflict.new_value),
            day=day(conflict.new_timestamp, session.zone),
            date=date_of(conflict.new_timestamp, session.zone),
            before=quotes(conflict.old_messages[:1], messages, session.zone),
            after=quotes(conflict.new_messages[:1], messages, session.zone),
        )
        for conflict in reversed(conflicts[-MOST:])
    )
    return shown, max(0, len(conflicts) - MOST)


def upcoming(session: Session) -> tuple[tuple[Upcoming, ...], int]:
    """Everything that is or was expected, by start, and how many older entries are left out."""
    listing = memories.listing(session, "foresights")
    items = [item for item in listing.items if isinstance(item, Foresight)]
    with session.store.read() as reader:
        strengths = reader.strengths.at((item.id for item in items[-MOST:]), datetime.now(UTC))
    shown = tuple(
        Upcoming(
            id=item.id,
            text=item.foresight,
            tongue=language(item.foresight),
            since=date_of(item.start_time, session.zone),
            until=date_of(item.end_time or moment_in(item.start_time, session.zone) + memories.ENDLESS, session.zone),
            span=_span(item, session),
            is_predicted=item.predicted,
            is_archived=strengths[item.id].archived,
            quotes=quotes(item.message_ids, listing.messages, session.zone),
        )
        for item in items[-MOST:]
    )
    return shown, max(0, len(items) - MOST)


def _span(item: Foresight, session: Session) -> str:
    begun = day(item.start_time, session.zone)
    over = day(item.end_time, session.zone) if item.end_time else None
    return f"from {begun}" if over is None else begun if over == begun else f"{begun} to {over}"
