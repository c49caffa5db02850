"""Learns the ranking's weights: `python -m tests.benchmarks.learn_ranking --data DIR --models DIR`.

Learns on LoCoMo and LongMemEval together. Prints the weights as they stand in the package's search/ranking.py, and
what they are worth: LoCoMo's measures with each conversation left out of the learning in turn.
"""

import numpy as np

from evermem_cli.recollection.search.ranking import FEATURES
from tests.benchmarks import locomo, longmemeval
from tests.benchmarks.ranking_fit import fit
from tests.benchmarks.retrieval import CachedEmbedder, arguments


def main() -> None:
    """Prints the weights and the measures."""
    chosen = arguments(__doc__)
    embed = CachedEmbedder(chosen.models, chosen.vectors)
    folds = [locomo.examples(conversation, embed) for conversation in locomo.load(chosen.data)]
    others = [judged.example for judged in longmemeval.examples(chosen.data, embed)]
    columns = range(len(FEATURES))
    means = np.mean(np.array(locomo.left_out(folds, others, columns)), axis=0)
    print(dict(zip(locomo.MEASURES, means.round(3).tolist(), strict=True)))
    weights = fit([example for fold in folds for example in fold] + others, columns)
    print({feature: round(float(weight), 2) for feature, weight in zip(FEATURES, weights, strict=True)})
    embed.save()


if __name__ == "__main__":
    main()
