"""Further classes of English time phrases, and times that come again and so are no single time."""

import tracemalloc
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from evermem_cli.timespan import duration, find, resolve
from tests.timespan.test_timespan import AT, sides


@pytest.mark.parametrize(
    ("phrase", "start", "end"),
    [
        # counted from now in hours or less: a moment
        ("in three hours", "2023-05-10 18:30", "2023-05-10 18:31"),
        ("half an hour ago", "2023-05-10 15:00", "2023-05-10 15:01"),
        ("in 1h30", "2023-05-10 17:00", "2023-05-10 17:00:01"),
        ("in 20'", "2023-05-10 15:50", "2023-05-10 15:50:01"),
        ("an hour before noon", "2023-05-11 11:00", "2023-05-11 12:00"),
        ("a week from Friday at 3pm", "2023-05-19 15:00", "2023-05-19 16:00"),
        # hours
        ("4-6pm", "2023-05-10 16:00", "2023-05-10 18:00"),
        ("5 to 7 pm", "2023-05-10 17:00", "2023-05-10 19:00"),
        ("tomorrow 9-11am", "2023-05-11 09:00", "2023-05-11 11:00"),
        ("from 9 to 5 tomorrow", "2023-05-11 09:00", "2023-05-11 17:00"),
        ("7.45pm", "2023-05-10 19:45", "2023-05-10 19:46"),
        ("five thirty", "2023-05-10 17:30", "2023-05-10 17:31"),
        ("ten to eight", "2023-05-10 19:50", "2023-05-10 19:51"),
        ("half six in the evening", "2023-05-10 18:30", "2023-05-10 18:31"),
        ("eleven at night", "2023-05-10 23:00", "2023-05-11"),
        ("12:00", "2023-05-11 12:00", "2023-05-11 12:01"),
        ("9am EST tomorrow", "2023-05-11 14:00", "2023-05-11 15:00"),
        ("yesterday around 3 pm", "2023-05-09 15:00", "2023-05-09 16:00"),
        ("Thursday at half past three", "2023-05-11 15:30", "2023-05-11 15:31"),
        ("Thursday at 03:30", "2023-05-11 03:30", "2023-05-11 03:31"),
        ("at 1700h", "2023-05-10 17:00", "2023-05-10 17:01"),
        ("tomorrow at 1230h", "2023-05-11 12:30", "2023-05-11 12:31"),
        ("from 8 to 21:30 on Thursday", "2023-05-11 08:00", "2023-05-11 21:30"),
        ("from 7:00 to 21 on Thursday", "2023-05-11 07:00", "2023-05-11 21:00"),
        ("approx 18:00", "2023-05-10 18:00", "2023-05-10 18:01"),
        ("7 - 8:30 tonight", "2023-05-10 19:00", "2023-05-10 20:30"),
        ("from 9:30 to 11 on Thursday", "2023-05-11 09:30", "2023-05-11 11:00"),
        ("from 10 to 1:30 on Thursday", "2023-05-11 10:00", "2023-05-11 13:30"),
        ("seventeen hundred hours", "2023-05-10 17:00", "2023-05-10 17:01"),
        # parts of parts of a day, and its ends
        ("in the early hours of the 13th", "2023-05-13", "2023-05-13 04:00"),
        ("late on Friday night", "2023-05-12 21:00", "2023-05-13"),
        ("early tomorrow morning", "2023-05-11 04:00", "2023-05-11 08:00"),
        ("tomorrow late afternoon", "2023-05-11 16:00", "2023-05-11 19:00"),
        ("the night before Halloween", "2023-10-30 18:00", "2023-10-31"),
        ("tomorrow first thing", "2023-05-11 04:00", "2023-05-11 12:00"),
        ("by EOD Friday", None, "2023-05-12 17:00"),
        ("by the end of the day", None, "2023-05-11"),
        # weeks, months and seasons
        ("next week on Monday", "2023-05-15", "2023-05-16"),
        ("two weekends from now", "2023-05-20", "2023-05-22"),
        ("next next week", "2023-05-22", "2023-05-29"),
        ("w/c 5 June", "2023-06-05", "2023-06-12"),
        ("the first full week of April", "2024-04-01", "2024-04-08"),
        ("Sunday just gone", "2023-05-07", "2023-05-08"),
        ("this past winter", "2022-12-01", "2023-03-01"),
        ("this coming June", "2023-06-01", "2023-07-01"),
        ("the September before last", "2021-09-01", "2021-10-01"),
        ("Q2 '22", "2022-04-01", "2022-07-01"),
        ("towards the end of May", "2023-05-21", "2023-06-01"),
        ("all next week", "2023-05-15", "2023-05-22"),
        # dates
        ("20–25 May", "2023-05-20", "2023-05-26"),
        ("between July 13 and 15", "2023-07-13", "2023-07-16"),
        ("28th-Mar", "2024-03-28", "2024-03-29"),
        ("the 19th, Friday", "2023-05-19", "2023-05-20"),
        ("the 15th of the month", "2023-05-15", "2023-05-16"),
        ("the last of the month", "2023-05-31", "2023-06-01"),
        ("the 100th day of the year", "2023-04-10", "2023-04-11"),
        ("the first of May twenty twenty-six", "2026-05-01", "2026-05-02"),
        ("ten days before the end of the month", "2023-05-21", "2023-05-22"),
        ("the last Tuesday before May 20", "2023-05-16", "2023-05-17"),
        # open
        ("by Friday at the latest", None, "2023-05-13"),
        ("any time after the 20th", "2023-05-21", None),
        ("shortly before noon", None, "2023-05-11 12:00"),
        # spellings
        ("nxt wk", "2023-05-15", "2023-05-22"),
        ("this wknd", "2023-05-13", "2023-05-15"),
        ("sat arvo", "2023-05-13 12:00", "2023-05-13 19:00"),
        ("2moro", "2023-05-11", "2023-05-12"),
        # feasts of several days, of other calendars, and their weeks
        ("Ramadan 2025", "2025-03-01", "2025-03-30"),
        ("Hanukkah 2025", "2025-12-15", "2025-12-23"),
        ("Orthodox Easter 2024", "2024-05-05", "2024-05-06"),
        ("Easter week", "2024-03-25", "2024-04-01"),
        ("St. Patrick's Day", "2024-03-17", "2024-03-18"),
    ],
)
def test_a_class_of_phrases(phrase: str, start: str | None, end: str | None) -> None:
    found = sides(resolve(phrase, AT))
    if end and end.endswith(":01") and len(end) > 16:
        moment = resolve(phrase, AT)
        assert moment and moment.end and f"{moment.end:%Y-%m-%d %H:%M:%S}" == end
        assert found and found[0] == start
    else:
        assert found == (start, end)


