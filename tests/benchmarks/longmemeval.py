"""How well search finds LongMemEval's evidence: `python -m tests.benchmarks.longmemeval --data DIR --models DIR`.

A proxy of LongMemEval-S: each question's own sessions plus sessions of other questions, 48 in all, drawn with the
sha256 of the question id as seed. User turns only, a session is a conversation. Sessions rank by their best message:
recall_all@5 and @10 and NDCG@10, abstention questions skipped; turns with `has_answer`: recall_all@5 and @10. Weights
are learned on LoCoMo and four fifths of these questions, and judged on the others.
"""

import hashlib
import json
import random
import re
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
from tests.benchmarks import locomo
from tests.benchmarks.peers import Peers
from tests.benchmarks.ranking_fit import Example, fit
from tests.benchmarks.retrieval import APART, Ask, CachedEmbedder, Index, arguments

SESSIONS = 48
FOLDS = 5
MEASURES = ("all@5", "all@10", "NDCG@10", "turn all@5", "turn all@10")
DISCOUNTS = np.concatenate([[1.0], 1 / np.log2(np.arange(2, 11))])
ASKER = "user"


@dataclass(frozen=True, slots=True)
class Haystack:
    """A question, its 48 sessions, and the numbers of those that hold its answer; place = 1000 x session + turn."""

    id: str
    kind: str
    sessions: list[list[Message]]
    answers: frozenset[int]
    ask: Ask


@dataclass(frozen=True, slots=True)
class Judged:
    """A haystack with its candidates."""

    haystack: Haystack
    example: Example


def load(data: Path) -> list[Haystack]:
    """The questions of `longmemeval_oracle_dev.json` with their haystacks."""
    items = json.loads((data / "longmemeval_oracle_dev.json").read_text())
    pool: dict[str, tuple[str, list[dict[str, Any]]]] = {}
    for item in items:
        for key, date, turns in _sessions(item):
            pool.setdefault(key, (date, turns))
    return [_haystack(item, pool) for item in items]


def examples(data: Path, embed: CachedEmbedder) -> list[Judged]:
    """Every question's candidates in a memory of its haystack."""
    return [Judged(haystack, Index(haystack.sessions, embed).example(haystack.ask, embed)) for haystack in load(data)]


