"""Whether whole scenes hold more of the evidence than passages: `python -m tests.benchmarks.scene_reading --data DIR`.

LoCoMo's questions, each with as many tokens to read: of the messages that were found, with the question before them (as
`ask` reads), or of the MemCells of their scenes, best scene first and whole (as the seeds have it). Scenes rest on
vectors alone, so a stand-in for the language model gives the titles that nothing here reads.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any

from evermem_cli.config import Settings
from evermem_cli.engines import catalog, weights
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.enrich import Enrichment
from evermem_cli.ingest import Ingestion
from evermem_cli.memory import Evidence, Filter, MemCell
from evermem_cli.recollection.passages.assembly import ReadingPlan
from evermem_cli.recollection.passages.scenes import SCENES, scenes_of
from evermem_cli.recollection.search.find import look_up
from evermem_cli.store import Store
from evermem_cli.transcripts import ReadOptions
from tests.benchmarks.answers import silent, turns
from tests.benchmarks.locomo import EVIDENCE
from tests.support.scripted import ScriptedLlm

BUDGETS = (600, 1200, 2400)
RESULTS = 30
SIZES = {"1 turn": (1, 1), "2 or 3": (2, 3), "4 or more": (4, 99)}
USER = Settings().user


@dataclass(frozen=True, slots=True)
class Read:
    """How many turns are the evidence of a question, and the share of them that was read, by how and how much."""

    evidence: int
    shares: dict[tuple[str, int], float]


def tokens(text: str) -> int:
    """As `ask` estimates them for English."""
    return len(text) // 4


def by_passages(found: Sequence[Evidence], store: Store, budget: int) -> set[str]:
    """The turns that passages of so many tokens hold."""
    with store.read() as reader:
        around = reader.messages.neighbours([message.id for evidence in found for message in evidence.messages], 1)
    plan = ReadingPlan(now=datetime.now(UTC), budget=budget, count=tokens)
    return {line.message.external_id for passage in plan.choose(found, around) for line in passage}


def by_scenes(found: Sequence[Evidence], scenes: dict[str, list[MemCell]], budget: int) -> set[str]:
    """The turns that whole scenes of so many tokens hold, the best scene first, cut within it."""
    read: set[str] = set()
    for cell in (cell for scene in scenes_of(found) for cell in scenes[scene]):
        for message in cell.messages:
            budget -= tokens(f"{message.speaker}: {message.text}")
            if budget < 0:
                return read
            read.add(message.external_id)
    return read


def remember(chat: dict[str, Any], folder: Path, embedder: CatalogEmbed) -> Store:
    """A memory of one conversation with its scenes."""
    store, settings = Store(folder / f"{chat['sample_id']}.duckdb", 10), Settings()
    transcript = folder / f"{chat['sample_id']}.jsonl"
    transcript.write_text("".join(f"{json.dumps(turn)}\n" for turn in turns(chat)))
    Ingestion(store, embedder, settings, silent).run([transcript], ReadOptions(tz=UTC))
    Enrichment(store, embedder, lambda: ScriptedLlm("Title: A chat here"), settings, silent).run()
    return store


def judge(chat: dict[str, Any], store: Store, embedder: CatalogEmbed) -> Iterator[Read]:
    """Every question that has evidence."""
    with store.read() as reader:
        scenes = {
            scene.scene_id: reader.topics.memcells(scene.memcell_ids) for scene in reader.consolidation.scenes(USER)
        }
    for question in chat["qa"]:
        gold = {f"D{a}:{b}" for entry in question["evidence"] for a, b in EVIDENCE.findall(entry)}
        if not gold:
            continue
        found = list(look_up(question["question"], store, embedder, Filter(user_id=USER), RESULTS).items)
        read = {("passages", budget): by_passages(found, store, budget) for budget in BUDGETS}
        read |= {("scenes", budget): by_scenes(found, scenes, budget) for budget in BUDGETS}
        yield Read(len(gold), {how: len(gold & turns) / len(gold) for how, turns in read.items()})


def main() -> None:
    """Prints the mean share of the evidence that was read, by how many turns it has, and a JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the benchmark sets")
    data: Path = parser.parse_args().data
    settings = Settings.load()
    home = weights.locate(catalog.find_embedder(settings.embedder), settings.models_dir)
    embedder = CatalogEmbed(home, settings.embedder)
    judged: list[Read] = []
    with tempfile.TemporaryDirectory() as folder:
        for chat in json.loads((data / "locomo_dev.json").read_text()):
            judged += judge(chat, remember(chat, Path(folder), embedder), embedder)
    results: dict[str, dict[str, float]] = {}
    for name, (least, most) in SIZES.items():
        part = [each for each in judged if least <= each.evidence <= most]
        means = {how: 100 * fmean(each.shares[how] for each in part) for how in part[0].shares}
        results[name] = {f"{how} {budget}": round(mean, 1) for (how, budget), mean in means.items()}
        print(f"{name:10} n {len(part):4}  " + "  ".join(f"{how} {value:.1f}" for how, value in results[name].items()))
    print(json.dumps({"benchmark": "scene_reading", "scenes": SCENES, "n": len(judged)} | results))


if __name__ == "__main__":
    main()
