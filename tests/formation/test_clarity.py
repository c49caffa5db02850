"""Sentences that need no chat around them."""

import pytest

from evermem_cli.formation.rows import is_state
from evermem_cli.formation.sentences.clarity import is_clear


@pytest.mark.parametrize(
    "told",
    [
        "Ann went to a workshop last Friday and it was good.",
        "Last Friday, Ann went to Rome.",
        "Ann's grandmother had a bakery in Lyon, which closed in 1998.",
        "Ann is working with trans people, helping them accept themselves.",
        "Ann knows it was comforting to have friends.",
        "Ann went to that community meeting.",
        "Ann just finished this amazing fantasy series.",
        "Ann是四川人。",
        "Ann这几天很累。",
    ],
)
def test_a_sentence_that_names_its_people_and_things_is_clear(told: str) -> None:
    assert is_clear(told, "Ann")


@pytest.mark.parametrize(
    "told",
    [
        "She gave it to Ann.",
        "Ann took it at the beach last month.",
        "Ann has lots of reminders of it.",
        "Ann wants to help people go through it too.",
        "The view was good.",
        "Ann has got something to show you.",
        "Ann loves the energy, diversity, and food of this city.",
        "Ann was able to give her some comfort.",
        "Ann can imagine it's incredibly rewarding.",
        "Ann went to that meeting.",
        "Ann knows how this impacts people.",
        "Ann loves moments like these most days.",
        "That's important for Ann.",
        "Really made Ann think about peace.",
        "Ann觉得那里很好。",
    ],
)
def test_a_sentence_that_points_outside_itself_is_not_clear(told: str) -> None:
    assert not is_clear(told, "Ann")


def test_states_are_told_in_the_present_and_events_in_the_past() -> None:
    assert is_state("I'm a nurse.")
    assert is_state("I never eat meat.")
    assert not is_state("I went to Rome.")
    assert not is_state("Ben and I explored caves.")
    assert not is_state("I resigned.")
    assert not is_state("I rang her.")
    assert not is_state("I was a nurse.")
    assert not is_state("I rose early.")
    assert is_state("I have a rose garden and eat spelt.")
    assert is_state("I knit jumpers.")
    assert is_state("I lay floors.")
    assert is_state("I can't eat nuts.")
    assert is_state("Two hundred sheep, and a bit of land.")
    assert is_state("我是四川人。")
    assert not is_state("我去了北京。")
