"""Words about time → intervals."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from dateutil import tz
from dateutil.relativedelta import relativedelta
from hypothesis import given
from hypothesis import strategies as st

from evermem_cli.timespan import Interval, duration, find, resolve, validity

AT = datetime(2023, 5, 10, 15, 30, tzinfo=UTC)  # a Wednesday
REFERENCES = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))
TIME_WORDS = (
    "last next this the a few two three 3 15th first since until before after from to between and of in on at ago week "
    "month year day weekend Monday friday May march 2014 10/31 5:30 3pm noon tomorrow yesterday early late end "
    "quarter summer Christmas - , . 99999 0 1.5 second every for half decade century 上 下 周三 三 月 号 "
    "年 前 后 起 从 到 半 个 天"
)
VOCABULARY = st.sampled_from(TIME_WORDS.split())


def sides(interval: Interval | None) -> tuple[str | None, str | None] | None:
    """Both sides as text, without seconds, a midnight as its date."""

    def shown(side: datetime | None) -> str | None:
        return f"{side:%Y-%m-%d %H:%M}".removesuffix(" 00:00") if side else None

    return (shown(interval.start), shown(interval.end)) if interval else None


@pytest.mark.parametrize(
    ("phrase", "start", "end"),
    [
        ("yesterday", "2023-05-09", "2023-05-10"),
        ("the day after tomorrow", "2023-05-12", "2023-05-13"),
        ("last Friday", "2023-05-05", "2023-05-06"),
        ("last Wednesday", "2023-05-03", "2023-05-04"),
        ("next Friday", "2023-05-19", "2023-05-20"),
        ("this Friday", "2023-05-12", "2023-05-13"),
        ("last week", "2023-05-01", "2023-05-08"),
        ("two weekends ago", "2023-04-29", "2023-05-01"),
        ("this past weekend", "2023-05-06", "2023-05-08"),
        ("last summer", "2022-06-01", "2022-09-01"),
        ("this winter", "2023-12-01", "2024-03-01"),
        ("next May", "2024-05-01", "2024-06-01"),
        ("a year ago", "2022-05-01", "2022-06-01"),
        ("10 years ago", "2013-01-01", "2014-01-01"),
        ("two weeks ago", "2023-04-26", "2023-04-27"),
        ("a few days ago", "2023-05-05", "2023-05-09"),
        ("in two months", "2023-07-10", "2023-07-11"),
        ("the last three months", "2023-02-10", "2023-05-10"),
        ("the next 3 days", "2023-05-11", "2023-05-14"),
        ("Friday, July 18, 2014", "2014-07-18", "2014-07-19"),
        ("Fri, Jul 18", "2025-07-18", "2025-07-19"),
        ("the 20th of last month", "2023-04-20", "2023-04-21"),
        ("the third Tuesday of September 2014", "2014-09-16", "2014-09-17"),
        ("first week of 2021", "2021-01-04", "2021-01-11"),
        ("mid-September", "2023-09-11", "2023-09-21"),
        ("the early nineties", "1990-01-01", "1993-05-01"),
        ("Nov 18 - Dec 19, 2015", "2015-11-18", "2015-12-20"),
        ("5 to 7 April", "2024-04-05", "2024-04-08"),
        ("three days after Easter 2013", "2013-04-03", "2013-04-04"),
        ("nineteen ninety six", "1996-01-01", "1997-01-01"),
        ("tomorrow at noon", "2023-05-11 12:00", "2023-05-11 13:00"),
        ("tomorrow evening at eight o'clock", "2023-05-11 20:00", "2023-05-11 21:00"),
        ("3:15pm", "2023-05-11 15:15", "2023-05-11 15:16"),
        ("tomorrow from 9 am to 5 pm", "2023-05-11 09:00", "2023-05-11 17:00"),
        ("since March", "2023-03-01", None),
        ("starting Monday", "2023-05-15", None),
        ("until the 11th", None, "2023-05-12"),
        ("until September", None, "2023-09-01"),
        ("until the end of May", None, "2023-06-01"),
        ("3 to 4 days ago", "2023-05-06", "2023-05-08"),
        ("in 2-3 weeks", "2023-05-24", "2023-06-01"),
        ("before 2018", None, "2018-01-01"),
        ("after 2016", "2017-01-01", None),
        ("for ten days", "2023-05-10 15:30", "2023-05-20 15:30"),
        ("2023-05-08T13:56", "2023-05-08 13:56", "2023-05-08 13:57"),
        ("12 de marzo de 2023", "2023-03-12", "2023-03-13"),
        ("下周三", "2023-05-17", "2023-05-18"),
        ("从三月起", "2023-03-01", None),
        ("两周前", "2023-04-26", "2023-04-27"),
        ("十天", "2023-05-10 15:30", "2023-05-20 15:30"),
        ("上个月底", "2023-04-21", "2023-05-01"),
        ("九十年代", "1990-01-01", "2000-01-01"),
        ("月初", "2023-05-01", "2023-05-11"),
        ("明天下午两点半", "2023-05-11 14:30", "2023-05-11 14:31"),
        ("截至6月30日", None, "2023-07-01"),
    ],
)
def test_a_phrase_alone_resolves(phrase: str, start: str | None, end: str | None) -> None:
    assert sides(resolve(phrase, AT)) == (start, end)


@pytest.mark.parametrize(
    ("phrase", "start", "end"),
    [
        ("October", "2022-10-01", "2022-11-01"),
        ("since October", "2022-10-01", None),
        ("May", "2023-05-01", "2023-06-01"),
        ("late December", "2022-12-21", "2023-01-01"),
        ("May 11", "2022-05-11", "2022-05-12"),
        ("Friday", "2023-05-05", "2023-05-06"),
        ("Wednesday", "2023-05-10", "2023-05-11"),  # the day on which it is said
        ("Friday at 3pm", "2023-05-05 15:00", "2023-05-05 16:00"),
        ("the 31st", "2023-03-31", "2023-04-01"),
        ("February 29", "2020-02-29", "2020-03-01"),
        ("12 de junio", "2022-06-12", "2022-06-13"),
        ("十月", "2022-10-01", "2022-11-01"),
        ("30 days", "2023-04-10", None),
        ("October 2023", "2023-10-01", "2023-11-01"),
        ("next Friday", "2023-05-19", "2023-05-20"),
        ("in two weeks", "2023-05-24", "2023-05-25"),
    ],
)
def test_a_half_stated_time_that_has_begun_is_the_last_one(phrase: str, start: str, end: str | None) -> None:
    assert sides(resolve(phrase, AT, begun=True)) == (start, end)


@pytest.mark.parametrize(
    "phrase",
    [
        "",
        "we",
        "soon",
        "someday",
        "one day",
        "the other day",
        "years ago",
        "every Monday",
        "feb 30",
        "banana",
        "5 apples",
        "2015-32",
        "up to date",
        "每周三",
        "以后再说",
        "999 centuries ago",
        "999 centuries",
    ],
)
def test_what_is_not_understood_stays_open(phrase: str) -> None:
    assert resolve(phrase, AT) is None


def test_grain_is_the_unit_the_words_name() -> None:
    grains = {
        phrase: found.grain
        for phrase in ("last year", "in May", "May 3", "last week", "the 90s", "Q3 2019")
        if (found := resolve(phrase, AT))
    }
    assert grains == {
        "last year": "year",
        "in May": "month",
        "May 3": "day",
        "last week": "week",
        "the 90s": "decade",
        "Q3 2019": "quarter",
    }


def test_intervals_are_in_the_zone_of_the_reference() -> None:
    at = datetime(2024, 3, 30, 23, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    tomorrow = resolve("tomorrow", at)
    assert tomorrow and tomorrow.start and tomorrow.end
    assert (tomorrow.start.day, tomorrow.end.day, tomorrow.start.tzinfo) == (31, 1, at.tzinfo)
    assert tomorrow.end.astimezone(UTC) - tomorrow.start.astimezone(UTC) == timedelta(hours=23)


@pytest.mark.parametrize(
    ("message", "start", "end"),
    [
        ("On Friday, I got great news!", "2023-05-05", "2023-05-06"),
        ("See you on Friday!", "2023-05-12", "2023-05-13"),
        ("Bad news, the cat died on Friday.", "2023-05-05", "2023-05-06"),
        ("We went hiking in September and loved it.", "2022-09-01", "2022-10-01"),
        ("We will go hiking in September.", "2023-09-01", "2023-10-01"),
        ("I missed two runs in September due to work.", "2022-09-01", "2022-10-01"),
        ("The baby is due to arrive in September.", "2023-09-01", "2023-10-01"),
        ("It's scheduled to depart on August 15th.", "2023-08-15", "2023-08-16"),
        ("The cat died. Friday. Poor thing.", "2023-05-05", "2023-05-06"),
        ("Dinner at ours? Friday. We will cook.", "2023-05-12", "2023-05-13"),
        ("她周五来了。", "2023-05-05", "2023-05-06"),
        ("她周五要来。", "2023-05-12", "2023-05-13"),
    ],
)
def test_a_bare_name_follows_the_tense(message: str, start: str, end: str) -> None:
    assert [sides(span.interval) for span in find(message, AT)] == [(start, end)]


def test_several_phrases_are_found_in_order_with_their_offsets() -> None:
    text = "We met last summer, and since March we have dinner on 11/20, 11/22 or Friday."
    assert [span.text for span in find(text, AT)] == ["last summer", "since March", "11/20", "11/22", "Friday"]
    assert all(text[span.start_offset : span.end_offset] == span.text for span in find(text, AT))


@pytest.mark.parametrize(
    "message",
    [
        "I may go, but she may not.",
        "May I ask you something?",
        "The sun was out and we sat down.",
        "They march for peace.",
        "Wait a second!",
        "It was tough at first, but I made it.",
        "That was my first time on the second floor.",
        "I paid 2000 dollars for 1500 words.",
        "I read it in a week and loved it.",
        "At the last minute we left.",
        "A 4:3 aspect ratio and a 1:1 meeting.",
        "We go there every Friday, on Mondays and each May.",
        "My dentist uses the most up to date equipment.",
        "Call me al (206) 555-1212, code 133-03-03-2020.",
        "She is in her early thirties.",
        "我每周三游泳，一般会很累。",
    ],
)
def test_messages_that_name_no_time_are_left_alone(message: str) -> None:
    assert find(message, AT) == []


@pytest.mark.parametrize(
    ("sentence", "start", "end"),
    [
        ("I'm on antibiotics for ten days, so no alcohol.", "2023-05-10 15:30", "2023-05-20 15:30"),
        ("I'm on antibiotics, 10 days.", "2023-05-10 15:30", "2023-05-20 15:30"),
        ("I started on a ten-day course of antibiotics today.", "2023-05-10", "2023-05-20"),
        ("I'm on antibiotics until the 11th.", "2023-05-10 15:30", "2023-05-12"),
        ("Choir is on Friday, every week, until June.", "2023-05-12", "2023-06-01"),
        ("No sugar for the next two weeks.", "2023-05-10 15:30", "2023-05-24 15:30"),
        ("I'm dating Sam since March.", "2023-03-01", None),
        ("I worked there until last month.", None, "2023-05-01"),
        ("Starting Monday I'm on leave.", "2023-05-15", None),
        ("I fly to Leeds next Wednesday.", "2023-05-17", "2023-05-18"),
        ("The flight is not on the 20th, it's on the 22nd.", "2023-05-22", "2023-05-23"),
        ("她的航班不是20日，是22日。", "2023-05-22", "2023-05-23"),
        ("I'm not there on Friday.", "2023-05-12", "2023-05-13"),
        ("I'm away from May to July.", "2023-05-01", "2023-08-01"),
        ("My cousin stays with us from Monday until next Friday.", "2023-05-15", "2023-05-20"),
        ("We leave on a two-week trip starting Monday.", "2023-05-15", "2023-05-29"),
        ("I have been vegan for two years.", "2021-05-10", None),
        ("I used to smoke.", None, "2023-05-10 15:30"),
        ("We split last month.", "2023-04-01", "2023-05-01"),
        ("吃十天抗生素。", "2023-05-10 15:30", "2023-05-20 15:30"),
        ("我从三月起吃素。", "2023-03-01", None),
        ("休假到下周五。", "2023-05-10 15:30", "2023-05-20"),
        ("我以前抽烟。", None, "2023-05-10 15:30"),
    ],
)
def test_a_sentence_says_from_when_to_when_it_holds(sentence: str, start: str | None, end: str | None) -> None:
    assert sides(validity(sentence, AT)) == (start, end)


@pytest.mark.parametrize(
    "sentence",
    [
        "New year, new me.",
        "I have a cold.",
        "I'm used to it.",
        "I lived there for ten years.",
        "My three-year-old son sings.",
    ],
)
def test_a_sentence_may_say_nothing_of_its_time(sentence: str) -> None:
    assert validity(sentence, AT) is None


@pytest.mark.parametrize(
    ("phrase", "length"),
    [
        ("for ten days", relativedelta(days=10)),
        ("a ten-day course", relativedelta(days=10)),
        ("two weeks", relativedelta(weeks=2)),
        ("two and a half hours", relativedelta(hours=2, minutes=30)),
        ("one year and three months", relativedelta(years=1, months=3)),
        ("half a year", relativedelta(months=6)),
        ("2.5 hours", relativedelta(hours=2, minutes=30)),
        ("十天", relativedelta(days=10)),
        ("一个半月", relativedelta(months=1, days=15)),
        ("半年", relativedelta(months=6)),
        ("no length at all", None),
    ],
)
def test_lengths_of_time(phrase: str, length: relativedelta | None) -> None:
    assert duration(phrase) == length


def test_importing_loads_no_dateparser() -> None:
    code = "import sys, evermem_cli.timespan; sys.exit('dateparser' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@given(st.lists(VOCABULARY, max_size=12), REFERENCES)
def test_spans_of_any_text_are_ordered_and_sound(words: list[str], at: datetime) -> None:
    text = " ".join(words)
    end = 0
    for span in find(text, at):
        assert end <= span.start_offset < span.end_offset <= len(text)
        assert text[span.start_offset : span.end_offset] == span.text
        start, stop = span.interval.start, span.interval.end
        assert start is not None or stop is not None
        assert start is None or stop is None or start <= stop
        end = span.end_offset


@given(st.text(max_size=60), REFERENCES)
def test_no_text_is_too_odd(text: str, at: datetime) -> None:
    find(text, at)
    validity(text, at)
    duration(text)


@given(st.dates(datetime(1960, 1, 1).date(), datetime(2049, 1, 1).date()), REFERENCES)
def test_a_full_date_means_that_day_however_it_is_written(date: datetime, at: datetime) -> None:
    day = datetime(date.year, date.month, date.day, tzinfo=UTC)
    for form in ("%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%a, %b %d, %Y", "%m/%d/%Y", "%d-%b-%Y", "%Y年%m月%d日"):
        found = resolve(day.strftime(form), at)
        assert found == Interval(day, day + timedelta(days=1), "day")


@given(REFERENCES, st.sampled_from(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]))
def test_last_and_next_weekdays_lie_on_both_sides(at: datetime, name: str) -> None:
    last, coming, following = (resolve(f"{word} {name}", at) for word in ("last", "this", "next"))
    assert last and coming and following
    assert last.start and last.end and coming.start and following.start
    assert last.end <= at.replace(hour=0, minute=0, second=0, microsecond=0)
    assert at - last.start < timedelta(days=8)
    assert coming.start > at
    assert last.start.strftime("%A") == following.start.strftime("%A") == name


@given(REFERENCES, st.integers(1, 300))
def test_days_ago_and_days_ahead_mirror_each_other(at: datetime, days: int) -> None:
    ago, ahead = resolve(f"{days} days ago", at), resolve(f"in {days} days", at)
    assert ago and ahead and ago.start and ahead.start
    assert (ahead.start - ago.start).days == 2 * days
    assert resolve(f"{days}天前", at) == ago


@given(REFERENCES, st.sampled_from(["week", "month", "quarter", "year"]))
def test_last_this_and_next_join_without_a_gap(at: datetime, grain: str) -> None:
    last, this, following = (resolve(f"{word} {grain}", at) for word in ("last", "this", "next"))
    assert last and this and following
    assert (last.end, this.end) == (this.start, following.start)
    assert this.start and this.end and this.start <= at < this.end


@given(REFERENCES, st.integers(-11, 12))
def test_the_zone_moves_the_day(at: datetime, hours: int) -> None:
    local = at.astimezone(timezone(timedelta(hours=hours)))
    today = resolve("today", local)
    assert today and today.start and today.end
    assert today.start <= at < today.end
    assert today.start.utcoffset() == timedelta(hours=hours)


def test_a_past_form_after_an_article_is_no_verb() -> None:
    said = datetime(2025, 3, 20, tzinfo=UTC)
    held = validity("Stress fracture in the left shin, the doc says no more running till June.", said)
    assert held is not None
    assert (held.start, held.end) == (said, datetime(2025, 6, 1, tzinfo=UTC))


def test_a_day_without_its_month_is_in_the_one_named_before_if_that_is_ahead_as_well() -> None:
    said = datetime(2025, 3, 19, tzinfo=UTC)
    trip, race = find("I'd say 16 to 20 May. The Harbour Half is on the 11th.", said)
    assert (trip.interval.start, race.interval.start) == (
        datetime(2025, 5, 16, tzinfo=UTC),
        datetime(2025, 5, 11, tzinfo=UTC),
    )
    _, back = find("The trip was on 16 February. I'll be there on the 21st.", said)
    assert back.interval.start == datetime(2025, 3, 21, tzinfo=UTC)


def test_a_month_after_a_word_for_a_person_is_a_name() -> None:
    said = datetime(2025, 3, 6, tzinfo=UTC)
    assert [span.text for span in find("My colleague Jan is away. My sister April comes in May.", said)] == ["May"]


def test_what_is_ago_is_ago_after_a_verb_with_in_as_well() -> None:
    at = datetime(2023, 4, 18, 12, tzinfo=UTC)
    [span] = find("Which event did I take part in two weeks ago?", at)
    assert span.text == "two weeks ago"
    assert span.interval.start == datetime(2023, 4, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        f"{'1' * 5000} days ago, yesterday",
        f"in {'9' * 10} years, yesterday",
        f"on the {'1' * 5000} of May, yesterday",
        f"{'1' * 5000}天前，昨天",
        f"{'一' * 5000}年前，昨天",
    ],
)
def test_a_number_of_more_digits_than_any_time_has_is_none(text: str) -> None:
    assert find(text, datetime(2025, 3, 6, tzinfo=UTC))[-1].text in ("yesterday", "昨天")


EDGES = (
    "9999-12-31T23:59:59-14:00",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59+14:00",
    "0001-01-01T00:00:00-14:00",
)
FAR = (
    "tomorrow",
    "yesterday",
    "for ten days",
    "in 10 years",
    "for 9000 years",
    "9000 years ago",
    "since May",
    "12 de mayo de 9999",
    "31 December 9999",
    "1 January 0001",
    "this weekend",
    "next decade",
    "last century",
    "until Friday",
    "明天",
    "去年",
    "三天前",
)


@pytest.mark.parametrize("edge", EDGES)
def test_what_reaches_past_the_calendar_is_not_understood(edge: str) -> None:
    for zone in (None, UTC, ZoneInfo("Asia/Tokyo"), ZoneInfo("America/Los_Angeles")):
        at = datetime.fromisoformat(edge)
        at = at.replace(tzinfo=zone) if zone else at
        for phrase in FAR:
            told = [resolve(phrase, at), validity(f"I stay {phrase}.", at)]
            told += [span.interval for span in find(f"We met {phrase} and left.", at)]
            for interval in filter(None, told):
                assert all(edge.astimezone(UTC) for edge in (interval.start, interval.end) if edge)
    assert resolve("for 9000 years", AT) is None


def test_a_text_longer_than_any_date_is_not_tried_as_one() -> None:
    date = "12 de mayo de 2023"
    assert resolve(date, datetime(2026, 6, 1, tzinfo=UTC))
    assert resolve(f"{date}{' ' * 100_000}", datetime(2026, 6, 1, tzinfo=UTC)) is None


@pytest.mark.parametrize("figures", ["02.03.2026", "2.3.26", "2026-03-02", "3/2/2026", "03.02.2026"])
def test_figures_between_dots_begin_with_the_day(figures: str) -> None:
    found = resolve(figures, datetime(2026, 11, 26, tzinfo=UTC))
    assert (
        found
        and found.start
        and (found.start.month, found.start.day) == ((2, 3) if figures == "03.02.2026" else (3, 2))
    )


@pytest.mark.parametrize("chain", ["2024-02-30" * 200, "-".join(["12"] * 2000), "from may to " * 300])
def test_a_chain_of_figures_without_an_end_is_read(chain: str) -> None:
    *_, last = find(f"{chain} and then on 3 May 2024", AT)
    assert last.interval.start == datetime(2024, 5, 3, tzinfo=UTC)


def test_one_moment_is_another_day_in_another_time_zone() -> None:
    said = datetime(2024, 5, 3, 23, tzinfo=UTC)
    days = [
        find("I came yesterday.", said.astimezone(zone))[0].interval.start for zone in (UTC, tz.gettz("Asia/Tokyo"))
    ]
    assert [day.day for day in days if day] == [2, 3]
