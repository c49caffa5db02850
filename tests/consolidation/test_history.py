"""Values of profiles: which are the same, and which of their wordings is told."""

import pytest

from evermem_cli.consolidation.attributes import key
from evermem_cli.consolidation.statements import assert_statements
from evermem_cli.memory import Stance, Statement, Whose
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
    (message,) = chat(text).messages
    start = text.index(read)
    statement = Statement(
        message_id=message.id,
        start=start,
        stop=start + len(read),
        kind="diet",
        value=read,
        whose=Whose.ME,
        person="",
        stance=Stance.HOLDS,
        probability=0.9,
    )
    assert [assertion.value for assertion in assert_statements(message, [statement], {})] == told
