"""Lengths of time, and what came first, are worked out by code from dates."""

from datetime import UTC, date, datetime

import pytest

from evermem_cli.recollection.dates import days_named
from evermem_cli.recollection.questions.reckoning import read_reckoning

NOW = datetime(2025, 6, 15, 20, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "asked", "told", "answer"),
    [
        ("How many days ago did I buy a smoker?", ("When did I buy a smoker?",), ("5 June 2025",), "10 days ago"),
        ("How many weeks ago was the sale?", ("When was the sale?",), ("the week before 2 June 2025",), "2 weeks ago"),
        ("How long ago did Ann move to Rome?", ("When did Ann move to Rome?",), ("May 2023",), "2 years ago"),
        (
            "How many days ago did I launch my site when I signed the contract?",
            ("When did I launch my site?", "When was it that I signed the contract?"),
            ("1 May 2025", "Tuesday 20 May 2025"),
            "19 days ago",
        ),
        ("How long is it since I saw Ann?", ("When was it that I saw Ann?",), ("14 June 2025",), "1 day"),
        ("How many days until my exam?", ("When is my exam?",), ("20 June 2025",), "5 days"),
        ("How many days until the trip?", ("When is the trip?",), ("16 to 20 June 2025",), "1 day"),
        ("How long is it till I fly to Rome?", ("When is it that I fly to Rome?",), ("15 July 2025",), "4 weeks"),
        (
            "How many weeks had passed since I started lessons when I bought a guitar?",
            ("When was it that I started lessons?", "When was it that I bought a guitar?"),
            ("1 May 2025", "22 May 2025"),
            "3 weeks",
        ),
        (
            "How many days passed between the day I fixed the bike and my post, and the day I sold the car?",
            ("When was it that I fixed the bike and my post?", "When was it that I sold the car?"),
            ("1 May 2025", "4 May 2025"),
            "3 days",
        ),
        (
            "How many months lay between my visit to Rome and the wedding?",
            ("When was my visit to Rome?", "When was the wedding?"),
            ("May 2025", "12 January 2025"),  # in whichever order they are named
            "4 months",
        ),
        (
            "How many days before the party did I order the gift?",
            ("When did I order the gift?", "When was the party?"),
            ("1 May 2025", "8 May 2025"),
            "7 days before",
        ),
        (
            "How many days after the party did I pay?",
            ("When did I pay?", "When was the party?"),
            ("9 May 2025", "8 May 2025"),
            "1 day after",
        ),
        (
            "How long had I been a member of the club when I went to the meetup?",
            ("Since when had I been a member of the club?", "When was it that I went to the meetup?"),
            ("1 May 2025", "22 May 2025"),
            "3 weeks",
        ),
        (
            "Which book did I finish first, 'Emma' or 'Persuasion'?",
            ("When did I finish 'Emma'?", "When did I finish 'Persuasion'?"),
            ("9 May 2025", "April 2025"),
            "'Persuasion'",
        ),
        (
            "Which happened last, the purchase of the car or my trip to Rome?",
            ("When was the purchase of the car?", "When was my trip to Rome?"),
            ("9 May 2025", "April 2025"),
            "The purchase of the car",
        ),
        ("What day of the week was the wedding?", ("When was the wedding?",), ("9 May 2025",), "Friday"),
        (
            "Who did I meet first, Ann or the baker?",
            ("When did I meet Ann?", "When did I meet the baker?"),
            ("9 May 2025", "10 May 2025"),
            "Ann",
        ),
    ],
)
def test_what_is_asked_for_and_what_its_dates_tell(
    question: str, asked: tuple[str, ...], told: tuple[str, ...], answer: str
) -> None:
    worked_out = read_reckoning(question, NOW)
    assert worked_out is not None
    assert worked_out.questions == asked
    days = [days for each in told if (days := days_named(each, NOW))]
    assert worked_out.work_out(days) == answer


@pytest.mark.parametrize(
    "question",
    [
        "When did I buy a smoker?",
        "How many days did the trip take?",
        "Which book did I like more, 'Emma' or 'Persuasion'?",
        "What was the first issue with my car?",
        "Which film did I watch last week, 'Alien' or 'Heat'?",
        "Who was first, Ann or Bo?",
        "What day of the week is my class?",  # any of them
        "How long is it between breaks?",
        "How many days passed between the day I bought the car and the day I sold it?",  # "it" alone is not found
        "我几天前买的车？",
    ],
)
def test_other_questions_are_asked_as_they_are(question: str) -> None:
    assert read_reckoning(question, NOW) is None


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How many days ago did I buy a smoker?", ("May 2025",)),  # not so exact
        ("How many days ago did I buy a smoker?", ("1 July 2025",)),  # still to come
        ("How many days until my exam?", ("14 June 2025",)),  # past
        ("How many days before the party did I order the gift?", ("9 May 2025", "8 May 2025")),  # it was after
        ("How many days passed between the party and the wedding?", ("8 May 2025", "8 May 2025")),
        ("Who did I meet first, Ann or Bo?", ("9 May 2025", "May 2025")),
        ("What day of the week was the wedding?", ("May 2025",)),
    ],
)
def test_what_the_dates_do_not_tell_is_not_guessed(question: str, told: tuple[str, ...]) -> None:
    worked_out = read_reckoning(question, NOW)
    assert worked_out is not None
    assert worked_out.work_out([days for each in told if (days := days_named(each, NOW))]) is None


def test_the_days_that_an_answer_names() -> None:
    assert days_named("May 2025", NOW) == (date(2025, 5, 1), date(2025, 6, 1))
    for told in ("16 to 20 May 2025", "16 May to 2 June 2025"):  # counted from its first day
        assert days_named(told, NOW) == (date(2025, 5, 16), date(2025, 5, 17))
    assert days_named("2016.", NOW) == (date(2016, 1, 1), date(2017, 1, 1))
    assert days_named("since yesterday", NOW) is None
    assert days_named("Biscuit", NOW) is None
