"""Values of profiles: which are the same, and which of their wordings is told."""

import pytest

from evermem_cli.consolidation.attributes import key
from evermem_cli.consolidation.statements import assert_statements
from evermem_cli.memory import Assertion, Stance, Statement, Whose
from tests.consolidation.test_assertions import chat


@pytest.mark.parametrize(
    ("attribute", "one", "other", "is_same"),
    [
        ("allergies", "No walnuts", "walnuts", True),
        ("dislikes", "no tuna", "tuna", True),
        ("allergies", "no", "nuts", False),
        ("diet", "no meat", "meat", False),
    ],
)
def test_what_is_done_without_is_the_same_with_and_without_a_no(
    attribute: str, one: str, other: str, is_same: bool
) -> None:
    assert (key(attribute, one) == key(attribute, other)) is is_same


@pytest.mark.parametrize(
    ("text", "read", "told"),
    [
        ("I've been vegan since last Tuesday.", "vegan since last Tuesday", ["vegan"]),
        ("I rent a flat in Leith from 1 September.", "a flat in Leith from 1 September", ["a flat in Leith"]),
        ("I rent a flat in Leith from 1 September.", "a flat in Leith", ["a flat in Leith"]),
    ],
)
def test_a_value_ends_before_the_time_phrase_behind_it(text: str, read: str, told: list[str]) -> None:
    assert [assertion.value for assertion in of_diet(text, read, Stance.HOLDS)] == told


@pytest.mark.parametrize("stance", [Stance.HOLDS, Stance.DENIED])
@pytest.mark.parametrize(
    "text", ["I don't eat meat", "I can’t eat any meat", "I do not eat meat", "I eat no meat", "I cannot eat meat"]
)
def test_a_diet_that_says_what_it_leaves_out_is_held(text: str, stance: Stance) -> None:
    [assertion] = of_diet(text, text.removeprefix("I "), stance)
    assert (assertion.value, assertion.stance) == ("no meat", Stance.HOLDS)


@pytest.mark.parametrize(
    "value", ["eat fish but no meat", "eat a lot, no sugar", "no meat and fish", "eat meat", "don't eat"]
)
def test_another_diet_is_told_as_it_was_said(value: str) -> None:
    assert [assertion.value for assertion in of_diet(f"I {value}", value, Stance.HOLDS)] == [value]


def of_diet(text: str, value: str, stance: Stance) -> list[Assertion]:
    """What a message asserts in which the tagger read a diet."""
    (message,) = chat(text).messages
    start = text.index(value)
    statement = Statement(
        message_id=message.id,
        start=start,
        stop=start + len(value),
        kind="diet",
        value=value,
        whose=Whose.ME,
        person="",
        stance=stance,
        probability=0.9,
    )
    return list(assert_statements(message, [statement], {}))
