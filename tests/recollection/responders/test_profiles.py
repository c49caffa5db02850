"""What profiles know, in the language of the question, whatever language it was told in.

The assertions are given, so that the questions alone are read here.
"""

from datetime import UTC, datetime, timedelta

import pytest

from evermem_cli.cli.presentation.profiles import held
from evermem_cli.consolidation.history import history
from evermem_cli.memory import Assertion, CalendarTime, Stance
from evermem_cli.recollection.people.descriptions import lasted
from tests.consolidation.test_assertions import SAID_AT
from tests.recollection.asking import known_answer, known_notes


def said(
    attribute: str,
    value: str,
    day: str = "2025-03-01",
    stance: Stance = Stance.HOLDS,
    *,
    since: tuple[str, str] = ("", ""),
    until: tuple[str, str] = ("", ""),
) -> Assertion:
    """An assertion of this day; `since` and `until` are a first day and its grain, where those were told."""
    at = datetime.fromisoformat(f"{day}T09:00+00:00")
    return Assertion(
        id=f"{attribute} {value} {day}",
        user_id="ann",
        attribute=attribute,
        value=value,
        stance=stance,
        valid_at=_time(*since) or at,
        invalid_at=_time(*until),
        said_at=at,
        confidence=0.9,
        message_ids=(day,),
    )


def _time(day: str, grain: str) -> CalendarTime | None:
    return CalendarTime(datetime.fromisoformat(day), grain) if day else None


SAID = (
    said("allergies", "walnuts"),
    said("contacts", "Helen (boss)"),
    said("location", "成都"),
    said("medication", "antibiotics", until=("2025-03-11", "day")),
    said("restrictions", "no alcohol", until=("2025-03-11", "day")),
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What am I allergic to?", "walnuts (since 1 March 2025)"),
        ("我对什么过敏？", "核桃（2025年3月1日起）"),
        ("我对核桃过敏吗？", "是的：核桃（2025年3月1日起）"),
        ("我的老板是谁？", "Helen (boss)（2025年3月1日起）"),
        ("Which city do I live in?", "成都 (since 1 March 2025)"),
        ("我能喝酒吗？", "不可以：忌酒，到2025年3月11日为止"),
        ("Can I drink alcohol?", "No: no alcohol until 11 March 2025"),
    ],
)
def test_a_question_is_answered_in_its_language(question: str, told: str) -> None:
    assert known_answer(question, SAID) == told


def test_who_one_is_has_labels_in_the_language_of_the_question() -> None:
    assert "过敏: 核桃（2025年3月1日起）\n" in str(known_answer("我是谁？", SAID))
    assert "allergies: walnuts (since 1 March 2025)\n" in str(known_answer("Who am I?", SAID))


def test_an_age_is_shown_with_the_day_of_which_it_was_told() -> None:
    [first, last] = history("age", (said("age", "34", "2022-03-01"), said("age", "36", "2024-05-06")))
    assert [held(fact, UTC, "en") for fact in (first, last)] == ["as of 1 Mar 2022", "as of 6 May 2024"]
    assert lasted(first, "zh") == "34（2022年3月1日时）"


@pytest.mark.parametrize(
    ("told", "now"),
    [
        ([("age", "34", "2025-02-01")], "34 (as of 1 February 2025)"),
        ([("age", "34", "2022-02-01")], "37 or 38 (34 on 1 February 2022)"),
        ([("age", "31", "2022-02-20"), ("age", "32", "2022-02-25")], "35 (32 on 25 February 2022)"),
        ([("age", "8 months", "2022-02-01")], "8 months (as of 1 February 2022)"),
        ([("age", "34", "2022-02-01"), ("birthday", "8 March 1992", "2023-01-01")], "32 (born 8 March 1992)"),
        ([("birthday", "March 1992", "2023-01-01")], "32 or 33 (born March 1992)"),
        ([("age", "34", "2025-02-01"), ("birthday", "8 March 2025", "2025-02-01")], "34 (as of 1 February 2025)"),
    ],
)
def test_an_age_is_reckoned_for_the_day_asked_about(told: list[tuple[str, str, str]], now: str) -> None:
    assert known_answer("How old am I?", [said(*each) for each in told]) == now


def test_who_it_was_is_not_asked_of_what_one_may() -> None:
    assert known_answer("Who drinks with me?", SAID) is None
    assert known_notes("Who drinks with me?", SAID) == []


def test_what_is_to_come_is_not_known_of_a_day_before_it() -> None:
    for question in (
        "What am I allergic to?",
        "Which city do I live in?",
        "Can I drink alcohol?",
        "Am I allergic to walnuts?",
    ):
        then = SAID_AT - timedelta(days=60)
        assert (known_answer(question, SAID, then), known_notes(question, SAID, then)) == (None, [])


