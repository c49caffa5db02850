"""Days that do not exist name no time, in whatever form they are written, and leave what stands beside them alone."""

from calendar import monthrange
from datetime import UTC, datetime

import pytest

from evermem_cli import timespan

AT = datetime(2025, 6, 10, 12, tzinfo=UTC)
MONTHS = "January February March April May June July August September October November December".split()
WORDED = (
    "{day} {month}", "{day} {short}", "{day}th {month}", "the {day}th of {month}", "{month} {day}", "{short} {day}th",
    "{day} {month} 2025", "{month} {day}, 2025", "{day}-{short}-2025", "Friday {day} {month}",
)  # fmt: skip
NUMERIC = (
    "{day}/{number}", "{day}/{number}/2025", "{day}.{number}.2025", "2025-{number:02}-{day}", "{number}月{day}日",
    "2025年{number}月{day}号",
)  # fmt: skip
AROUND = ("{}", "The wedding is on {}.", "We met {} in Rome.", "我{}去北京。")


@pytest.mark.parametrize("form", [*WORDED, *NUMERIC])
@pytest.mark.parametrize("number", range(1, 13))
def test_a_day_that_its_month_does_not_have_is_no_time(form: str, number: int) -> None:
    month = MONTHS[number - 1]
    first = monthrange(2024, number)[1] + 1
    for day in (first, max(first, 31), 32, 39):
        text = form.format(day=day, month=month, short=month[:3], number=number)
        for around in AROUND:
            assert timespan.find(around.format(text), AT) == [], text
        assert timespan.resolve(text, AT) is None


@pytest.mark.parametrize("form", [*WORDED[:-1], *NUMERIC])
@pytest.mark.parametrize("number", range(1, 13))
def test_the_last_day_of_each_month_is_one(form: str, number: int) -> None:
    month, last = MONTHS[number - 1], monthrange(2025, number)[1]
    text = form.format(day=last, month=month, short=month[:3], number=number)
    [span] = timespan.find(f"We met on {text}.", AT)
    assert (span.interval.start and span.interval.start.month, span.interval.grain) == (number, "day")


@pytest.mark.parametrize(
    "text", ["29 February 2025", "February 29, 2025", "29/02/2025", "2025-02-29", "29 Feb next year", "2025年2月29日"]
)
def test_the_29th_of_february_needs_a_leap_year(text: str) -> None:
    assert timespan.find(f"It was on {text}.", AT) == []
    assert timespan.resolve(text, AT) is None
    assert timespan.find(f"It was on {text}.".replace("2025", "2024"), AT) or "next year" in text


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("On 30 February or 2 March", ["2 March"]),
        ("1 April 31 people came", ["1 April"]),
        ("I paid 31 in April", ["April"]),
        ("We met on 31/11, that is on 1 December", ["1 December"]),
        ("February 2030", ["February 2030"]),
        ("In December 45 people came", ["December"]),
    ],
)
def test_what_stands_beside_such_a_day_is_read(sentence: str, told: list[str]) -> None:
    assert [span.text for span in timespan.find(sentence, AT)] == told
