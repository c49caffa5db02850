"""Sentences that need no chat around them."""

import pytest

from evermem_cli.formation.rows import is_state
from evermem_cli.formation.sentences.clarity import is_clear
from evermem_cli.reading.highlighter import Highlighter

HIGHLIGHTER = Highlighter()


@pytest.mark.parametrize(
    "sentence",
    [
        "Last Friday, Ann went to Rome.",
        "Ann's grandmother had a bakery in Lyon, which closed in 1998.",
        "Ann may move to Porto in June.",
        "Ann是四川人。",
        "Ann这几天很累。",
    ],
)
def test_a_sentence_that_names_its_people_and_things_is_clear(sentence: str) -> None:
    assert is_clear(sentence, HIGHLIGHTER)


@pytest.mark.parametrize(
    "sentence",
    [
        "She gave it to Ann.",
        "Ann took it at the beach.",
        "That's important for Ann.",
        "Ann may do it then.",
        "Ann觉得那里很好。",
    ],
)
def test_a_sentence_that_points_outside_itself_is_not_clear(sentence: str) -> None:
    assert not is_clear(sentence, HIGHLIGHTER)


def test_states_are_told_in_the_present_and_events_in_the_past() -> None:
    assert is_state("I'm a nurse.")
    assert is_state("I never eat meat.")
    assert not is_state("I went to Rome.")
    assert not is_state("Ben and I explored caves.")
    assert is_state("我是四川人。")
    assert not is_state("我去了北京。")
