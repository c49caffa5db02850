"""The timeline of the page: how many messages were sent on each day, what happened, and what changed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from evermem_cli.cli.shared.formatting import counted, day
from evermem_cli.cli.shared.session import Session
from evermem_cli.languages.language import language
from evermem_cli.memory import Message, TimelineEvent
from evermem_cli.view.quotes import Quote, date_of, quotes
from evermem_cli.view.scale import scale

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
    """Messages per day and the latest entries, oldest first. `left_out` counts older entries.

    The chart covers the days from `first` to `last`; `outside` says what lies before and after them, and when.
    """

    days: dict[str, int]
    entries: tuple[Entry, ...]
    left_out: int
    first: str
    last: str
    outside: tuple[str, ...]

    @property
    def counts(self) -> Counter[str]:
        """How many messages and entries each day has."""
        return Counter(self.days) + Counter(entry.date for entry in self.entries)


def timeline(session: Session, events: Sequence[TimelineEvent], messages: Mapping[str, Message]) -> PageTimeline:
    """Everything that happened or changed in the user's chats, with the messages of the latest events."""
    with session.store.read() as reader:
        days = reader.overview.days(session.settings.user)
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
    messages_of = {when.isoformat(): count for when, count in days.items()}
    shown = PageTimeline(messages_of, entries, max(0, len(events) - MOST), "", "", ())
    if not shown.counts:
        return shown
    first, last = scale(shown.counts)
    early = [when for when in sorted(shown.counts) if when < first]
    late = [when for when in sorted(shown.counts) if when > last]
    outside = tuple(_outside(shown, beyond) for beyond in (early, late) if beyond)
    return replace(shown, first=first, last=last, outside=outside)


def _outside(shown: PageTimeline, days: Sequence[str]) -> str:
    """What these days have, in words: "1 message and 2 entries, 4 May 1990 to 7 May 1990"."""
    messages = sum(shown.days.get(one, 0) for one in days)
    happened = sum(entry.date in days for entry in shown.entries)
    parts = [counted(n, what) for n, what in ((messages, "messages"), (happened, "entries")) if n]
    ends = [day(datetime.fromisoformat(one).replace(tzinfo=UTC), UTC) for one in dict.fromkeys((days[0], days[-1]))]
    return f"{' and '.join(parts)}, {' to '.join(ends)}"
