"""What changed and why, and what is still to come: conflicts and foresights with the messages behind them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from evermem_cli.cli.lookups import expected, people
from evermem_cli.cli.shared.formatting import day
from evermem_cli.cli.shared.session import Session
from evermem_cli.languages.language import language
from evermem_cli.memory import Foresight, TimelineEvent, moment_in
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

    Without an end it is still to be expected for `expected.ENDLESS` after its beginning.
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


def changes(session: Session, events: Sequence[TimelineEvent]) -> tuple[tuple[ValueChange, ...], int]:
    """The values that took the place of others, latest first, and how many older changes are left out.

    These are conflicts, and what the timeline calls a change: a value may begin when another has ended by itself.
    """
    conflicts, messages = people.conflicts(session, None)
    followed = [(event, *event.values) for event in events if event.values]
    with session.store.read() as reader:
        shown_as = reader.names.display_names(session.settings.user)
        behind = {name for _, *facts in followed for fact in facts for name in fact.message_ids[:1]}
        messages = messages | reader.messages.by_id(behind)
    names = {person.casefold(): name for person, name in shown_as.items()}
    every = {
        (who, conflict.attribute, conflict.old_value, conflict.new_value): (
            conflict.new_timestamp, conflict.old_messages, conflict.new_messages
        )
        for conflict in conflicts
        for who in [names.get(conflict.user_id.casefold(), conflict.user_id)]
    }  # fmt: skip
    for event, before, after in followed:
        what = (event.people[0], after.attribute, before.value, after.value)
        every.setdefault(what, (event.at, before.message_ids, after.message_ids))
    ordered = sorted(every.items(), key=lambda change: moment_in(change[1][0], UTC))
    shown = tuple(
        ValueChange(
            attribute=attribute.replace("_", " "),
            who=who,
            old=old,
            new=new,
            tongue=language(new),
            day=day(at, session.zone),
            date=date_of(at, session.zone),
            before=quotes(told_before[:1], messages, session.zone),
            after=quotes(told_after[:1], messages, session.zone),
        )
        for (who, attribute, old, new), (at, told_before, told_after) in reversed(ordered[-MOST:])
    )
    return shown, max(0, len(every) - MOST)


def upcoming(session: Session) -> tuple[tuple[Upcoming, ...], int]:
    """Everything that is or was expected, by start, and how many older entries are left out."""
    listing = expected.ever_expected(session, session.now(None))
    items = [item for item in listing.items if isinstance(item, Foresight)]
    with session.store.read() as reader:
        strengths = reader.strengths.at((item.id for item in items[-MOST:]), datetime.now(UTC))
    shown = tuple(
        Upcoming(
            id=item.id,
            text=item.foresight,
            tongue=language(item.foresight),
            since=date_of(item.start_time, session.zone),
            until=date_of(item.end_time or moment_in(item.start_time, session.zone) + expected.ENDLESS, session.zone),
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
