"""Messages as the page quotes them: shortened, with speaker and time."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import tzinfo

from evermem_cli.cli.shared.formatting import day, excerpt
from evermem_cli.languages.language import language
from evermem_cli.memory import Message, Time, moment_in

QUOTED = 2  # messages quoted per entry; the first ones tell what the entry is about


@dataclass(frozen=True, slots=True)
class Quote:
    """A message, or the beginning of a long one. `date` is in ISO 8601, `day` in words."""

    id: str
    speaker: str
    text: str
    tongue: str
    date: str
    day: str
    is_evidence: bool = False


def quote(message: Message, zone: tzinfo, *, whole: bool = False, is_evidence: bool = False) -> Quote:
    """Quotes one message."""
    return Quote(
        id=message.id,
        speaker=message.speaker,
        text=message.text if whole else excerpt(message.text),
        tongue=language(message.text),
        date=date_of(message.said_at, zone),
        day=day(message.said_at, zone),
        is_evidence=is_evidence,
    )


def quotes(ids: Iterable[str], messages: Mapping[str, Message], zone: tzinfo) -> tuple[Quote, ...]:
    """Quotes the first few of these messages."""
    return tuple(
        quote(messages[message_id], zone)
        for message_id in [message_id for message_id in ids if message_id in messages][:QUOTED]
    )


def date_of(time: Time, zone: tzinfo) -> str:
    """The day of a time in ISO 8601, which sorts chronologically."""
    return moment_in(time, zone).date().isoformat()


def date_or_blank(time: Time | None, zone: tzinfo) -> str:
    """The same; blank for a time that is unknown or open."""
    return date_of(time, zone) if time else ""
