"""Calendars as iCalendar (.ics): each event, task and journal entry as a sentence of the person who entered it.

An entry with an organizer is the organizer's, every other one the calendar owner's. Its time is that of `CREATED`,
which some apps set to the first day of 1900; that of a task that is done is `COMPLETED`.
"""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from typing import Any

from evermem_cli.memory import Role, Transcript
from evermem_cli.transcripts.assemble import Chat, MessageDraft, assemble
from evermem_cli.transcripts.cleaning import clean
from evermem_cli.transcripts.decoding import Replay, decoded
from evermem_cli.transcripts.html_text import html_text
from evermem_cli.transcripts.mail.recurrence import on_clock, repetition, written_day
from evermem_cli.transcripts.source import Format, Source

MAX_ENTRY = 200_000  # maximum characters of an entry; attached files are text in entries and are not read
KNOWN_SINCE = 1980  # entries before this year have no real creation time

_KINDS = frozenset({"VEVENT", "VTODO", "VJOURNAL"})
_MARK = re.compile(r"(BEGIN|END):(\w+)\s*", re.IGNORECASE)
_FOLDED = re.compile(r"\n[ \t]")
_FOLDED_INSIDE = re.compile(rb"(\r?\n[ \t])([\x80-\xbf]+)")  # inside a character, as RFC 5545 allows
_CALENDAR_NAME = re.compile(r"(?im)^X-WR-CALNAME[^:\n]*:(.*)$")
_IS_PAGE = re.compile(r"<(?:br|p|div|ul|ol|a|b|html-blob)\b", re.IGNORECASE)


@dataclass(slots=True)
class _CalendarEntry:
    """The lines of one entry, which begins at line `line` of the file."""

    kind: str
    line: int
    text: str


def _matches(source: Source) -> bool:
    return source.sample[0].strip().upper() == "BEGIN:VCALENDAR"


def _read(source: Source) -> Iterator[Transcript]:
    """The entries of a file in order of creation, as one conversation."""
    entries, rest = _entries(source)
    _learn_zones(rest)
    name = _CALENDAR_NAME.search(rest)
    title = name[1].strip().replace("\\", "") if name else ""
    chat = Chat("icalendar", key=f"icalendar:{title}" if title else None, title=title)
    dated = [(draft, made) for entry in entries if (draft := _draft(entry, title, source)) for made in [draft.stamp]]
    chat.drafts = [draft for draft, _ in sorted(dated, key=lambda entry: str(entry[1] or ""))]
    yield from assemble(chat, source)


def _entries(source: Source) -> tuple[list[_CalendarEntry], str]:
    """The entries and other lines of a file. An incomplete or too long entry is reported."""
    entries: list[_CalendarEntry] = []
    rest: list[str] = []
    begin, kind, lines = 0, "", list[str]()
    for number, line in enumerate(_lines(source), 1):
        mark = _MARK.fullmatch(line)
        if mark and not kind and mark[1].upper() == "BEGIN" and mark[2].upper() in _KINDS:
            begin, kind, lines = number, mark[2].upper(), []
        if not kind:
            rest.append(line)
            continue
        lines.append(line)
        if mark and (mark[1].upper(), mark[2].upper()) == ("END", kind):
            entries.append(_CalendarEntry(kind, begin, _without_files("".join(lines))))
            kind = ""
    if kind:
        source.problem("an entry that is cut off; it is left out", begin)
    return entries, "".join(rest)


def _lines(source: Source) -> Iterator[str]:
    r"""All lines, which end in "\n". A line that is folded inside a character is folded behind it instead."""
    data = _FOLDED_INSIDE.sub(rb"\2\1", source.raw_bytes().read())
    return map(clean, decoded(Replay(data, io.BytesIO())))


def _without_files(text: str) -> str:
    """`text` without the lines of attached files. If it is still too long, that is an error later."""
    unfolded = _FOLDED.sub("", text)
    return "\n".join(line for line in unfolded.split("\n") if not line.upper().startswith("ATTACH"))


def _learn_zones(text: str) -> None:
    """Registers the zones that a calendar defines, by their names."""
    from icalendar import Calendar

    try:
        Calendar.from_ical(text)
    except (ValueError, KeyError, IndexError, AttributeError, TypeError):
        return  # the library warns about an unknown zone and leaves the time unchanged


def _draft(entry: _CalendarEntry, owner: str, source: Source) -> MessageDraft | None:
    from icalendar import Component

    if len(entry.text) > MAX_ENTRY:
        source.problem(f"an entry of more than {MAX_ENTRY:,} characters; it is left out", entry.line)
        return None
    try:
        item = Component.from_ical(entry.text)
        text = _said(item, entry.kind, source.options.tz)
        made = _made(item)
    except (ValueError, KeyError, IndexError, AttributeError, TypeError, RecursionError) as error:
        source.problem(f"an entry that cannot be read: {' '.join(str(error).split())[:100]}", entry.line)
        return None
    if not text:
        source.skip("without text")
        return None
    who, role = _writer(item, owner)
    name = "#".join(filter(None, (_text(item, "UID"), _instance(item))))
    return MessageDraft(who, text, made, role, name or None, entry.line)


