"""Tests of the reading of entries of profiles, by which profiles show what a reader lets stand."""

import pytest

from evermem_cli.memory import Stance
from evermem_cli.reading.entries import SURELY_READ, ProfileEntry, let_stand, stands

READ = 0.8


def entry(
    message: str, kind: str, value: str, stance: Stance = Stance.HOLDS, probability: float = READ
) -> ProfileEntry:
    start = message.index(value)
    return ProfileEntry(kind, stance, value, message, start, start + len(value), probability)


@pytest.mark.parametrize(
    ("message", "kind", "value"),
    [
        ("We live in Leeds, out by the park.", "location", "Leeds"),
        ("my sister ellie is a plumber", "family", "sister ellie"),
        ("I'm vegan, so no cheese please", "diet", "vegan"),
        ("im on metformin since last week", "medication", "metformin"),
    ],
)
def test_what_a_reader_understands_stands(message: str, kind: str, value: str) -> None:
    assert stands(entry(message, kind, value))


@pytest.mark.parametrize(
    ("message", "kind", "value"),
    [
        ("ok so mum rang again, she says hi", "family", "mum"),
        ("lol no way, it went up another 40", "money", "another 40"),
        ("they moved it to the other one", "health", "the other one"),
    ],
)
def test_what_says_nothing_weeks_later_does_not_stand(message: str, kind: str, value: str) -> None:
    assert not stands(entry(message, kind, value))


def test_no_name_is_learned_by_heart() -> None:
    judged = [entry(f"{name} takes the train with me.", "pets", name) for name in ("Biscuit", "Otto", "Menzies")]
    assert len({let_stand(one) for one in judged}) == 1


def test_the_surer_the_tagger_the_likelier_it_stands() -> None:
    unsure, sure = (entry("I've a cat", "pets", "cat", probability=read) for read in (0.3, 0.95))
    assert let_stand(unsure) < let_stand(sure)


@pytest.mark.parametrize(
    ("message", "kind", "value", "stance"),
    [
        ("ok so mum rang again, she says hi", "family", "mum", Stance.ENDED),
        ("ok so mum rang again, she says hi", "family", "mum", Stance.PLANNED),
        ("妈妈又打电话来了", "family", "妈妈", Stance.HOLDS),
    ],
)
def test_an_end_a_plan_and_chinese_stand_by_the_tagger_alone(
    message: str, kind: str, value: str, stance: Stance
) -> None:
    assert stands(entry(message, kind, value, stance, SURELY_READ))
    assert not stands(entry(message, kind, value, stance, SURELY_READ - 0.01))
