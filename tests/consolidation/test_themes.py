"""What a scene is about: its vector's and its words' part in it."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from evermem_cli.consolidation.themes import Themes


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    """A direction of its own for each text."""
    return np.eye(len(texts), 64, dtype=np.float32)


HEALTH = embed(["health"])[0]  # the first description
UNDECIDED = embed([""] * 24)[::6].sum(axis=0)  # as near to health as to three other themes


@pytest.mark.parametrize(
    ("text", "theme"),
    [
        ("Did you see it?", "general"),
        ("The doctor prescribed pills.", "health"),
        ("医生说要打疫苗", "health"),
        ("A trip by ferry.", "general"),
    ],
)
def test_words_decide_where_a_vector_is_near_several_themes(text: str, theme: str) -> None:
    assert Themes(embed).name([UNDECIDED], [text]) == [theme]


@pytest.mark.parametrize("text", ["Did you see it?", "On the ferry.", "A trip by ferry, with a passport and a visa."])
def test_a_vector_near_one_description_outweighs_words_of_another_theme(text: str) -> None:
    assert Themes(embed).name([HEALTH], [text]) == ["health"]


def test_no_vector_and_no_words_are_general() -> None:
    assert Themes(embed).name([np.zeros(64, dtype=np.float32)], [""]) == ["general"]