def test_only_a_name_answers_a_question_for_a_name() -> None:
    cat, counted = said("pets", "Biscuit (cat)"), said("pets", "one cat")
    assert known_answer("What is my cat called?", [counted]) is None
    assert known_answer("Which pets do I have?", [counted]) is not None
    assert "Biscuit" in str(known_answer("What is my cat called?", [cat]))


@pytest.mark.parametrize(
    ("attribute", "value", "question", "told"),
    [
        ("employer", "Acme", "Who do I work for?", "Acme (since 1 March 2025)"),
        ("habits", "yoga at half past six", "Which day is my day off?", None),
        ("housing", "half a room", "Who do I share my room with?", None),
    ],
)
def test_a_value_answers_only_a_question_of_its_form(
    attribute: str, value: str, question: str, told: str | None
) -> None:
    assert known_answer(question, [said(attribute, value)]) == told


def test_several_periods_are_told_where_the_question_asks_for_all_and_not_for_one_that_is_unknown() -> None:
    drugs = [said("medication", "metformin", since=("2024-01-01", "month")), said("medication", "ibuprofen")]
    assert str(known_answer("How long have I been taking my medication?", drugs)).startswith("metformin: since January")
    contacts = [said("contacts", "Mr Dhillon"), said("contacts", "Bettina")]
    assert known_answer("How long have I had my physio?", contacts) is None


@pytest.mark.parametrize(
    ("value", "question", "told"),
    [
        ("physio Dr Braun", "Who is my boss?", None),
        ("boss is Karla", "Who is my boss?", "boss is Karla (since 1 March 2025)"),
        ("Karla", "Who is my boss?", None),
        ("Priya (boss)", "Who is my partner?", None),
        ("landlord is Mr Okafor", "Who is my partner?", None),
    ],
)
def test_who_has_another_role_is_not_who_was_asked_for(value: str, question: str, told: str | None) -> None:
    assert known_answer(question, [said("contacts", value)]) == told


def test_what_was_bought_is_owned() -> None:
    assert known_answer("Do I own a car?", [said("car", "Golf")]) == "Yes: Golf (since 1 March 2025)"


LIFE = (
    said("pets", "Biscuit (cat)", "2025-01-10"),
    said("employer", "Acme", "2025-01-20"),
    said("location", "Leeds", "2025-01-20"),
    said("diet", "vegan", "2025-03-01", since=("2025-02-01", "month")),
    said("health", "the flu", "2025-03-05", until=("2025-03-15", "day")),
    said("restrictions", "no alcohol", "2025-03-05", until=("2025-03-15", "day")),
    said("allergies", "walnuts", "2025-04-02"),
    said("location", "York", "2025-05-10", since=("2025-04-28", "week")),
    said("employer", "Acme", "2025-08-01", Stance.ENDED),
    said("employer", "Corvane", "2025-08-01", since=("2025-08-01", "day")),
    said("health", "sprained ankle", "2025-08-20"),
    said("restrictions", "no run", "2025-08-20", until=("2025-10-01", "month")),
    said("hobbies", "吉他", "2025-08-21"),
)
THEN = datetime(2025, 9, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How long have I been vegan?", "vegan: since February 2025, about 7 months"),
        ("Since when do I have a cat?", "Biscuit (cat): at least since 10 January 2025, about 8 months"),
        ("since when do i have biscuit", "Biscuit (cat): at least since 10 January 2025, about 8 months"),
        ("How long have I had a cat?", "Biscuit (cat): at least since 10 January 2025, about 8 months"),
        ("How long has Ann lived in York?", "York: since the week of 28 April 2025, about 4 months"),
        ("How long did I live in Leeds?", "Leeds: at least since 20 January 2025, until the week of 28 April 2025"),
        ("Until when did I work at Acme?", "Acme: at least since 20 January 2025, until 1 August 2025"),
        ("我住在York多久了？", "York：2025年4月28日那周起，约4个月"),
        ("When did I get Biscuit?", None),
        ("When did I get a haircut?", None),
        ("Since when do I work?", "Corvane: since 1 August 2025, about 4 weeks"),
        ("Since when does my sister have a cat?", None),
        ("Since when does my sister live?", None),
        ("How long is the flight?", None),
        ("How long have I been a nurse?", None),
    ],
)
def test_since_when_and_until_when_is_told_with_what_was_told_of_it(question: str, told: str | None) -> None:
    assert answer_now(question) == told


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Do I have any pets?", "Yes: Biscuit (cat) (since 10 January 2025)"),
        ("Does Ann have a pet?", "Yes: Biscuit (cat) (since 10 January 2025)"),
        ("Am I allergic to anything?", "Yes: walnuts (since 2 April 2025)"),
        ("Do I have a job now?", "Yes: Corvane (since 1 August 2025)"),
        ("Do I have children?", None),
        ("Do I have a rabbit?", None),
        ("Until when can't I run?", "no run until October 2025"),
        ("When can I run again?", "no run: at least since 20 August 2025, until October 2025"),
        ("When may I drink alcohol again?", "Yes: the restriction ended on 15 March 2025"),
        ("Whats my cats name", "Biscuit (cat) (since 10 January 2025)"),
        ("where do i live now", "York (since the week of 28 April 2025)"),
    ],
)
def test_whether_there_is_any_and_what_one_may_is_looked_up(question: str, told: str | None) -> None:
    assert answer_now(question) == told


