"""LoCoMo's own measure of an answer: F1 of stemmed words (Maharana et al. 2024, `task_eval/evaluation.py`)."""

import re
import string
from collections import Counter
from functools import cache

from tests.benchmarks.retrieval import connect

ARTICLES = re.compile(r"\b(?:a|an|the|and)\b")
MULTI_HOP, OPEN = 1, 3


def score(answer: str, gold: str, category: int) -> float:
    """F1 of an answer to a question of categories 1 to 4, between 0 and 1.

    A multi-hop answer is a list split at commas, where each gold item counts with its best match; of an open question's
    gold answer, what follows ";" is an explanation.
    """
    if category == MULTI_HOP:
        said = answer.split(",")
        items = gold.split(",")
        return sum(max(_f1(part, item) for part in said) for item in items) / len(items)
    return _f1(answer, gold.split(";")[0] if category == OPEN else gold)


def _f1(answer: str, gold: str) -> float:
    said, wanted = Counter(_words(answer)), Counter(_words(gold))
    common = (said & wanted).total()
    return 2 * common / (said.total() + wanted.total()) if common else 0.0


@cache
def _words(text: str) -> tuple[str, ...]:
    bare = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    stemmed = connect().execute(
        "select list_transform($words, lambda word: stem(word, 'porter'))", {"words": ARTICLES.sub(" ", bare).split()}
    )
    return tuple(stemmed.fetchall()[0][0])
