"""What time words in a message are taken to mean when it is read."""

from datetime import UTC, datetime

import pytest

from evermem_cli.recollection.dates import dated, in_tongue

AT = datetime(2023, 8, 23, 15, 31, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Yesterday was great.", "Yesterday [22 August 2023] was great."),
        ("We met last Friday.", "We met last Friday [Friday 18 August 2023]."),
        ("We met on the 15th.", "We met on the 15th [15 August 2023]."),
        ("I painted it last week.", "I painted it last week [the week before 23 August 2023]."),
        ("Last weekend we hiked.", "Last weekend [the weekend before 23 August 2023] we hiked."),
        ("It began a few days ago.", "It began a few days ago [a few days before 23 August 2023]."),
        ("Next month we go camping.", "Next month [September 2023] we go camping."),
        ("Last summer was hot.", "Last summer [summer 2022] was hot."),
        ("Last winter was mild.", "Last winter [December 2022 to February 2023] was mild."),
        ("我们去年夏天搬家了", "我们去年夏天 [2022年夏天]搬家了"),
        ("I moved last year.", "I moved last year [2022]."),
        ("我下周三去北京", "我下周三 [2023年8月30日]去北京"),
        ("I've been running since last October.", "I've been running since last October [October 2022]."),
        ("I can stay until Friday.", "I can stay until Friday [Friday 25 August 2023]."),
        ("Lunch is moved from Friday to Monday.", "Lunch is moved from Friday to Monday [Monday 28 August 2023]."),
        ("I've reserved the hall for the 14th of June.", "I've reserved the hall for the 14th of June [14 June 2024]."),
        ("The flight is booked, 24 May.", "The flight is booked, 24 May [24 May 2024]."),
        ("We went there for the weekend.", "We went there for the weekend [the weekend before 23 August 2023]."),
        ("Since the operation in spring I can't run.", "Since the operation in spring [spring 2023] I can't run."),
        ("Since we leave on Friday, ask Tom.", "Since we leave on Friday [Friday 25 August 2023], ask Tom."),
    ],
)
def test_a_time_phrase_is_followed_by_its_date(text: str, read: str) -> None:
    assert dated(text, AT) == read


def test_days_from_and_to_are_both_told() -> None:
    for told, meant in (("16 to 20 May", "16 to 20 May 2023"), ("28 May to 2 June", "28 May 2023 to 2 June 2023")):
        assert dated(f"We are away {told}.", datetime(2023, 3, 1, tzinfo=UTC)) == f"We are away {told} [{meant}]."


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("I've been painting for seven years.", "2016"),
        ("I've been playing for about four months now and love it.", "April 2023"),
        ("We have lived here for well over two years.", "2021"),
        ("Seven years now, and I still love it!", "2016"),
    ],
)
def test_a_length_of_time_that_goes_on_gets_its_beginning(text: str, since: str) -> None:
    assert dated(text, AT) == f"{text} [since {since}]"


@pytest.mark.parametrize(
    "text",
    [
        "I was born in 1990.",
        "See you in May 2024!",
        "Still 6:20, sorry.",
        "More than two weeks later I left.",
        "Nothing about time here.",
    ],
)
def test_what_needs_no_date_stays_as_it_was(text: str) -> None:
    assert dated(text, AT) == text


@pytest.mark.parametrize(
    ("text", "tongue", "told"),
    [
        ("2025年12月25日", "en", "25 December 2025"),
        ("2025年12月", "en", "December 2025"),
        ("2025年", "en", "2025"),
        ("25 December 2025", "zh", "2025年12月25日"),
        ("25 December 2025", "en", "25 December 2025"),
        ("2025年5月16日到2025年5月20日", "en", "2025年5月16日到2025年5月20日"),
        ("Memory does not say.", "zh", "Memory does not say."),
    ],
)
def test_a_date_is_told_in_the_language_of_the_question(text: str, tongue: str, told: str) -> None:
    assert in_tongue(text, AT, tongue) == told
