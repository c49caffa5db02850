"""Of which type the assistant is that a request is for."""

from pathlib import Path

import numpy as np
import pytest

from evermem_cli.engines.catalog import DEFAULT_EMBEDDER
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.experience.agents import agent_type
from evermem_cli.memory import AgentType


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
def test_a_request_is_for_one_type_of_assistant(minilm: Path, asked: str, kind: AgentType) -> None:
    embedder = CatalogEmbed(minilm, DEFAULT_EMBEDDER, 1)
    assert agent_type(asked, embedder.embed([asked])[0], embedder.name) is kind


def test_the_vectors_of_another_embedder_are_not_compared() -> None:
    vectors = np.eye(2, 7, dtype=np.float32)
    asked = "Translate this letter into French, please."
    assert {agent_type(asked, vector, "another") for vector in vectors} == {AgentType.WRITING}
