"""Titles that were stated, and titles that were not."""

import pytest

from evermem_cli.formation.facts import retell
from evermem_cli.formation.sentences.statements import turns
from evermem_cli.formation.titles import is_supported
from tests.support.chats import said


def supported(title: str, *lines: tuple[str, str]) -> bool:
    return is_supported(title, [retell(statement) for statement in turns(said(*lines))])


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Garden shed", "I painted the garden shed green."),
        ("Ann's garden shed", "I painted my garden shed green."),
        ("Painting the shed in May", "I painted the garden shed. It took all of May."),
        ("Yoga, wedding of a friend", "I did some yoga, then came the wedding of a friend."),
        ("里昂的面包店", "我奶奶在里昂开过一家面包店。"),
    ],
)
def test_a_title_of_words_that_one_said_together_is_supported(title: str, text: str) -> None:
    assert supported(title, ("Ann", text))


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Garden operation", "I painted the garden shed green."),
        ("No garden shed", "I painted the garden shed green."),
        ("Moving to Rome", "I am not moving to Rome after all."),
        ("Yoga wedding", "I did some yoga, then came the wedding of a friend."),
        ("Bob's shed", "I painted the garden shed green."),
        ("Shed in Rome", "I painted the shed. My aunt came by for tea. She lives in Rome with her dog."),
        ("Plans and thoughts", "I painted the garden shed green."),
    ],
)
def test_a_title_with_a_word_too_many_or_words_that_were_said_apart_or_denied_is_not(title: str, text: str) -> None:
    assert not supported(title, ("Ann", text))


def test_words_of_two_speakers_make_no_title() -> None:
    assert not supported("Rome shed", ("Ann", "I painted the garden shed."), ("Bob", "I live in Rome with my dog."))
