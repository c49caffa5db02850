"""What a scene is about: the description that its vector stands near."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evermem_cli.consolidation.themes import Themes


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    """A direction of its own for each text."""
    return np.eye(len(texts), 64, dtype=np.float32)


def test_a_vector_near_one_description_has_its_theme_and_one_near_several_or_none_is_general() -> None:
    first, *others = embed([""] * 24)
    near_many = np.sum([first, *others[1::3]], axis=0)
    assert Themes(embed).name([first, near_many, np.zeros(64, dtype=np.float32)]) == ["health", "general", "general"]
