"""What the strength of memories does to recall on LoCoMo: `python -m tests.benchmarks.strengths`, options as locomo.py.

The shipped ranking, with strengths as life might have made them: each message unread since it was said; each as strong
as chance has it; each the stronger the more often it was among the ten best of the conversation's other questions. The
last row has the weight at which strength would no longer be a minor term. No language model.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from evermem_cli.memory import Fading
from evermem_cli.memory.pool import Floats
from evermem_cli.memory.strength import GREATEST_STRENGTH, NEW
from evermem_cli.recollection.search.ranking import STRENGTH, WEIGHTS
from evermem_cli.store.lifecycle.strength import GAIN
from tests.benchmarks.locomo import Conversation, examples, load, measure
from tests.benchmarks.ranking_fit import Example
from tests.benchmarks.retrieval import CachedEmbedder, arguments

SHOWN = 10
MUCH = 3.0
Strengths = Callable[[Conversation, Sequence[Example], int], Floats]


def as_new(conversation: Conversation, _asked: Sequence[Example], _this: int) -> Floats:
    """Nothing has faded and nothing was read: strength tells nothing."""
    return np.full(len(conversation.messages), NEW)


def by_age(conversation: Conversation, _asked: Sequence[Example], this: int) -> Floats:
    """What is left at the question of messages that were never read."""
    at = conversation.asks[this].at
    return np.array([Fading().left(NEW, at - message.said_at) for message in conversation.messages])


def by_chance(conversation: Conversation, _asked: Sequence[Example], this: int) -> Floats:
    """Anything from archived to the strongest."""
    drawn: Floats = np.random.default_rng(this).uniform(0.1, GREATEST_STRENGTH, len(conversation.messages))
    return drawn


def by_reading(conversation: Conversation, asked: Sequence[Example], this: int) -> Floats:
    """As if all the other questions had been asked just before."""
    shown = Counter(
        place
        for number, other in enumerate(asked)
        if number != this
        for place in other.ranked(np.array(list(WEIGHTS.values())), range(len(WEIGHTS)))[:SHOWN].tolist()
    )
    return np.array([min(GREATEST_STRENGTH, NEW + GAIN * shown[place]) for place in range(len(conversation.messages))])


def measured(
    conversations: Sequence[Conversation], folds: Sequence[list[Example]], strengths: Strengths, weight: float
) -> Iterator[list[float]]:
    """The measures of every question where strength counts with this weight."""
    shipped = np.array([*WEIGHTS.values(), weight])
    for conversation, asked in zip(conversations, folds, strict=True):
        for this, example in enumerate(asked):
            part = (strengths(conversation, asked, this)[example.places] - NEW) / (GREATEST_STRENGTH - NEW)
            features = np.column_stack([example.features, part])
            order = np.argsort(-(features @ shipped), kind="stable")
            yield measure(example.places[order], example.gold)


def main() -> None:
    """Prints any@10, recall@10 and MRR of each, and a JSON line."""
    chosen = arguments(__doc__)
    embed = CachedEmbedder(chosen.models, chosen.vectors)
    conversations = load(chosen.data)
    folds = [examples(conversation, embed) for conversation in conversations]
    embed.save()
    rows: list[tuple[str, Strengths, float]] = [
        ("all as new", as_new, STRENGTH),
        ("unread since said", by_age, STRENGTH),
        ("by chance", by_chance, STRENGTH),
        ("after the other questions", by_reading, STRENGTH),
        (f"the same, weight {MUCH:g}", by_reading, MUCH),
    ]
    results = {}
    for name, strengths, weight in rows:
        means = np.mean(list(measured(conversations, folds, strengths, weight)), axis=0)
        results[name] = [round(float(means[column]), 4) for column in (2, 3, 5)]
        any_10, recall_10, mrr = results[name]
        print(f"{name:28} any@10 {100 * any_10:5.1f}  recall@10 {100 * recall_10:5.1f}  MRR {mrr:.3f}", flush=True)
    print(json.dumps({"benchmark": "strengths", "n": sum(map(len, folds)), **results}))


if __name__ == "__main__":
    main()
