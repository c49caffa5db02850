"""How well search finds LoCoMo's evidence turns, no LLM: `python -m tests.benchmarks.locomo --data DIR --models DIR`.

One memory per conversation; speaker and image caption included; the session's date is the message date. Query = the
question verbatim; gold = its evidence turns, read with `D:?(\\d+):(\\d+)`. any@k, recall@k, MRR to depth 50. Weights
are learned on the conversations other than the one that is judged.
"""

import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from evermem_cli.memory import Message, Role
from evermem_cli.memory.pool import Ints
from evermem_cli.recollection.search import ranking
from evermem_cli.recollection.search.ranking import FEATURES
from tests.benchmarks.peers import Peers
from tests.benchmarks.ranking_fit import Example, fit
from tests.benchmarks.retrieval import Ask, CachedEmbedder, Index, arguments, embedded

DEPTH = 50
MEASURES = ("any@5", "recall@5", "any@10", "recall@10", "any@20", "MRR")
CATEGORIES = {"1": "multi-hop", "2": "temporal", "3": "open", "4": "single-hop", "5": "adversarial"}
EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class Conversation:
    """A LoCoMo conversation and its questions; a place is the index of a message."""

    messages: list[Message]
    asks: list[Ask]


def load(data: Path) -> list[Conversation]:
    """The conversations of `locomo_dev.json`."""
    return [_conversation(item) for item in json.loads((data / "locomo_dev.json").read_text())]


def examples(conversation: Conversation, embed: CachedEmbedder) -> list[Example]:
    """Every question's candidates in a memory of this conversation."""
    index = Index([conversation.messages], embed)
    return [index.example(ask, embed) for ask in conversation.asks]


def measure(ranked: Ints, gold: frozenset[int]) -> list[float]:
    """The six measures of one question."""
    hits = [rank for rank, place in enumerate(ranked[:DEPTH].tolist()) if place in gold]
    found = {k: sum(rank < k for rank in hits) for k in (5, 10, 20)}
    reciprocal = 1 / (hits[0] + 1) if hits else 0.0
    shares = [value for k in (5, 10) for value in (float(found[k] > 0), found[k] / len(gold))]
    return [*shares, float(found[20] > 0), reciprocal]


def _conversation(item: dict[str, Any]) -> Conversation:
    conversation = item["conversation"]
    messages: list[Message] = []
    for key in sorted((k for k in conversation if re.fullmatch(r"session_\d+", k)), key=lambda k: int(k[8:])):
        start = datetime.strptime(conversation[f"{key}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for turn in conversation[key]:
            caption = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            messages.append(_message(turn, caption, start + timedelta(seconds=len(messages))))
    place = {message.external_id: index for index, message in enumerate(messages)}
    asks = []
    for question in item["qa"]:
        turns = {f"D{a}:{b}" for entry in question["evidence"] for a, b in EVIDENCE.findall(entry)}
        gold = frozenset(place[turn] for turn in turns if turn in place)
        if gold:
            kind = CATEGORIES[str(question["category"])]
            asks.append(Ask(text=question["question"], at=messages[-1].said_at, gold=gold, kind=kind))
    return Conversation(messages, asks)


def _message(turn: dict[str, str], caption: str, said_at: datetime) -> Message:
    return Message(
        id=turn["dia_id"],
        conversation_id="locomo",
        ordinal=0,
        external_id=turn["dia_id"],
        speaker=turn["speaker"],
        user_id=turn["speaker"],
        role=Role.PARTICIPANT,
        text=turn["text"] + caption,
        said_at=said_at,
    )


def left_out(folds: Sequence[list[Example]], others: list[Example], columns: Sequence[int]) -> list[list[float]]:
    """Measures of every question with weights from all folds but its own, and from `others`."""
    measured = []
    for left, fold in enumerate(folds):
        rest = [example for place, other in enumerate(folds) if place != left for example in other]
        weights = fit(rest + others, columns)
        measured += [measure(example.ranked(weights, columns), example.gold) for example in fold]
    return measured


def _print(name: str, measured: Sequence[Sequence[float]]) -> list[float]:
    means = np.mean(np.array(measured), axis=0)
    shown = " ".join(f"{100 * value:9.1f}" for value in means[:5])
    print(f"{name:28} {shown} {means[5]:9.3f} {len(measured):5}", flush=True)
    return [round(float(value), 4) for value in means]


def _seconds(conversation: Conversation, embed: CachedEmbedder) -> float:
    """Seconds for a search in this memory without embedding the question."""
    index = Index([conversation.messages], embed)
    questions = [index.ask(ask) for ask in conversation.asks]
    vectors = [embedded(question, embed) for question in questions]
    start = time.perf_counter()
    for question, vector in zip(questions, vectors, strict=True):
        ranking.rank(question, index.pool(question, vector))
    return (time.perf_counter() - start) / len(questions)


def main() -> None:
    """Prints the table of peers, the ranking, its categories and its parts, and a JSON line."""
    chosen = arguments(__doc__)
    embed = CachedEmbedder(chosen.models, chosen.vectors)
    conversations = load(chosen.data)
    print(f"{'':28} " + " ".join(f"{name:>9}" for name in MEASURES) + "     n")
    peers: dict[str, list[list[float]]] = {}
    for conversation in conversations:
        plain = Peers(dict(enumerate(conversation.messages)), embed)
        for ask in conversation.asks:
            for name, ranked in plain.search(ask.text).items():
                peers.setdefault(name, []).append(measure(ranked, ask.gold))
    results = {name: _print(name, measured) for name, measured in peers.items()}
    folds = [examples(conversation, embed) for conversation in conversations]
    shipped = np.array(list(ranking.WEIGHTS.values()))
    everything = range(len(FEATURES))
    as_shipped = [measure(each.ranked(shipped, everything), each.gold) for fold in folds for each in fold]
    results["as shipped"] = _print("as shipped, fitted on these", as_shipped)
    measured = left_out(folds, [], everything)
    results["left out"] = _print("conversation left out", measured)
    kinds = [ask.kind for conversation in conversations for ask in conversation.asks]
    for kind in CATEGORIES.values():
        part = [row for row, its in zip(measured, kinds, strict=True) if its == kind]
        results[kind] = _print(f"  {kind}", part)
    for dropped, feature in enumerate(FEATURES):
        columns = [column for column in everything if column != dropped]
        results[f"without {feature}"] = _print(f"  without {feature}", left_out(folds, [], columns))
    milliseconds = 1000 * _seconds(conversations[0], embed)
    print(f"{milliseconds:.1f} ms per search, without the embedding of the question")
    embed.save()
    print(json.dumps({"benchmark": "locomo", "n": len(kinds), "ms": round(milliseconds, 1), **results}))


if __name__ == "__main__":
    main()
