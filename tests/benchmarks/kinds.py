"""Themes of chats and types of assistants, told by vectors, against the labels of a reader.

    python -m tests.benchmarks.kinds

A chat is its whole text here, in the form of an episode. `general` is neither right nor wrong where
another label is right.
"""

import json
import tomllib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from evermem_cli.config import Settings
from evermem_cli.consolidation.themes import theme
from evermem_cli.engines.catalog import DEFAULT_EMBEDDER
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.experience.agents import agent_type
from evermem_cli.formation.episodes import written_date

TRAINING = Path(__file__).parents[1] / "training"
LABELS = Path(__file__).with_suffix(".toml")
GENERAL = "general"


def main() -> None:
    """Prints both rows."""
    labels = tomllib.loads(LABELS.read_text("utf-8"))
    embedder = CatalogEmbed(Settings.load().models_dir / DEFAULT_EMBEDDER, DEFAULT_EMBEDDER)
    records = _records("facts/4-mixed")
    chats = ["\n".join(f"{each['who']}: {each['says']}" for each in chat["messages"]) for chat in records]
    days = [written_date(datetime.fromisoformat(chat["messages"][0]["at"]), "en") for chat in records]
    vectors = embedder.embed([f"{day}\n{text}" for day, text in zip(days, chats, strict=True)])
    named = [theme(text, vector, embedder.name) for text, vector in zip(chats, vectors, strict=True)]
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
