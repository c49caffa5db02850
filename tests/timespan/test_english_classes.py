"""English time phrases class by class: each with what it means, and what looks like it and is none."""

import subprocess
import sys
from datetime import UTC, datetime

import pytest

from evermem_cli.timespan import duration, find, resolve
from tests.timespan.test_timespan import AT, sides


@pytest.mark.parametrize(
    ("phrase", "start", "end"),
    [
        # so many weeks after or before a day
        ("Tuesday week", "2023-05-23", "2023-05-24"),
        ("a week on Tuesday", "2023-05-23", "2023-05-24"),
        ("a fortnight tomorrow", "2023-05-25", "2023-05-26"),
        ("a week ago yesterday", "2023-05-02", "2023-05-03"),
        ("a year ago today", "2022-05-10", "2022-05-11"),
        ("two weeks ago Friday", "2023-04-21", "2023-04-22"),
        ("this time next week", "2023-05-17", "2023-05-18"),
        ("this day last year", "2022-05-10", "2022-05-11"),
        # counted from the end
        ("the penultimate Sunday of May", "2023-05-21", "2023-05-22"),
        ("the second-to-last Friday of June", "2023-06-23", "2023-06-24"),
        ("the last but one week of 2023", "2023-12-18", "2023-12-25"),
        ("the third last day of May", "2023-05-29", "2023-05-30"),
        # of this, last or next month or year, in either order
        ("the first Monday next month", "2023-06-05", "2023-06-06"),
        ("this month's last Friday", "2023-05-26", "2023-05-27"),
        ("the third quarter last year", "2022-07-01", "2022-10-01"),
        ("Q4 last year", "2022-10-01", "2023-01-01"),
        ("from the 3rd to the 5th of next month", "2023-06-03", "2023-06-06"),
        ("July 13 through 15", "2023-07-13", "2023-07-16"),
        # halves and ends
        ("the first half of June", "2023-06-01", "2023-06-16"),
        ("the latter half of 2022", "2022-07-01", "2023-01-01"),
        ("year-end", "2023-09-01", "2024-01-01"),
        ("by EOM", None, "2023-06-01"),
        ("the rest of the week", "2023-05-10", "2023-05-15"),
        ("so far this year", "2023-01-01", "2023-05-10"),
        ("week 23 of 2022", "2022-06-06", "2022-06-13"),
        # beside another time
        ("the Friday before Christmas", "2023-12-22", "2023-12-23"),
        ("the second Sunday after Easter", "2024-04-14", "2024-04-15"),
        ("Ash Wednesday 2024", "2024-02-14", "2024-02-15"),
        ("Bonfire Night", "2023-11-05", "2023-11-06"),
        ("the morning of June 3", "2023-06-03 04:00", "2023-06-03 12:00"),
        # seasons, years and decades
        ("two summers ago", "2021-06-01", "2021-09-01"),
        ("the winter before last", "2021-12-01", "2022-03-01"),
        ("winter 2020/21", "2020-12-01", "2021-03-01"),
        ("two Octobers ago", "2021-10-01", "2021-11-01"),
        ("summer of '69", "1969-06-01", "1969-09-01"),
        ("the nineteen eighties", "1980-01-01", "1990-01-01"),
        ("the noughties", "2000-01-01", "2010-01-01"),
        # hedged and vague lengths
        ("just over a year ago", "2022-05-01", "2022-06-01"),
        ("a good ten years ago", "2013-01-01", "2014-01-01"),
        ("in 10 days or so", "2023-05-20", "2023-05-21"),
        ("the coming weeks", "2023-05-11", "2023-06-01"),
        ("over the past couple of days", "2023-05-08", "2023-05-10"),
        # times of day: the nearest one where no half of the day is told
        ("half past six", "2023-05-10 18:30", "2023-05-10 18:31"),
        ("half past 4 pm", "2023-05-10 16:30", "2023-05-10 16:31"),
        ("a quarter to six", "2023-05-10 17:45", "2023-05-10 17:46"),
        ("20 minutes past noon", "2023-05-11 12:20", "2023-05-11 12:21"),
        ("five minutes to midnight", "2023-05-10 23:55", "2023-05-10 23:56"),
        ("8 this evening", "2023-05-10 20:00", "2023-05-10 21:00"),
        ("Saturday morning at 9", "2023-05-13 09:00", "2023-05-13 10:00"),
        ("at 730 in the evening", "2023-05-10 19:30", "2023-05-10 19:31"),
        ("5:30", "2023-05-10 17:30", "2023-05-10 17:31"),
        ("05:30", "2023-05-11 05:30", "2023-05-11 05:31"),
        ("4ish pm", "2023-05-10 16:00", "2023-05-10 17:00"),
        ("Friday at 8 am PST", "2023-05-12 16:00", "2023-05-12 17:00"),
    ],
)
def test_a_class_of_phrases(phrase: str, start: str | None, end: str | None) -> None:
    assert sides(resolve(phrase, AT)) == (start, end)