def _writer(item: Any, owner: str) -> tuple[str, Role | None]:
    organizer = item.get("ORGANIZER")
    address = str(organizer or "").partition(":")[2] or str(organizer or "")
    if organizer is None or not address or address.casefold() == owner.casefold():
        return "me", Role.USER
    return str(getattr(organizer, "params", {}).get("CN", "")) or address, None


def _instance(item: Any) -> str:
    """The day of a series that an entry is about; "" for the whole series or a single event."""
    return str(item.decoded("RECURRENCE-ID")) if "RECURRENCE-ID" in item else ""


def _made(item: Any) -> str | None:
    """When an entry was done or created, else the time that it is about, in ISO 8601."""
    for name in ("COMPLETED", "CREATED", "DTSTAMP", "DTSTART", "DUE"):
        if name in item:
            stated = item.decoded(name)
            if isinstance(stated, date) and stated.year >= KNOWN_SINCE:
                return stated.isoformat()
    return None


def _said(item: Any, kind: str, zone: tzinfo) -> str:
    """An entry as a sentence, with its notes below.

    No comma or colon follows its name, which would be read as that of a person addressed: "Choir, on Monday".
    """
    title = _text(item, "SUMMARY")
    if _text(item, "STATUS").upper() == "CANCELLED":
        title = f"{title} (cancelled)".lstrip()
    when = _when(item, kind, zone)
    place = _text(item, "LOCATION")
    people, absent = _people(item)
    parts = [when, _replaced(item, zone), place and f"at {place}", people and f"with {people}"]
    parts += [absent and f"declined by {absent}", repetition(item, zone)]
    note = _text(item, "DESCRIPTION")
    note = html_text(note) if _IS_PAGE.search(note) else note
    if not title and not note:
        return ""
    return "\n".join(filter(None, (" ".join(filter(None, (title, ", ".join(filter(None, parts))))), note)))


def _when(item: Any, kind: str, zone: tzinfo) -> str:
    if kind == "VTODO" and (_text(item, "STATUS").upper() == "COMPLETED" or "COMPLETED" in item):
        done = _moment(item, "COMPLETED", zone)
        return f"done on {_day(done)}" if done else "done"
    if kind == "VTODO":
        due = _moment(item, "DUE", zone)
        return f"due {_day(due)}" if due else ""
    start, end = _moment(item, "DTSTART", zone), _moment(item, "DTEND", zone)
    if start is None:
        return ""
    if end is None and "DURATION" in item:
        end = start + item.decoded("DURATION")
    if not isinstance(start, datetime):  # whole days; the end is the day after the last
        end = date.fromordinal(end.toordinal() - 1) if end and end > start else start
    if end is None or end == start:
        return f"on {_day(start)}"
    if isinstance(start, datetime) and isinstance(end, datetime) and end.date() == start.date():
        return f"on {_day(start)} to {end:%H:%M}"
    return f"from {_day(start)} to {_day(end)}"


def _replaced(item: Any, zone: tzinfo) -> str:
    """Which day or time of a series was moved, as "instead of Monday, 10 March 2025, 18:00"; "" if none was."""
    replaced = _moment(item, "RECURRENCE-ID", zone)
    return f"instead of {_day(replaced)}" if replaced and replaced != _moment(item, "DTSTART", zone) else ""


def _moment(item: Any, name: str, zone: tzinfo) -> date | None:
    """A day or time of an entry. A time in UTC, as calendars store it, is shown on the clock of `zone`."""
    if name not in item:
        return None
    moment = item.decoded(name)
    if not isinstance(moment, date):
        raise ValueError(f"no such time: {_text(item, name)[:40]}")
    return on_clock(moment, zone)


def _day(moment: date) -> str:
    """A day in words, with the time if there is one."""
    day = f"{moment:%A}, {written_day(moment)}"
    return f"{day}, {moment:%H:%M}" if isinstance(moment, datetime) else day


def _people(item: Any) -> tuple[str, str]:
    """The people invited, without the organizer: those who have not declined, and those who have."""
    invited = item.get("ATTENDEE") or []
    organizer = str(item.get("ORGANIZER") or "").casefold()
    people: dict[bool, list[str]] = {True: [], False: []}
    for attendee in invited if isinstance(invited, list) else [invited]:
        name = str(attendee.params.get("CN", "")) or str(attendee).partition(":")[2]
        if name and str(attendee).casefold() != organizer:
            people[str(attendee.params.get("PARTSTAT", "")).upper() == "DECLINED"].append(name)
    return ", ".join(people[False]), ", ".join(people[True])


def _text(item: Any, name: str) -> str:
    value = item.get(name)
    value = value[0] if isinstance(value, list) and value else value
    return str(value).strip() if value is not None else ""


FORMAT = Format(
    "icalendar",
    "a calendar as iCalendar (.ics)",
    "export the calendar: Google Calendar's settings, Apple's Calendar: File, Export, or any other program's .ics",
    frozenset({".ics", ".ical"}),
    _matches,
    _read,
)
