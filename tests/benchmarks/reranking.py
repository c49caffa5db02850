"""What a closer look adds to search: `python -m tests.benchmarks.reranking --data DIR --models DIR`.

LoCoMo and LongMemEval as in the benchmarks of their own, before and after the reranker has read the best results.
`--models` is the embedder's folder; the reranker's is beside it. The ranking's weights are learned on conversations
(LongMemEval: fifths of the questions, and all of LoCoMo) other than the one that is judged; what the reranker's logits
count is as shipped, and what each set alone would teach is printed.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from evermem_cli.config import Settings
from evermem_cli.engines import Scores
from evermem_cli.engines.reranker import CrossEncoder
from evermem_cli.memory.pool import Floats, Ints
from evermem_cli.recollection.search.ranking import FEATURES, WEIGHTS
from evermem_cli.recollection.search.rerank import MOST_RERANKED, WEIGHT, passage
from tests.benchmarks import locomo, longmemeval
from tests.benchmarks.ranking_fit import Example, fit
from tests.benchmarks.retrieval import Ask, CachedEmbedder, Index, arguments

FIFTHS = 5
COLUMNS = range(len(FEATURES))


class CachedReranker:
    """The default reranker with a file of what it has scored before, where a folder for it is given."""

    def __init__(self, models: Path, folder: Path | None) -> None:
        name = Settings().reranker
        self._engine = CrossEncoder(models.parent / name, name)
        self.languages = self._engine.languages
        self._file = folder / "reranked.json" if folder else None
        self._known: dict[str, float] = json.loads(self._file.read_text()) if self._file and self._file.exists() else {}

    def score(self, question: str, passages: Sequence[str]) -> Scores:
        """As the engine does."""
        keys = [f"{question}\n{text}" for text in passages]
        new = [index for index, key in enumerate(keys) if key not in self._known]
        scores = self._engine.score(question, [passages[index] for index in new])
        self._known |= {keys[index]: float(score) for index, score in zip(new, scores, strict=True)}
        return np.array([self._known[key] for key in keys])

    def save(self) -> None:
        """Keeps what was scored."""
        if self._file:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text(json.dumps(self._known))


@dataclass(frozen=True, slots=True)
class Judged:
    """A question with its candidates, what the reranker reads of each, and how a ranking of them is measured."""

    text: str
    example: Example
    passages: list[str]
    measure: Callable[[Ints], list[float]]

    def near(self, weights: Floats, reranker: CachedReranker) -> Example:
        """The candidates that are looked at closely, each with two features: the ranking's score, the reranker's."""
        example = self.example
        scores = example.features @ weights
        rows = np.argsort(-scores, kind="stable")[:MOST_RERANKED]
        close = reranker.score(self.text, [self.passages[row] for row in rows.tolist()])
        return Example(
            places=example.places[rows],
            features=np.column_stack([scores[rows], close]),
            gold=example.gold,
            found_gold=example.found_gold[rows],
        )


def judged(index: Index, ask: Ask, embed: CachedEmbedder, measure: Callable[[Ints], list[float]]) -> Judged:
    """A question to an index."""
    example, messages = index.example(ask, embed), index.messages
    told = [passage(messages[place], messages.get(place - 1)) for place in example.places.tolist()]
    return Judged(ask.text, example, told, measure)


def left_out(
    folds: Sequence[Sequence[Judged]], others: Sequence[Judged], reranker: CachedReranker
) -> Iterator[tuple[list[float], list[float]]]:
    """Each question's measures without and with the reranker, with weights from all folds but its own and `others`."""
    for left, fold in enumerate(folds):
        rest = [each for place, other in enumerate(folds) if place != left for each in other] + list(others)
        weights = fit([each.example for each in rest], COLUMNS)
        for each in fold:
            plain = each.example.ranked(weights, COLUMNS)
            close = each.near(weights, reranker).ranked(np.array([1.0, WEIGHT]), (0, 1))
            yield each.measure(plain), each.measure(np.concatenate([close, plain[len(close) :]]))


def learned(judged: Sequence[Judged], weights: Floats, reranker: CachedReranker) -> float:
    """What a logit of the reranker counts beside one of the ranking."""
    ranking, closely = fit([each.near(weights, reranker) for each in judged], (0, 1))
    return float(closely / ranking)


def conversations(data: Path, embed: CachedEmbedder) -> list[list[Judged]]:
    """LoCoMo, a fold for each conversation."""
    folds = []
    for conversation in locomo.load(data):
        index = Index([conversation.messages], embed)
        folds.append([judged(index, ask, embed, partial(locomo.measure, gold=ask.gold)) for ask in conversation.asks])
    return folds


def haystacks(data: Path, embed: CachedEmbedder) -> list[list[Judged]]:
    """LongMemEval's questions that have an answer, in fifths."""
    asked = [each for each in longmemeval.load(data) if not each.id.endswith("_abs")]
    judged_all = [
        judged(Index(each.sessions, embed), each.ask, embed, partial(longmemeval.measure, haystack=each))
        for each in asked
    ]
    return [judged_all[fold::FIFTHS] for fold in range(FIFTHS)]


def show(name: str, measures: Sequence[str], rows: Sequence[list[float]]) -> dict[str, float]:
    """Prints and returns the means; a question without gold turns has no measures of turns."""
    means = dict(zip(measures, np.nanmean(np.array(rows), axis=0).round(4).tolist(), strict=True))
    told = "  ".join(f"{measure} {100 * mean:.1f}" for measure, mean in means.items())
    print(f"{name:26} {told}  n {len(rows)}", flush=True)
    return means


def main() -> None:
    """Prints both sets without and with the reranker, the weights that each alone would teach, and a JSON line."""
    chosen = arguments(__doc__)
    embed, reranker = CachedEmbedder(chosen.models, chosen.vectors), CachedReranker(chosen.models, chosen.vectors)
    chats, sessions = conversations(chosen.data, embed), haystacks(chosen.data, embed)
    everything = [each for fold in chats for each in fold]
    shipped = np.array(list(WEIGHTS.values()))
    results, alone = {}, {}
    for name, measures, folds, others in (
        ("LoCoMo", locomo.MEASURES, chats, []),
        ("LongMemEval", longmemeval.MEASURES, sessions, everything),
    ):
        pairs = list(left_out(folds, others, reranker))
        results[name] = show(name, measures, [plain for plain, _ in pairs])
        results[f"{name}, reranked"] = show(f"{name}, reranked", measures, [close for _, close in pairs])
        alone[name] = learned([each for fold in folds for each in fold], shipped, reranker)
    print(f"weight {WEIGHT}; learned on one set alone: {alone}")
    embed.save()
    reranker.save()
    print(json.dumps({"benchmark": "reranking", "weight": WEIGHT, "alone": alone} | results))


if __name__ == "__main__":
    main()
