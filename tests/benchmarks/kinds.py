"""Themes of chats and types of assistants, told by vectors, against the labels of a reader.

    python -m tests.benchmarks.kinds

A chat's vector is that of its whole text here, in place of its episode's. `general` is neither right nor wrong where
another label is right.
"""

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evermem_cli.config import Settings
from evermem_cli.consolidation.themes import theme
from evermem_cli.engines.catalog import DEFAULT_EMBEDDER
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.experience.agents import agent_type

TRAINING = Path(__file__).parents[1] / "training"
LABELS = Path(__file__).with_suffix(".toml")
GENERAL = "general"


def main() -> None:
    """Prints both rows."""
    labels = tomllib.loads(LABELS.read_text("utf-8"))
    embedder = CatalogEmbed(Settings.load().models_dir / DEFAULT_EMBEDDER, DEFAULT_EMBEDDER)
    chats = ["\n".join(each["says"] for each in chat["messages"]) for chat in _records("facts/4-mixed")]
    named = [theme(text, vector, embedder.name) for text, vector in zip(chats, embedder.embed(chats), strict=True)]
    _report("themes", named, labels["themes"])
    picked = [(file, *each) for file, several in labels["requests"].items() for each in several]
    requests = [_records(f"messages/en/{file}")[line - 1]["t"] for file, line, _ in picked]
    told = [
        agent_type(text, vector, embedder.name) for text, vector in zip(requests, embedder.embed(requests), strict=True)
    ]
    _report("types of assistants", told, [label for *_, label in picked])


def _report(name: str, told: Sequence[str], labels: Sequence[str]) -> None:
    pairs = [(each, label.split()) for each, label in zip(told, labels, strict=True)]
    figures = {
        "n": len(pairs),
        "right": sum(each in label for each, label in pairs),
        "right and special": sum(each in label and each != GENERAL for each, label in pairs),
        "general": sum(each == GENERAL for each, _ in pairs),
        "wrong and special": sum(each not in label and each != GENERAL for each, label in pairs),
    }
    print(json.dumps({"benchmark": "kinds", "of": name, **figures}))


def _records(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (TRAINING / f"{name}.jsonl").read_text("utf-8").splitlines()]


if __name__ == "__main__":
    main()
