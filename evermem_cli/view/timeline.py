"""The timeline of the page: how many messages were sent on each day, what happened, and what changed."""

from dataclasses import dataclass

from evermem_cli.cli.lookups import people
from evermem_cli.cli.shared.formatting import day
from evermem_cli.cli.shared.session import Session
from evermem_cli.languages.language import language
from evermem_cli.view.quotes import Quote, date_of, quotes

MOST = 600  # entries shown, the latest ones; more would make the page slow to open


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that happened or changed on a day. `id` is the topic's id; changes have none, but their messages do."""

    id: str
    date: str
    day: str
    kind: str
    title: str
    text: str
    tongue: str
    who: str
    theme: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class PageTimeline:
    """Messages per day and the latest entries, oldest first. `left_out` counts older entries."""

    days: dict[str, int]
    entries: tuple[Entry, ...]
    left_out: int


def timeline(session: Session) -> PageTimeline:
    """Everything that happened or changed in the user's chats."""
    with session.store.read() as reader:
        days = reader.overview.days(session.settings.user)
    events, messages = people.timeline(session, None, None, None, None, quoted=MOST)
    entries = tuple(
        Entry(
            id=event.id if event.kind == "event" else "",
            date=date_of(event.at, session.zone),
            day=day(event.at, session.zone),
            kind=event.kind,
            title=event.title,
            text=event.text if event.text != event.title else "",
            tongue=language(event.title),
            who=", ".join(event.people),
            theme=event.theme,
            quotes=quotes(event.message_ids, messages, session.zone),
        )
        for event in events[-MOST:]
    )
    return PageTimeline({when.isoformat(): count for when, count in days.items()}, entries, max(0, len(events) - MOST))
