"""Whether search finds more after tier 2 than without it: `python -m tests.benchmarks.tiers --data DIR [--llm NAME]`.

LoCoMo's questions to two memories of each conversation, one of messages alone, one with the facts, foresights and
episodes of policy v1.0 beside them, ranked as shipped. A result stands for the messages that say it, and a narrative,
which no one message says, for none. Facts are those that code reads by itself; with `--llm` the model helps, which
takes a third of a second for each message. Measures as in locomo.py.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from evermem_cli.config import Settings
from evermem_cli.engines import Llm, Vectors, catalog, weights
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.engines.llm import LlamaCpp
from evermem_cli.enrich import Enrichment
from evermem_cli.ingest import Ingestion
from evermem_cli.memory import NARRATIVES, Evidence, Filter
from evermem_cli.recollection.search.find import look_up
from evermem_cli.recollection.search.folding import stated_in
from evermem_cli.store import Store
from evermem_cli.transcripts import ReadOptions
from tests.benchmarks.answers import silent, turns
from tests.benchmarks.locomo import DEPTH, EVIDENCE, MEASURES, measure
from tests.support.scripted import ScriptedLlm

RESULTS = 2 * DEPTH  # narratives among them stand for no message


class RememberingEmbedder:
    """The default embedder, asked once for each question: both memories are asked the same."""

    def __init__(self, settings: Settings) -> None:
        home = weights.locate(catalog.find_embedder(settings.embedder), settings.models_dir)
        self._engine = CatalogEmbed(home, settings.embedder)
        self.name, self.dimension = self._engine.name, self._engine.dimension
        self._known = cache(lambda texts: self._engine.embed(texts))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As the engine does."""
        vectors: Vectors = self._known(tuple(texts))
        return vectors


def remember(chat: dict[str, Any], folder: Path, embedder: RememberingEmbedder, settings: Settings) -> Store:
    """A memory of one conversation, tier 1."""
    store = Store(folder / f"{chat['sample_id']}.duckdb", settings.busy_timeout)
    transcript = folder / f"{chat['sample_id']}.jsonl"
    transcript.write_text("".join(f"{json.dumps(turn)}\n" for turn in turns(chat)))
    Ingestion(store, embedder, settings, silent).run([transcript], ReadOptions(tz=UTC))
    return store


def judge(chat: dict[str, Any], store: Store, embedder: RememberingEmbedder) -> Iterator[list[float]]:
    """The measures of every question that has evidence."""
    with store.read() as reader:
        messages = [message for cell in reader.topics.memcells() for message in cell.messages]
    number = {message.id: place for place, message in enumerate(messages)}
    place = {message.external_id: number[message.id] for message in messages}
    for question in chat["qa"]:
        names = {f"D{a}:{b}" for entry in question["evidence"] for a, b in EVIDENCE.findall(entry)}
        if gold := frozenset(place[name] for name in names if name in place):
            found = look_up(question["question"], store, embedder, Filter(), RESULTS).items
            ranked = dict.fromkeys(number[message] for result in found for message in _said(result))
            yield measure(np.array(list(ranked)), gold)


def _said(result: Evidence) -> list[str]:
    return [] if result.kind in NARRATIVES else stated_in(result)


def _model(settings: Settings, name: str | None) -> Callable[[], Llm]:
    if name is None:
        return lambda: ScriptedLlm("Title: A chat here")
    return partial(
        LlamaCpp,
        weights.locate(catalog.find_llm(name), settings.models_dir),
        name=name,
        context_tokens=settings.context_tokens,
        batch=settings.batch,
        threads=settings.threads,
    )


def main() -> None:
    """Prints the measures of both memories, and a JSON line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the benchmark sets")
    parser.add_argument("--llm", help="the model that helps to form facts; the default is code alone")
    chosen = parser.parse_args()
    settings = Settings.load(policy="v1.0")
    embedder, load_llm = RememberingEmbedder(settings), _model(settings, chosen.llm)
    measured: dict[str, list[list[float]]] = {"tier 1": [], "both tiers": []}
    with tempfile.TemporaryDirectory() as folder:
        for chat in json.loads((chosen.data / "locomo_dev.json").read_text()):
            store = remember(chat, Path(folder), embedder, settings)
            measured["tier 1"] += judge(chat, store, embedder)
            Enrichment(store, embedder, load_llm, settings, silent).run()
            measured["both tiers"] += judge(chat, store, embedder)
            print(f"{chat['sample_id']}: {len(measured['tier 1'])} questions so far", flush=True)
    print(f"{'':12} " + " ".join(f"{name:>9}" for name in MEASURES) + "     n")
    means = {name: np.mean(rows, axis=0).round(4).tolist() for name, rows in measured.items()}
    for name, values in means.items():
        shown = " ".join(f"{100 * value:9.1f}" for value in values[:5])
        print(f"{name:12} {shown} {values[5]:9.3f} {len(measured[name]):5}")
    print(json.dumps({"benchmark": "tiers", "llm": chosen.llm, "n": len(measured["tier 1"]), **means}))


if __name__ == "__main__":
    main()
