"""What a scene is about."""

from pathlib import Path

import numpy as np
import pytest

from evermem_cli.consolidation.themes import theme
from evermem_cli.engines.catalog import DEFAULT_EMBEDDER
from evermem_cli.engines.embedder import CatalogEmbed

FLAT = "The landlord wants more rent from June, so we look at another flat on Friday."


@pytest.mark.parametrize(
    ("summary", "name"),
    [
        (FLAT, "home"),
        ("Ann ran the half marathon in Leeds and wants to train for a whole one.", "sport"),
        ("The dog has eaten a sock and the vet keeps him until tomorrow.", "pets"),
        ("我下周要去面试一份新工作，老板还不知道。", "work"),
    ],
)
def test_a_scene_has_the_theme_of_its_words_and_its_meaning(minilm: Path, summary: str, name: str) -> None:
    embedder = CatalogEmbed(minilm, DEFAULT_EMBEDDER, 1)
    [vector] = embedder.embed([summary])
    assert theme(summary, vector, embedder.name) == theme(summary, 3 * vector, embedder.name) == name


def test_the_vectors_of_another_embedder_are_not_read() -> None:
    assert {theme(FLAT, vector, "another") for vector in np.eye(2, 7, dtype=np.float32)} == {"home"}


def test_a_scene_without_words_or_meaning_has_a_theme_all_the_same() -> None:
    assert theme("", np.zeros(384, dtype=np.float32), DEFAULT_EMBEDDER)
