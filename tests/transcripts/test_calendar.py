"""Calendars: an entry says when it is, when it is not, and who comes."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from evermem_cli.formation.sentences.third_person import tell
from evermem_cli.memory import Turn
from evermem_cli.timespan import find, validity
from evermem_cli.transcripts import ReadOptions, read


def entered(lines: str, folder: Path, kind: str = "VEVENT") -> Turn:
    path = folder / "a.ics"
    entry = f"BEGIN:{kind}\nUID:1\nCREATED:20250201T100000Z\nSUMMARY:Choir\n{lines}\nEND:{kind}"
    path.write_text(f"BEGIN:VCALENDAR\n{entry}\nEND:VCALENDAR\n", encoding="utf-8")
    [chat] = read(path, ReadOptions(tz=ZoneInfo("Europe/Berlin")), lambda finding: None)
    return chat.turns[0]


def said(lines: str, folder: Path) -> str:
    return entered(lines, folder).text


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (
            "RRULE:FREQ=WEEKLY;BYDAY=MO\nEXDATE:20250310T170000Z\nEXDATE:20250316T230000Z,20250331T160000Z",
            "every week on Monday, but not on 10 March 2025, 17 March 2025 and 31 March 2025",
        ),
        ("RRULE:FREQ=MONTHLY;BYDAY=1SU", "every month on the first Sunday"),
        ("RRULE:FREQ=MONTHLY;BYDAY=FR;BYSETPOS=-1", "every month on the last Friday"),
        ("RRULE:FREQ=MONTHLY;BYDAY=SA,SU;BYSETPOS=1", "every month on the first of Saturday and Sunday"),
        ("RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "every year on the fourth Thursday in November"),
        ("RRULE:FREQ=MONTHLY;BYMONTHDAY=15,-1", "every month on day 15 and the last day"),
        ("RDATE:20250405T160000Z", "also on 5 April 2025"),
        (
            "RDATE;VALUE=PERIOD:20250405T160000Z/20250405T180000Z,20250406T160000Z/PT2H\nRDATE:20250407T160000Z",
            "also on 5 April 2025, 6 April 2025 and 7 April 2025",
        ),
    ],
)
def test_a_repetition_is_told_with_its_days_and_exceptions(lines: str, text: str, tmp_path: Path) -> None:
    assert said(f"DTSTART:20250303T170000Z\n{lines}", tmp_path) == f"Choir on Monday, 3 March 2025, 18:00, {text}"


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=WEEKLY",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU;COUNT=9",
        "FREQ=MONTHLY;BYDAY=-1FR",
        "FREQ=MONTHLY;BYDAY=-2SU",
        "FREQ=YEARLY;BYMONTH=2,11;BYDAY=4TH",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=4",
        "FREQ=WEEKLY;BYDAY=MO;UNTIL=20250630T000000Z",
    ],
)
def test_a_series_names_no_day_before_its_first(rule: str, tmp_path: Path) -> None:
    text = said(f"DTSTART:20250303T170000Z\nDURATION:PT1H30M\nRRULE:{rule}", tmp_path)
    made, first = (datetime(2025, month, day, hour, tzinfo=UTC) for month, day, hour in ((2, 1, 10), (3, 3, 18)))
    starts = [span.interval.start for span in find(text, made) if span.interval.start]
    period = validity(text, made)
    assert period and (starts, period.start) == ([first], first)


def test_a_moved_occurrence_says_which_one_it_replaces(tmp_path: Path) -> None:
    lines = "DTSTART:20250311T170000Z\nRECURRENCE-ID:20250310T170000Z"
    text = "Choir on Tuesday, 11 March 2025, 18:00, instead of Monday, 10 March 2025, 18:00"
    assert said(lines, tmp_path) == text


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ("DTSTART:20250303T170000Z\nDURATION:PT1H30M", "on Monday, 3 March 2025, 18:00 to 19:30"),
        ("DTSTART;VALUE=DATE:20250303\nDURATION:P2D", "from Monday, 3 March 2025 to Tuesday, 4 March 2025"),
    ],
)
def test_the_end_may_be_given_as_a_duration(lines: str, text: str, tmp_path: Path) -> None:
    assert said(lines, tmp_path) == f"Choir {text}"


@pytest.mark.parametrize(
    ("lines", "text", "day"),
    [
        ("STATUS:NEEDS-ACTION", "Choir due Saturday, 15 March 2025", "2025-02-01"),
        ("STATUS:COMPLETED", "Choir done", "2025-02-01"),
        ("COMPLETED:20250313T233000Z", "Choir done on Friday, 14 March 2025, 00:30", "2025-03-13"),
        ("STATUS:COMPLETED\nCOMPLETED:20250314T090000Z", "Choir done on Friday, 14 March 2025, 10:00", "2025-03-14"),
    ],
)
def test_a_task_that_is_done_is_no_longer_due(lines: str, text: str, day: str, tmp_path: Path) -> None:
    turn = entered(f"DUE;VALUE=DATE:20250315\n{lines}", tmp_path, "VTODO")
    assert (turn.text, turn.sent_at.astimezone(UTC).date().isoformat()) == (text, day)


def test_who_has_declined_does_not_come(tmp_path: Path) -> None:
    people = "ATTENDEE;PARTSTAT=DECLINED;CN=Bob:mailto:b@x.org\nATTENDEE;CN=Cy:mailto:c@x.org"
    text = said(f"DTSTART;VALUE=DATE:20250303\n{people}", tmp_path)
    assert text == "Choir on Monday, 3 March 2025, with Cy, declined by Bob"


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        ("", "Choir on Monday, 3 March 2025"),
        ("STATUS:CANCELLED", "Choir (cancelled) on Monday, 3 March 2025"),
        ("RRULE:FREQ=WEEKLY;BYDAY=MO", "Choir on Monday, 3 March 2025, every week on Monday"),
    ],
)
def test_the_name_of_an_entry_is_not_taken_for_a_person_addressed(lines: str, title: str, tmp_path: Path) -> None:
    text = said(f"DTSTART;VALUE=DATE:20250303\n{lines}", tmp_path)
    assert (text, tell(text, "Maya Lind")) == (title, f"{title}.")


def test_a_line_may_be_folded_inside_a_letter(tmp_path: Path) -> None:
    path = tmp_path / "a.ics"
    entry = b"BEGIN:VEVENT\r\nSUMMARY:K\xc3\r\n \xa4se \xe2\x82\r\n\t\xac\r\n 9\r\nEND:VEVENT\r\n"
    path.write_bytes(b"BEGIN:VCALENDAR\r\n" + entry * 2 + b"END:VCALENDAR\r\n")
    [chat] = read(path, ReadOptions(tz=UTC), lambda finding: None)
    assert [(turn.text, turn.line) for turn in chat.turns] == [("Käse €9", 2), ("Käse €9", 8)]
