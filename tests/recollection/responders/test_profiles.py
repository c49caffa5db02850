"""What profiles know, in the language of the question, whatever language it was told in."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from evermem_cli.memory import Assertion
from tests.consolidation.test_assertions import SAID_AT, chat, shown
from tests.recollection.asking import known_answer, known_notes

SAID = (
    "I'm allergic to walnuts. My boss is called Helen.",
    "我对核桃过敏。我搬到成都了。",
    "I'm on antibiotics for ten days, so no alcohol.",
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What am I allergic to?", "walnuts (since 1 March 2025)"),
        ("我对什么过敏？", "核桃（2025年3月1日起）"),
        ("我对核桃过敏吗？", "是的：核桃（2025年3月1日起）"),
        ("我的老板是谁？", "Helen (boss)（2025年3月1日起）"),
        ("Which city do I live in?", "Chengdu (since 1 March 2025)"),
        ("我能喝酒吗？", "不可以：忌酒，到2025年3月11日为止"),
        ("Can I drink alcohol?", "No: no alcohol until 11 March 2025"),
    ],
)
def test_a_question_is_answered_in_its_language(question: str, told: str) -> None:
    assertions = [each for text in SAID for each in shown(chat(text))]
    assert known_answer(question, assertions) == told


def test_who_one_is_has_labels_in_the_language_of_the_question() -> None:
    assertions = [each for text in SAID for each in shown(chat(text))]
    assert "过敏: 核桃（2025年3月1日起）\n" in str(known_answer("我是谁？", assertions))
    assert "allergies: walnuts (since 1 March 2025)\n" in str(known_answer("Who am I?", assertions))


def test_who_it_was_is_not_asked_of_what_one_may() -> None:
    assertions = [each for text in SAID for each in shown(chat(text))]
    assert known_answer("Who drinks with me?", assertions) is None
    assert known_notes("Who drinks with me?", assertions) == []
    assert known_notes("What did I drink?", assertions) != []


def test_what_is_to_come_is_not_known_of_a_day_before_it() -> None:
    assertions = [each for text in SAID for each in shown(chat(text))]
    for question in (
        "What am I allergic to?",
        "Which city do I live in?",
        "Can I drink alcohol?",
        "Am I allergic to walnuts?",
    ):
        then = SAID_AT - timedelta(days=60)
        assert (known_answer(question, assertions, then), known_notes(question, assertions, then)) == (None, [])


def test_only_a_name_answers_a_question_for_a_name() -> None:
    (cat,) = [each for each in shown(chat("I just adopted a cat called Biscuit.")) if each.attribute == "pets"]
    counted = replace(cat, id="counted", value="one cat")
    assert known_answer("What is my cat called?", [counted]) is None
    assert known_answer("What do I have as a pet?", [counted]) is not None
    assert "Biscuit" in str(known_answer("What is my cat called?", [cat]))


@pytest.mark.parametrize(
    ("value", "question", "told"),
    [
        ("physio Dr Braun", "Who is my boss?", None),
        ("boss is Karla", "Who is my boss?", "boss is Karla (since 1 March 2025)"),
        ("Karla", "Who is my boss?", None),
    ],
)
def test_who_has_another_role_is_not_who_was_asked_for(value: str, question: str, told: str | None) -> None:
    [helen] = [each for each in shown(chat(SAID[0])) if each.attribute == "contacts"]
    assert known_answer(question, [replace(helen, value=value)]) == told


def test_what_was_bought_is_owned() -> None:
    assert known_answer("Do I own a car?", shown(chat("I bought a Golf."))) == "Yes: Golf (since 1 March 2025)"


LIFE = (
    ("2025-01-10", "I just adopted a cat called Biscuit."),
    ("2025-01-20", "I work at Acme and I live in Leeds."),
    ("2025-03-01", "I've been vegan since February."),
    ("2025-03-05", "I have the flu, so no alcohol for ten days."),
    ("2025-04-02", "I'm allergic to walnuts."),
    ("2025-05-10", "I moved to York last week."),
    ("2025-08-01", "I started at Corvane today. I quit my job at Acme."),
    ("2025-08-20", "I sprained my ankle, I can't run until October."),
    ("2025-08-21", "我在学吉他。"),
)
THEN = datetime(2025, 9, 1, 12, tzinfo=UTC)


def lived(life: Sequence[tuple[str, str]] = LIFE) -> list[Assertion]:
    told = []
    for day, text in life:
        said_at = datetime.fromisoformat(f"{day}T09:00+00:00")
        cell = chat(text)
        messages = tuple(replace(each, id=day, said_at=said_at) for each in cell.messages)
        told += shown(replace(cell, event_id=day, messages=messages))
    return told


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
        ("When did I get Biscuit?", "Biscuit (cat): at least since 10 January 2025, about 8 months"),
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
        ("Am I ill?", "No: until 15 March 2025 it was the flu"),  # an ankle is no illness
        ("Do I have children?", None),
        ("Do I have a rabbit?", None),
        ("Until when can't I run?", "no run until October 2025"),
        ("When can I run again?", "no run until October 2025"),
        ("When may I drink alcohol again?", "Yes: the restriction ended on 15 March 2025"),
        ("Whats my cats name", "Biscuit (cat) (since 10 January 2025)"),
        ("where do i live now", "York (since the week of 28 April 2025)"),
    ],
)
def test_whether_there_is_any_and_what_one_may_is_looked_up(question: str, told: str | None) -> None:
    assert answer_now(question) == told


def answer_now(question: str) -> str | None:
    return known_answer(question, lived(), THEN)


def test_what_was_given_up_was_there_before() -> None:
    life = [("2025-01-10", "We sold the Golf.")]
    assert known_answer("Do I own a car?", lived(life), THEN) == "No: until 10 January 2025 it was Golf"


KIN = (
    ("2025-01-10", "I'm single as you know."),
    ("2025-02-01", "I have one sister, Ada. My brother Tom is a chef."),
    ("2025-02-03", "We adopted a whippet called Pim."),
    ("2025-03-01", "I'm dating Idris."),
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Do I have a boyfriend?", "partner: Idris (since 1 March 2025)"),  # or a girlfriend: nobody said
        ("Am I in a relationship?", "Yes: Idris (since 1 March 2025)"),
        ("Am I seeing anyone?", "Yes: Idris (since 1 March 2025)"),
        ("Am I single?", "No: Idris (since 1 March 2025)"),
        ("Am I married?", "No: dating (since 1 March 2025)"),
        ("Do I have a brother?", "Yes: Tom (brother)"),
        ("Do I have any siblings?", "Yes: Ada (sister), Tom (brother), one sister"),
        ("Do I have a daughter?", None),
        ("Does my sister have a brother?", None),
        ("What is my dog called?", "Pim (whippet) (since 3 February 2025)"),
        ("What is my cat called?", None),
    ],
)
def test_whom_one_has_is_looked_up_and_not_called_what_nobody_said(question: str, told: str | None) -> None:
    assert known_answer(question, lived(KIN), THEN) == told


def test_before_there_was_somebody_one_was_single() -> None:
    then = datetime(2025, 2, 1, tzinfo=UTC)
    assert known_answer("Do I have a girlfriend?", lived(KIN), then) == "No: single (since 10 January 2025)"
    assert known_answer("Am I single?", lived(KIN), then) == "Yes: single (since 10 January 2025)"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Where did I live before April?", "Leeds (20 January 2025 to the week of 28 April 2025)"),
        ("Where have I lived since June?", "York (since the week of 28 April 2025)"),
        ("Where did I work until July?", "Acme (20 January 2025 to 1 August 2025)"),
        (
            "Where did Ann live in April 2025?",
            "Leeds (20 January 2025 to the week of 28 April 2025), York (since the week of 28 April 2025)",
        ),
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
    (vegan,) = shown(chat("I'm vegan."))
    assert known_answer(question, [replace(vegan, value=diet)]) == told