@pytest.mark.parametrize(
    "message",
    [
        "We meet on the first Monday of every month.",
        "Every other Tuesday I take the bins out.",
        "Band practice is Thursday nights.",
        "The rent is due on the 1st of each month.",
        "We are open from nine to half past five on weekdays.",
        "He calls at 9am daily.",
        "Choir is every week on Tuesday.",
        "The bins go out every 2 weeks on Monday and Thursday.",
        "I swim every Monday, Wednesday and Friday.",
        "The club meets every month on the last Friday.",
        "The clocks change every year on the last Sunday in March and October.",
        "I lent him my spring jacket.",
        "They lost 4-6, 6-3 and 7-5.",
        "It costs 7.45 or 12.30 euros.",
        "I saw five thirty-year-olds and ten to twelve dogs.",
    ],
)
def test_what_names_no_single_time(message: str) -> None:
    assert find(message, AT) == []


@pytest.mark.parametrize(
    ("message", "start"),
    [
        ("They are getting married in January.", "2024-01-01"),
        ("Have you seen the match on Saturday?", "2023-05-06"),
        ("He's been gone since the weekend.", "2023-05-06"),
        ("The shop is closed on Friday.", "2023-05-12"),
    ],
)
def test_the_verb_tells_past_from_future(message: str, start: str) -> None:
    [span] = find(message, AT)
    assert span.interval.start == datetime.fromisoformat(start).replace(tzinfo=UTC)


def test_now_after_a_comma_is_no_time() -> None:
    assert [span.text for span in find("I finished two days ago, now I rest.", AT)] == ["two days ago"]


def test_a_length_in_hours_and_minutes() -> None:
    length = duration("it takes 1h30")
    assert length is not None
    assert length.hours * 60 + length.minutes == 90


@pytest.mark.parametrize(
    ("phrase", "day"),
    [("on wendesday", "2023-05-17"), ("tommorow", "2023-05-11"), ("7 Febuary 2023", "2023-02-07")],
)
def test_long_names_are_known_with_a_slip_of_the_pen(phrase: str, day: str) -> None:
    [span] = find(f"see you {phrase}", AT)
    assert span.interval.start is not None
    assert span.interval.start.date().isoformat() == day


@pytest.mark.parametrize(
    ("phrase", "at", "start", "end"),
    [
        ("two hours ago", "2025-03-30T03:00", "2025-03-30T00:00", "2025-03-30T01:00"),
        ("an hour ago", "2025-10-26T02:10", "2025-10-26T01:10", "2025-10-26T02:10"),
        ("24 hours ago", "2025-03-30T18:00", "2025-03-29T17:00", "2025-03-29T18:00"),
        ("in 24 hours", "2025-03-29T18:00", "2025-03-30T18:00", "2025-03-30T18:01"),
    ],
)
def test_hours_are_counted_across_a_change_of_clocks(phrase: str, at: str, start: str, end: str) -> None:
    interval = resolve(phrase, datetime.fromisoformat(at).replace(tzinfo=ZoneInfo("Europe/London")))
    assert interval is not None and interval.start and interval.end
    sides_in_utc = [side.astimezone(UTC).isoformat()[:16] for side in (interval.start, interval.end)]
    assert sides_in_utc == [start, end]


def test_a_very_long_word_takes_no_more_memory_than_it_has_letters() -> None:
    tracemalloc.start()
    assert not find("abcdefghij" * 3000, AT)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 10_000_000


@pytest.mark.parametrize(
    "message", ["their support is 24/7", "it lasts 1000h", "I remember sundry things", "the octopus embers"]
)
def test_what_is_near_a_name_or_a_date_is_none(message: str) -> None:
    assert not find(message, AT)
