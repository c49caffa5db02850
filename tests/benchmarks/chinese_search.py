"""Search in Chinese: 100 questions over own chats and those of sample_transcripts, by keyword and by embedder.

    python -m tests.benchmarks.chinese_search
    python -m tests.benchmarks.chinese_search --embedder bge-small-en --embedder multilingual-e5-small-4bit

`--embedder` adds an embedder of the catalogue that is installed. Prints how many questions have the message that
answers them among the first, the first five and the first ten, with the whole ranking of `evermem search`, and by the
vectors alone.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import numpy as np
from rich.console import Console

from evermem_cli.cli.shared.engines import Engines
from evermem_cli.config import Settings
from evermem_cli.engines import Embedder, Vectors, catalog
from evermem_cli.engines.calibration import scale_of
from evermem_cli.engines.embedder import AskedEmbed
from evermem_cli.formation.pieces import spoken_pieces
from evermem_cli.memory import Filter
from evermem_cli.recollection.search.find import look_up
from evermem_cli.store import Store
from tests.support.lives import conversation, messages

HERE = Path(__file__).with_name("chinese")
SAMPLES = Path("sample_transcripts")
CHINESE = ("xiaoyu-maya.json", "2025-12-christmas-zh.json")
K = (1, 5, 10)


class Deaf:
    """An embedder that hears no difference: keywords alone."""

    name, dimension = "keywords alone", 384

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.tile(np.eye(1, self.dimension, dtype=np.float32), (len(texts), 1))


def rows(name: str) -> list[list[str]]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def chats() -> dict[str, list[tuple[str, str]]]:
    """Speakers and texts by chat."""
    own = {
        chat: [(who, text) for _, who, text in said] for chat, said in groupby(rows("messages.tsv"), lambda row: row[0])
    }
    for name in CHINESE:
        turns = json.loads((SAMPLES / name).read_text(encoding="utf-8"))["conversation_list"]
        own[name] = [(turn["sender_name"], turn["content"]) for turn in turns]
    return own


def filled(path: Path, embedder: Embedder) -> Store:
    """A memory with all chats, in vectors of this embedder."""
    store = Store(path, timeout=5.0)
    store.create(embedder.name, embedder.dimension, scale_of(embedder))
    for chat, said in chats().items():
        stored = conversation(chat)
        everything = messages(stored, *(text for _, text in said))
        texts = [
            spoken_pieces(message, before) for message, before in zip(everything, [None, *everything], strict=False)
        ]
        vectors = embedder.embed([piece for parts in texts for piece in parts])
        with store.write() as writer:
            writer.chats.add_conversation(stored)
            writer.chats.add_messages(everything, [len(parts) for parts in texts], vectors)
    return store


def measured(embedder: Embedder, asking: Embedder) -> dict[str, object]:
    """How many of the questions have their message among the first k."""
    questions = rows("questions.tsv")
    with tempfile.TemporaryDirectory() as folder:
        store = filled(Path(folder) / "memory.duckdb", embedder)
        ranks, alone = [], []
        for question, answer in questions:
            hits = look_up(question, store, asking, Filter(user_id="default"), 200).items
            ranks.append(_rank([hit.text for hit in hits], answer))
            near = sorted(hits, key=lambda hit: -(hit.cosine or 0.0))
            alone.append(_rank([hit.text for hit in near], answer))
    hits_at = {f"first {k}": sum(rank < k for rank in ranks) for k in K}
    by_vectors = {f"vectors alone, first {k}": sum(rank < k for rank in alone) for k in K}
    return {"embedder": embedder.name, "questions": len(questions), **hits_at, **by_vectors}


def _rank(texts: Sequence[str], answer: str) -> int:
    return next((place for place, text in enumerate(texts) if text.startswith(answer)), sys.maxsize)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.chinese_search", description=__doc__)
    parser.add_argument("--embedder", action="append", default=[], help="another embedder of the catalogue")
    given = parser.parse_args()
    engines = Engines(replace(Settings.load(), offline=True, threads=1), lambda: Console(stderr=True), print)
    pairs: list[tuple[Embedder, Embedder]] = [(Deaf(), Deaf())]
    for name in (catalog.DEFAULT_EMBEDDER, *given.embedder):
        model = engines.load_embedder(name)
        pairs.append((model, AskedEmbed(model)))
    for embedder, asking in pairs:
        print(json.dumps(measured(embedder, asking), ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
