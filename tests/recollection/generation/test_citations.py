"""Amounts of an answer are those of what was read."""

import pytest

from evermem_cli.recollection.generation.citations import (
    has_invented_amount,
    has_invented_name,
    repeats_question,
)
from tests.recollection.asking import line_of, read

LINES = [
    line_of(text) for text in ("they offered £28,250, then 29.5k from march", "ring 0171 496 0000", "deposit 738.00")
]


@pytest.mark.parametrize(
    ("answer", "is_invented"),
    [
        ("£29,250", True),
        ("1,100 pounds", True),
        ("£28,250", False),
        ("28250", False),
        ("£29,500 from March", False),
        ("01714960000", False),
        ("738", False),
        ("since 2019", False),
        ("12 of them", False),
        ("1,200", False),  # the question has it
        ("Two offers", False),
    ],
)
def test_an_amount_that_nobody_named_is_invented(answer: str, is_invented: bool) -> None:
    question = read("Do I earn more than 1,200?")
    assert has_invented_amount(answer, question, LINES) is is_invented


def test_hundreds_may_be_read_in_words() -> None:
    question = read("How much did I pay?")
    assert not has_invented_amount("£250", question, [line_of("I paid two hundred and fifty for it")])


@pytest.mark.parametrize(
    ("answer", "is_invented"),
    [
        ("Chalden", True),
        ("with Ruben in Ghent", True),
        ("Ghent", False),
        ("Four hours", False),
        ("Leeds", False),
        ("in a flat in Ghent, with Tom's sister", False),
    ],
)
def test_a_name_that_stands_nowhere_is_invented(answer: str, is_invented: bool) -> None:
    lines = [line_of("Tom's sister has a flat in ghent, it's four hours away")]
    assert has_invented_name(answer, read("Do I live in Leeds?"), lines) is is_invented


@pytest.mark.parametrize(
    ("asked", "answer", "repeats"),
    [
        ("What is the name of the firm in Leeds?", "Leeds", True),
        ("What is the name of the firm in Leeds?", "Leeds Ovens", False),
        ("Who is the boss of Ann?", "The boss", True),
        ("Did Ann move to Leeds?", "Yes", False),
        ("Is Ann in Leeds or in York?", "In York", False),
    ],
)
def test_an_answer_of_words_of_the_question_alone_tells_nothing(asked: str, answer: str, repeats: bool) -> None:
    assert repeats_question(answer, read(asked)) is repeats
