"""Of which type the assistant is that a request is for."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from evermem_cli.engines.catalog import DEFAULT_EMBEDDER
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.experience.agents import AgentTypes
from evermem_cli.memory import AgentType, Scale


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ("Can you find me a flight to Oslo on Friday?", AgentType.TRAVEL),
        ("The kettle broke, I have sent it back.", AgentType.SHOPPING),
        ("Please shorten this letter to my landlord.", AgentType.WRITING),
        ("推荐一个晚餐的菜谱。", AgentType.COOKING),
        ("你好，今天天气怎么样？", AgentType.GENERAL),
        ("Who was the first president?", AgentType.GENERAL),
    ],
)
def test_a_request_is_for_the_type_that_it_is_near_and_else_for_a_general_one(
    minilm: Path, asked: str, kind: AgentType
) -> None:
    embedder = CatalogEmbed(minilm, DEFAULT_EMBEDDER, 1)
    assert AgentTypes(embedder.embed, Scale()).of(asked, embedder.embed([asked])[0]) is kind


def test_another_embedder_needs_the_cosine_that_stands_for_the_same() -> None:
    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.tile(np.array([1, 0], dtype=np.float32), (len(texts), 1))

    near = np.array([0.3, 0.95], dtype=np.float32)
    assert AgentTypes(embed, Scale()).of("A kettle?", near) is not AgentType.GENERAL
    assert AgentTypes(embed, Scale(slope=1.0, shift=-0.5)).of("A kettle?", near) is AgentType.GENERAL
