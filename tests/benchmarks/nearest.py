"""How many of the nearest messages sketches keep: `python -m tests.benchmarks.nearest --data DIR --models DIR`.

LoCoMo's questions against its own and LongMemEval's messages in one memory, by the default embedder; then among more
vectors, each the mean of two of those at random weights, which lie as real ones do. Judged against all inner products.
"""

import json
from pathlib import Path

import numpy as np

from evermem_cli.engines import Vectors
from evermem_cli.formation.pieces import spoken_pieces
from evermem_cli.store.index.sketches import NEAREST, Outlines, nearest, sketches
from tests.benchmarks import locomo, longmemeval
from tests.benchmarks.retrieval import CachedEmbedder, arguments

SIZES = (100_000, 1_000_000)
QUESTIONS = 200  # of those asked among more vectors
BATCH = 50_000
DEPTHS = (10, 300)


def kept(questions: Vectors, vectors: Vectors) -> dict[int, float]:
    """The share of the exact nearest, to each depth, that are among `NEAREST` by sketch."""
    rows = np.arange(len(vectors))
    outlines = Outlines(sketches(vectors), rows, rows, rows[:0])
    shares: dict[int, list[float]] = {depth: [] for depth in DEPTHS}
    for question in questions:
        order = np.argsort(-(vectors @ question), kind="stable")
        near = nearest(outlines, (question, NEAREST), (question, 0))
        for depth in DEPTHS:
            shares[depth].append(float(np.isin(order[:depth], near).mean()))
    return {depth: float(np.mean(values)) for depth, values in shares.items()}


def mixed(vectors: Vectors, count: int) -> Vectors:
    """These vectors and means of two of them, `count` in all."""
    chosen = np.random.default_rng(0)
    made = np.empty((count, vectors.shape[1]), dtype=np.float32)
    made[: len(vectors)] = vectors
    for start in range(len(vectors), count, BATCH):
        rows = min(BATCH, count - start)
        one, other = chosen.integers(0, len(vectors), (2, rows))
        weight = chosen.uniform(0.5, 1, (rows, 1)).astype(np.float32)
        mean = weight * vectors[one] + (1 - weight) * vectors[other]
        made[start : start + rows] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
    return made


def read(data: Path, embed: CachedEmbedder) -> tuple[Vectors, Vectors]:
    """The vectors of the questions and of the messages."""
    conversations = locomo.load(data)
    chats = [each.messages for each in conversations]
    chats += [session for haystack in longmemeval.load(data) for session in haystack.sessions]
    texts = {
        piece
        for chat in chats
        for before, message in zip((None, *chat), chat, strict=False)
        for piece in spoken_pieces(message, before)
    }
    return embed([ask.text for each in conversations for ask in each.asks]), embed(sorted(texts))


def main() -> None:
    """Prints a line for each size and, for the record, a line of JSON."""
    chosen = arguments(__doc__)
    embed = CachedEmbedder(chosen.models, chosen.vectors)
    questions, vectors = read(chosen.data, embed)
    embed.save()
    shares = {}
    for size in (len(vectors), *SIZES):
        asked = questions if size == len(vectors) else questions[:: len(questions) // QUESTIONS]
        shares[size] = kept(asked, vectors if size == len(vectors) else mixed(vectors, size))
        told = ", ".join(f"{100 * share:.2f} % of the {depth} nearest" for depth, share in shares[size].items())
        print(f"{size:9,} vectors, {len(asked)} questions: {told}", flush=True)
    print(json.dumps({"benchmark": "nearest", "kept": shares}))


if __name__ == "__main__":
    main()
