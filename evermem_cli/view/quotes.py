"""Messages as the page quotes them: short, with who said them and when."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import tzinfo

from evermem_cli.cli.shared.formatting import day, excerpt
from evermem_cli.languages.language import language
from evermem_cli.memory import Message, Time, moment_in

QUOTED = 2  # messages that an entry quotes; the first say what it is about


@dataclass(frozen=True, slots=True)
class Quote:
    """A message, or the beginning of a long one; `date` is ISO 8601, `day` as people write it."""

    id: str
    speaker: str
    text: str
    tongue: str
    date: str
    day: str
    is_evidence: bool = False


def quote(message: Message, zone: tzinfo, *, whole: bool = False, is_evidence: bool = False) -> Quote:
    """One message."""
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
    """The first few of these messages."""
    return tuple(quote(messages[each], zone) for each in [each for each in ids if each in messages][:QUOTED])


def date_of(time: Time, zone: tzinfo) -> str:
    """The day of a time in ISO 8601, which sorts as days do."""
    return moment_in(time, zone).date().isoformat()


def date_or_blank(time: Time | None, zone: tzinfo) -> str:
    """The same, blank for a time that is unknown or open."""
    return date_of(time, zone) if time else ""
