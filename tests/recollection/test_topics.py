"""What identifies an arrangement."""

import pytest

from evermem_cli.recollection.plans import topic


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the letting agent came on Monday", {"letting", "agent"}),
        ("my dating coach", {"dating", "coach"}),
        ("afternoon tea moved to March", {"afternoon", "tea"}),
        ("a working lunch with Jan next week", {"working", "lunch", "jan"}),
        ("I'm going to the dentist, I booked it", {"dentist"}),
    ],
)
def test_a_word_that_names_an_arrangement_is_kept(text: str, words: set[str]) -> None:
    assert topic(text) == words
