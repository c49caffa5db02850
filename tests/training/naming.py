"""Trains the regression that recognises names, and prints what it recognises of hands that it did not learn from.

    pip install '.[train]'
    python -m tests.training.naming             # a minute; writes the weights
    python -m tests.training.naming --measure   # figures alone

`names.txt` has a line for each text of `messages`, `questions` and `facts` with a word that begins with a capital: the
text's CRC, and a letter for each such word. A capital letter is certain: it follows from the kind of the labelled
statement that the word stands in, or the word is what a speaker of the chat is called. A small one was said by lists of
words and patterns that evermem once had; "n" is a name of a type that they did not know, "." is none.
"""

import argparse
import json
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evermem_cli.naming.mentions import TYPED_ABOVE
from evermem_cli.naming.recognizer import BUCKETS, FIRST_TYPE, NO_NAME, TYPES, WEIGHTS, buckets, words_of

HERE = Path(__file__).parent
LABELS = HERE / "names.txt"
LETTERS = ".nploga"  # of the classes, in their order: goods are products
FOLDS = 4
PENALTY = 0.3  # inverse strength of the regression's penalty
ROUNDS = 100
# How much a word counts that lists have labelled: as no name, as a name of a type, as a name of none.
CERTAIN, TYPED, UNTYPED = 1.0, 0.5, 0.3

Shares = NDArray[np.float64]


class LabelledWord(NamedTuple):
    """A word with a capital: the file it is from, its hashed features, its class, and whether that is certain."""

    source: str
    features: list[int]
    label: int
    is_certain: bool

    @property
    def weight(self) -> float:
        """How much it counts."""
        if self.is_certain or self.label == NO_NAME:
            return CERTAIN
        return TYPED if self.label >= FIRST_TYPE else UNTYPED


def texts() -> Iterator[tuple[str, str]]:
    """The texts to learn from, each with the name of its file."""
    for path in sorted(
        [*HERE.glob("messages/en/*.jsonl"), *HERE.glob("questions/*.jsonl"), *HERE.glob("facts/*.jsonl")]
    ):
        source = path.relative_to(HERE).with_suffix("").as_posix()
        for line in path.read_text("utf-8").splitlines():
            for text in _said(json.loads(line)):
                yield source, text


def _said(record: dict[str, Any]) -> list[str]:
    """The texts in a record of any of these files."""
    if "t" in record:
        return [record["t"]]
    return [message[1] for message in record["m"]] if "m" in record else [each["says"] for each in record["messages"]]


def labelled_words() -> list[LabelledWord]:
    """All labelled words, those of each text once."""
    labels = dict(line.split(" ") for line in LABELS.read_text("utf-8").splitlines())
    found: list[LabelledWord] = []
    for source, text in texts():
        words = words_of(spelled(text))
        capitals = [place for place, word in enumerate(words) if word.is_capital]
        letters = labels.pop(mark(text), "") if capitals else ""
        for place, letter in zip(capitals, letters, strict=True) if letters else ():
            found.append(LabelledWord(source, buckets(words, place), LETTERS.index(letter.lower()), letter.isupper()))
    return found


def spelled(text: str) -> str:
    """The text with straight apostrophes, as names are looked for in it."""
    return text.replace("’", "'").replace("‘", "'")


def mark(text: str) -> str:
    """What identifies a text in `names.txt`."""
    return f"{zlib.crc32(text.encode()):08x}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the figures of left-out hands; writes the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true", help="write nothing")
    options = parser.parse_args(arguments)
    words = labelled_words()
    _report(words)
    if not options.measure:
        weights, bias = _fit(words)
        scale = np.float32(np.abs(weights).max() / 127)
        np.savez_compressed(WEIGHTS, weights=np.round(weights / scale).astype(np.int8), scale=scale, bias=bias)


def _report(words: Sequence[LabelledWord]) -> None:
    """What is recognised of each hand by weights of the others: of certain types, and of words that are no names."""
    hands = sorted({word.source for word in words if word.source.startswith("messages/")})
    asked, shares = [], []
    for left_out in (set(hands[start::FOLDS]) for start in range(FOLDS)):
        weights, bias = _fit([word for word in words if word.source not in left_out])
        asked += [word for word in words if word.source in left_out]
        shares.append(_shares([word for word in words if word.source in left_out], weights, bias))
    told = _told(np.vstack(shares))
    labels = np.array([word.label for word in asked])
    certain = np.array([word.is_certain for word in asked])
    typed, none = certain & (labels >= FIRST_TYPE), ~certain & (labels == NO_NAME)
    figures = {
        "n": int(typed.sum()),
        "right": round(float((told == labels)[typed].mean()), 3),
        "another type": round(float(((told != labels) & (told >= FIRST_TYPE))[typed].mean()), 3),
        "no name": round(float((told == NO_NAME)[typed].mean()), 3),
        **{
            kind.value: round(float((told == labels)[typed & (labels == FIRST_TYPE + place)].mean()), 3)
            for place, kind in enumerate(TYPES)
        },
        "others n": int(none.sum()),
        "taken for names": round(float((told != NO_NAME)[none].mean()), 3),
    }
    print(json.dumps({"benchmark": "naming", **figures}))


def _told(shares: Shares) -> NDArray[np.int64]:
    """The class of each word as `find_mentions` tells it of a name of one word."""
    named = shares[:, NO_NAME] < 0.5
    rest = shares[:, 1:] / np.maximum(shares[:, 1:].sum(axis=1, keepdims=True), 1e-9)
    best = rest.argmax(axis=1)
    sure = (best + 1 >= FIRST_TYPE) & (rest.max(axis=1) > TYPED_ABOVE)
    return np.where(named, np.where(sure, best + 1, 1), NO_NAME)


def _fit(words: Sequence[LabelledWord]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The weights, shape (BUCKETS, classes), and the bias of each class."""
    from sklearn.linear_model import LogisticRegression

    regression = LogisticRegression(C=PENALTY, max_iter=ROUNDS, tol=1e-3)
    regression.fit(_matrix(words), [word.label for word in words], sample_weight=[word.weight for word in words])
    return regression.coef_.T.astype(np.float32), regression.intercept_.astype(np.float32)


def _shares(words: Sequence[LabelledWord], weights: NDArray[np.float32], bias: NDArray[np.float32]) -> Shares:
    scores = _matrix(words) @ weights + bias
    exponents = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Shares = exponents / exponents.sum(axis=1, keepdims=True)
    return shares


def _matrix(words: Sequence[LabelledWord]) -> NDArray[np.float32]:
    """A row for each word: its features as a sparse matrix."""
    from scipy.sparse import csr_matrix

    starts = np.cumsum([0, *(len(word.features) for word in words)])
    columns = np.concatenate([np.array(word.features) for word in words])
    matrix: NDArray[np.float32] = csr_matrix(
        (np.ones(len(columns), dtype=np.float32), columns, starts), shape=(len(words), BUCKETS)
    )
    return matrix


if __name__ == "__main__":
    main()
