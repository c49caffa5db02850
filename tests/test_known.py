"""What profiles know, in the language of the question, whatever language it was told in."""

from datetime import timedelta

import pytest

from evermem_cli.config import CONDITION_DAYS
from evermem_cli.consolidation.assertions import read_assertions
from evermem_cli.recollection.known import known
from tests.test_assertions import SAID_AT, chat

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
    assertions = [each for text in SAID for each in read_assertions(chat(text), [], CONDITION_DAYS)]
    assert [note.answer for note in known(question, "Ann", assertions, SAID_AT)] == [told]


def test_who_one_is_has_labels_in_the_language_of_the_question() -> None:
    assertions = [each for text in SAID for each in read_assertions(chat(text), [], CONDITION_DAYS)]
    assert known("我是谁？", "Ann", assertions, SAID_AT)[0].text == "过敏: 核桃（2025年3月1日起）"
    assert known("Who am I?", "Ann", assertions, SAID_AT)[0].text == "allergies: walnuts (since 1 March 2025)"


def test_what_is_to_come_is_not_known_of_a_day_before_it() -> None:
    assertions = [each for text in SAID for each in read_assertions(chat(text), [], CONDITION_DAYS)]
    for question in (
        "What am I allergic to?",
        "Which city do I live in?",
        "Can I drink alcohol?",
        "Am I allergic to walnuts?",
    ):
        assert known(question, "Ann", assertions, SAID_AT - timedelta(days=60)) == []
