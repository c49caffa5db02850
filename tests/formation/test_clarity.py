"""Sentences that need no chat around them."""

import pytest

from evermem_cli.formation.sentences.clarity import is_clear, is_state, reported


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


def test_what_lacks_only_its_speaker_is_reported() -> None:
    assert reported("The 2 younger kids love nature.", "Ann") == "Ann says that the 2 younger kids love nature."
    assert reported("It's awesome to have friends.", "Ann") == "Ann says that it's awesome to have friends."
    assert reported("Making music is fun for all.", "Ann") == "Ann says that making music is fun for all."
    assert reported("Seattle is a colourful city.", "Ann") == "Ann says: Seattle is a colourful city."
    assert reported("New York is far from here, by train.", "Ann") is None
    assert reported("Seattle is a colourful city.", "Ann") == "Ann says: Seattle is a colourful city."
    assert reported("New York is far away by train.", "Ann") == "Ann says: New York is far away by train."
    assert reported("They love nature.", "Ann") is None
    assert reported("All that cool stuff of a friend.", "Ann") is None
    assert reported("Ann sat with her for hours.", "Ann") is None
    assert reported("天气变冷了。", "用户") == "用户说，天气变冷了。"


def test_what_is_reported_has_a_subject_and_may_be_conceded() -> None:
    assert reported("Must have been thrilling to watch the game.", "Ann") is None
    assert reported("Just skyped with a fan of the films.", "Ann") is None
    assert reported("That same commitment is true for hobbies.", "Ann") == (
        "Ann says: That same commitment is true for hobbies."
    )
    assert reported("Even though it can be hard, it's fun to paint.", "Ann") == (
        "Ann says that even though it can be hard, it's fun to paint."
    )


def test_states_are_told_in_the_present_and_events_in_the_past() -> None:
    assert is_state("Ann is a nurse.")
    assert is_state("Ann never eats meat.")
    assert not is_state("Ann went to Rome.")
    assert not is_state("Ann and others explored caves.")
    assert is_state("用户是四川人。")
    assert not is_state("用户去了北京。")