def answer_now(question: str) -> str | None:
    return known_answer(question, LIFE, THEN)


@pytest.mark.parametrize(
    ("day", "told"),
    [
        ("2025-03-10", "No: no alcohol until 11 March 2025"),
        ("2025-03-20", "Yes: the restriction ended on 11 March 2025"),
    ],
)
def test_what_one_may_do_follows_the_restriction_and_its_end(day: str, told: str) -> None:
    then = datetime.fromisoformat(f"{day}T09:00+00:00")
    assert known_answer("Can I drink alcohol?", SAID, then) == told


def test_who_has_quit_does_not_smoke() -> None:
    known = [said("smoking", "quit smoking")]
    assert known_answer("Do I smoke?", known, THEN) == "No: quit smoking (since 1 March 2025)"


def test_what_was_given_up_was_there_before() -> None:
    life = [said("car", "Golf", "2025-01-10", Stance.ENDED)]
    assert known_answer("Do I own a car?", life, THEN) == "No: until 10 January 2025 it was Golf"


KIN = (
    said("relationship", "single", "2025-01-10"),
    said("family", "one sister", "2025-02-01"),
    said("family", "Ada (sister)", "2025-02-01"),
    said("family", "Tom (brother)", "2025-02-01"),
    said("pets", "Pim (whippet)", "2025-02-03"),
    said("partner", "Idris", "2025-03-01"),
    said("relationship", "dating", "2025-03-01"),
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Do I have a boyfriend?", "partner: Idris (since 1 March 2025)"),  # or a girlfriend: nobody said
        ("Am I in a relationship?", "Yes: Idris (since 1 March 2025)"),
        ("Am I single?", "No: Idris (since 1 March 2025)"),
        ("Am I married?", "No: dating (since 1 March 2025)"),
        ("Do I have a brother?", "Yes: Tom (brother)"),
        ("Do I have a daughter?", None),
        ("Does my sister have a brother?", None),
        ("What is my dog called?", "Pim (whippet) (since 3 February 2025)"),
        ("What is my cat called?", None),
    ],
)
def test_whom_one_has_is_looked_up_and_not_called_what_nobody_said(question: str, told: str | None) -> None:
    assert known_answer(question, KIN, THEN) == told


def test_before_there_was_somebody_one_was_single() -> None:
    then = datetime(2025, 2, 1, tzinfo=UTC)
    assert known_answer("Do I have a girlfriend?", KIN, then) == "No: single (since 10 January 2025)"
    assert known_answer("Am I single?", KIN, then) == "Yes: single (since 10 January 2025)"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Where did I live before April?", "Leeds (20 January 2025 to the week of 28 April 2025)"),
        ("Where have I lived since June?", "York (since the week of 28 April 2025)"),
        ("Where did I work until July?", "Acme (20 January 2025 to 1 August 2025)"),
        ("Where did I live before 2025?", None),
        ("Where did my boss live before May?", None),
        ("Where did I work with Helen before May?", None),
        ("Where will I live in May?", None),
    ],
)
def test_what_held_in_a_time_is_looked_up(question: str, told: str | None) -> None:
    assert answer_now(question) == told


@pytest.mark.parametrize(
    ("question", "diet", "told"),
    [
        ("Do I eat gluten?", "no gluten", "No: no gluten (since 1 March 2025)"),
        ("Am I gluten-free?", "no gluten", "Yes: no gluten (since 1 March 2025)"),
        ("Do I eat meat?", "no gluten", None),
        ("Am I vegetarian?", "no gluten", None),
        ("Do I eat meat?", "vegan", "No: vegan (since 1 March 2025)"),
        ("Am I vegetarian?", "vegan", "Yes: vegan (since 1 March 2025)"),
        ("Am I vegan?", "vegetarian", "No: vegetarian (since 1 March 2025)"),
        ("Do I eat meat?", "no meat", "No: no meat (since 1 March 2025)"),
        ("Am I vegetarian?", "no meat", "Yes: no meat (since 1 March 2025)"),
        ("Do I eat meat?", "meat", "Yes: meat (since 1 March 2025)"),
        ("Am I vegan?", "meat", "No: meat (since 1 March 2025)"),
    ],
)
def test_what_a_diet_leaves_out_is_not_eaten(question: str, diet: str, told: str | None) -> None:
    assert known_answer(question, [said("diet", diet)]) == told