def measure(ranked: Ints, haystack: Haystack) -> list[float]:
    """The five measures of one question; turns are nan where the question has none."""
    sessions = list(dict.fromkeys((ranked // APART).tolist()))
    gains = np.array([session in haystack.answers for session in sessions[:10]], dtype=np.float64)
    best = DISCOUNTS[: min(10, len(haystack.answers))].sum()
    turns = [float(haystack.ask.gold <= set(ranked[:k].tolist())) if haystack.ask.gold else np.nan for k in (5, 10)]
    everywhere = [float(haystack.answers <= set(sessions[:k])) for k in (5, 10)]
    return [*everywhere, float(gains @ DISCOUNTS[: len(gains)] / best), *turns]


def _sessions(item: dict[str, Any]) -> list[tuple[str, str, list[dict[str, Any]]]]:
    return list(zip(item["haystack_session_ids"], item["haystack_dates"], item["haystack_sessions"], strict=True))


def _haystack(item: dict[str, Any], pool: dict[str, tuple[str, list[dict[str, Any]]]]) -> Haystack:
    own = {key: (date, turns) for key, date, turns in _sessions(item)}
    seed = int(hashlib.sha256(item["question_id"].encode()).hexdigest(), 16)
    others = random.Random(seed).sample(sorted(set(pool) - set(own)), SESSIONS - len(own))
    chosen = sorted(
        (own | {key: pool[key] for key in others}).items(), key=lambda entry: (_time(entry[1][0]), entry[0])
    )
    sessions, gold, answers = [], set(), set()
    for number, (key, (date, turns)) in enumerate(chosen):
        said = [turn for turn in turns if turn["role"] == ASKER]
        sessions.append([_message(key, turn, _time(date) + timedelta(seconds=i)) for i, turn in enumerate(said)])
        gold |= {APART * number + i for i, turn in enumerate(said) if key in own and turn.get("has_answer")}
        answers |= {number} if key in item["answer_session_ids"] else set()
    ask = Ask(
        text=item["question"],
        at=_time(item["question_date"]),
        gold=frozenset(gold),
        kind=item["question_type"],
        asker=ASKER,
    )
    return Haystack(item["question_id"], item["question_type"], sessions, frozenset(answers), ask)


def _time(written: str) -> datetime:
    return datetime.strptime(re.sub(r" \(\w+\)", "", written), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)


def _message(session: str, turn: dict[str, str], said_at: datetime) -> Message:
    return Message(
        id="",
        conversation_id=session,
        ordinal=0,
        external_id="",
        speaker=ASKER,
        user_id=ASKER,
        role=Role.USER,
        text=turn["content"],
        said_at=said_at,
    )


def _left_out(judged: Sequence[Judged], others: list[Example], columns: Sequence[int]) -> list[list[float]]:
    """Measures of every question with weights from the other folds and from `others`."""
    measured: dict[str, list[float]] = {}
    for fold in range(FOLDS):
        rest = [item.example for place, item in enumerate(judged) if place % FOLDS != fold]
        weights = fit(rest + others, columns)
        for item in judged[fold::FOLDS]:
            measured[item.haystack.id] = measure(item.example.ranked(weights, columns), item.haystack)
    return [measured[item.haystack.id] for item in judged if not item.haystack.id.endswith("_abs")]


def _print(name: str, measured: Sequence[Sequence[float]]) -> list[float]:
    table = np.array(measured)
    known = ~np.isnan(table)
    means = np.where(known, table, 0).sum(axis=0) / known.sum(axis=0)
    print(f"{name:28} " + " ".join(f"{100 * value:11.1f}" for value in means) + f" {len(measured):5}", flush=True)
    return [round(float(value), 4) for value in means]


def main() -> None:
    """Prints the table of peers, the ranking, its question types and its parts, and a JSON line."""
    chosen = arguments(__doc__)
    embed = CachedEmbedder(chosen.models, chosen.vectors)
    judged = examples(chosen.data, embed)
    print(f"{'':28} " + " ".join(f"{name:>11}" for name in MEASURES) + "     n")
    peers: dict[str, list[list[float]]] = {}
    answerable = [item for item in judged if not item.haystack.id.endswith("_abs")]
    for haystack in (item.haystack for item in answerable):
        messages = {APART * s + i: m for s, session in enumerate(haystack.sessions) for i, m in enumerate(session)}
        for name, ranked in Peers(messages, embed).search(haystack.ask.text).items():
            peers.setdefault(name, []).append(measure(ranked, haystack))
    results = {name: _print(name, measured) for name, measured in peers.items()}
    shipped, everything = np.array(list(ranking.WEIGHTS.values())), range(len(FEATURES))
    ranked_shipped = [measure(item.example.ranked(shipped, everything), item.haystack) for item in answerable]
    results["as shipped"] = _print("as shipped, fitted on these", ranked_shipped)
    others = [example for conversation in locomo.load(chosen.data) for example in locomo.examples(conversation, embed)]
    measured = _left_out(judged, others, everything)
    results["left out"] = _print("fifth left out", measured)
    for kind in sorted({item.haystack.kind for item in answerable}):
        part = [row for row, item in zip(measured, answerable, strict=True) if item.haystack.kind == kind]
        results[kind] = _print(f"  {kind}", part)
    for dropped, feature in enumerate(FEATURES):
        columns = [column for column in everything if column != dropped]
        results[f"without {feature}"] = _print(f"  without {feature}", _left_out(judged, others, columns))
    embed.save()
    print(json.dumps({"benchmark": "longmemeval-48", "n": len(answerable), **results}))


if __name__ == "__main__":
    main()