@pytest.mark.parametrize(
    "message",
    [
        "What are you up to now?",
        "We gave it our all and may at any moment lose.",
        "I need ten to twenty people and half three-quarters of the room.",
        "It was $DEC and https://example.org/x?t=3am3io or mail may@june.example.",
        "My number is +86 138-2010-2015.",
        "One quarter past the post, two to go.",
        "I got up to 2000 points at most.",
        "The penultimate page and the last but one chapter.",
        "Half the eggs, 3/4 of the flour.",
    ],
)
def test_what_looks_like_one_and_is_none(message: str) -> None:
    assert find(message, AT) == []


@pytest.mark.parametrize(
    ("phrase", "hours"),
    [
        ("half hour", 0.5),
        ("three quarters of an hour", 0.75),
        ("3/4 hour", 0.75),
        ("2 1/2 hours", 2.5),
        ("1½ hours", 1.5),
    ],
)
def test_shares_of_a_unit(phrase: str, hours: float) -> None:
    length = duration(phrase)
    assert length is not None
    assert length.hours * 60 + length.minutes == hours * 60


def test_a_weekday_and_a_bare_number_name_no_month() -> None:
    assert resolve("Friday at 8", AT) is None
    assert [span.text for span in find("See you on Friday at 8!", AT)] == ["Friday"]


def test_a_year_and_a_later_one_are_two_times() -> None:
    found = [sides(span.interval) for span in find("Sales between 2015 and 2018 or later than 2020?", AT)]
    assert found == [("2015-01-01", "2019-01-01"), ("2021-01-01", None)]


def test_what_is_over_keeps_the_hour_as_written() -> None:
    at = datetime(2023, 5, 10, 20, tzinfo=UTC)
    [span] = find("I woke up at 5:30.", at)
    assert sides(span.interval) == ("2023-05-10 05:30", "2023-05-10 05:31")


@pytest.mark.parametrize(
    ("phrase", "start"),
    [
        ("last Diwali", "2022-10-24"),
        ("Chinese New Year", "2024-02-10"),
        ("Yom Kippur 2022", "2022-10-05"),
        ("two days before Eid al-Fitr", "2024-04-08"),
        ("去年春节", "2022-02-01"),
        ("中秋节", "2023-09-29"),
    ],
)
def test_feasts_of_other_calendars(phrase: str, start: str) -> None:
    found = resolve(phrase, AT)
    assert found is not None
    assert found.start == datetime.fromisoformat(start).replace(tzinfo=UTC)


@pytest.mark.parametrize("year", [2, 1800, 2500, 9998])
def test_a_feast_that_no_calendar_has_is_left_open_or_sound(year: int) -> None:
    for phrase in ("last Diwali", "Passover", "春节"):
        found = resolve(phrase, AT.replace(year=year))
        assert found is None or (found.start is not None and abs(found.start.year - year) <= 1)


def test_importing_loads_no_holidays() -> None:
    code = "import sys, evermem_cli.timespan as t; t.duration('two weeks'); sys.exit('holidays' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
