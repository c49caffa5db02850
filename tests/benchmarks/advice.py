"""Whether requests for advice are answered from what was told: `python -m tests.benchmarks.advice --data DIR`.

PrefEval's people say what they like or cannot do: outright, by a choice, or in passing. `TOLD` dialogues with different
preferences are one person's chats with an assistant; then each preference's question is asked. A preference is found if
the answer cites its dialogue among at most three. Half of the preferences chose the settings; the other half reports.
No language model.
"""

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from evermem_cli.annotate import Annotation
from evermem_cli.ask import Inquiry, responded
from evermem_cli.config import Settings
from evermem_cli.consolidate import Consolidation
from evermem_cli.engines import catalog, weights
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.ingest import Ingestion
from evermem_cli.memory import Filter
from evermem_cli.reading.statements.tagger import Tagger
from evermem_cli.recollection.generation.talk import Talk, ignore
from evermem_cli.recollection.memory_view import MemoryView
from evermem_cli.store import Store
from evermem_cli.transcripts import ReadOptions
from tests.benchmarks.answers import silent
from tests.benchmarks.refusals import asking_without_llm, no_llm

FORMS = ("explicit", "choice_dialogue", "persona_dialogue")
TOLD = 25  # dialogues of one memory
START = datetime(2025, 3, 3, 9, tzinfo=UTC)

Preference = Mapping[str, Any]


def memories(preferences: Sequence[Preference]) -> Iterator[Sequence[Preference]]:
    """The preferences in groups of `TOLD`, each of mixed topics."""
    shuffled = random.Random(7).sample(preferences, len(preferences))
    for start in range(0, len(shuffled) - TOLD + 1, TOLD):
        yield shuffled[start : start + TOLD]


def rows(preference: Preference, form: str, start: datetime) -> Iterator[dict[str, str]]:
    """The dialogue of a preference as rows of a transcript."""
    for number, turn in enumerate(preference[form]):
        at = (start + timedelta(minutes=number)).isoformat()
        yield {"role": turn["speaker"], "content": turn["text"], "timestamp": at, "conversation_id": preference["id"]}


def measure(told: Sequence[Preference], form: str, embedder: CatalogEmbed) -> Counter[str]:
    """How many questions there are, are answered from what was told, and from what was told for this question."""
    told = [preference for preference in told if preference.get(form)]
    with tempfile.TemporaryDirectory() as scratch:
        chat = Path(scratch) / "chat.jsonl"
        lines = [row for number, one in enumerate(told) for row in rows(one, form, START + timedelta(days=number))]
        chat.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        store, settings = Store(Path(scratch) / "memory.duckdb", 5), Settings.load()
        Ingestion(store, embedder, settings, silent).run([chat], ReadOptions(tz=UTC))
        Annotation(store, Tagger(threads=settings.threads), silent).run()
        Consolidation(store, settings).run()
        return _asked(told, form, store, embedder)


def _asked(told: Sequence[Preference], form: str, store: Store, embedder: CatalogEmbed) -> Counter[str]:
    now = START + timedelta(days=TOLD + 1)
    memory = MemoryView(store, Filter(as_of=now, user_id=Settings().user), now)
    asking = asking_without_llm(store, embedder)
    counts: Counter[str] = Counter()
    for preference in told:
        inquiry = Inquiry(asking, memory, Talk(no_llm, ignore, "none", None), asking.reader(memory))
        question = inquiry.read(preference["question"])
        answer = responded(question, inquiry.recalled(question))
        cited = {message.text for hit in answer.citations for message in hit.messages} if answer else set()
        own = {turn["text"] for turn in preference[form]}
        counts[form] += 1
        counts[f"{form}, answered"] += answer is not None
        counts[f"{form}, found"] += bool(own & cited)
    return counts


def main() -> None:
    """Prints a row for each half and form."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--data", type=Path, required=True, help="folder of the benchmark sets")
    options.add_argument("--groups", type=int, default=3, help="memories of each form")
    options.add_argument("--half", choices=["choose", "report"], default="report")
    chosen = options.parse_args()
    settings = Settings.load()
    home = weights.locate(catalog.find_embedder(settings.embedder), settings.models_dir)
    embedder = CatalogEmbed(home, settings.embedder, settings.threads)
    lines = (chosen.data / "persona/prefeval/preferences.jsonl").read_text(encoding="utf-8").splitlines()
    parity = ("choose", "report").index(chosen.half)
    preferences = [json.loads(line) for line in lines][parity::2]
    counts: Counter[str] = Counter()
    for form in FORMS:
        for told in islice(memories(preferences), chosen.groups):
            counts += measure(told, form, embedder)
        print(f"{form:18} n {counts[form]}, answered {counts[f'{form}, answered']}, found {counts[f'{form}, found']}")
    print(json.dumps({"benchmark": "advice", "half": chosen.half, "counts": counts}))


if __name__ == "__main__":
    main()
