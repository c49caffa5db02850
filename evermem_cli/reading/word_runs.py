"""Linear models over runs of words: the words of a text and their pairs, in Chinese its characters and theirs."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from math import sqrt
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from evermem_cli.languages.language import language
from evermem_cli.whole_files import of_package

BUCKETS = 2**16  # that runs of words are hashed to
LONGEST = 2  # words, or Chinese characters, of a run
_SIGN = "\0"  # before a sign

Odds = NDArray[np.float32]


class RunModel(NamedTuple):
    """Weights of the shape (features, kinds), where the first BUCKETS features are runs, and constants of (kinds,)."""

    weights: NDArray[np.float32]
    constants: NDArray[np.float32]

    def odds(self, text: str, meaning: NDArray[np.float32] | None = None, signs: Iterable[str] = ()) -> Odds:
        """Shape (kinds,): log odds of each kind but for a constant.

        `meaning` is the vector of the text, `signs` are what else is known of it.
        """
        places = runs(text, signs)
        odds: Odds = self.weights[places].sum(axis=0) / sqrt(len(places)) + self.constants
        return odds if meaning is None else odds + meaning @ self.weights[BUCKETS:]


@dataclass(frozen=True)
class RunModels:
    """The models of one file: `en` and `zh` of words, and perhaps `meaning` of English words and an embedder's vector.

    Raises ModelError where the file is missing or damaged.
    """

    file: Path

    def odds(self, text: str, embedder: str, meaning: Callable[[], NDArray[np.float32]]) -> Odds:
        """Shape (kinds,), from the meaning, too, where it helps: in English, by the embedder that was learned with."""
        tongue = language(text)
        if tongue == "en" and embedder == _embedder(self.file):
            return self.model("meaning").odds(text, meaning())
        return self.model(tongue).odds(text)

    def model(self, name: str) -> RunModel:
        """The model of this name, which the first use loads."""
        return _load(self.file, name)


@cache
def _load(file: Path, name: str) -> RunModel:
    with of_package(file) as stream, np.load(stream) as stored:
        return RunModel(*(stored[f"{name}_{part}"].astype(np.float32) for part in RunModel._fields))


@cache
def _embedder(file: Path) -> str:
    with of_package(file) as stream, np.load(stream) as stored:
        return str(stored["embedder"])


def softmax(odds: Odds) -> Odds:
    """Shares of the same shape, 1 in sum along the last axis."""
    raised = np.exp(odds - odds.max(axis=-1, keepdims=True))
    shares: Odds = raised / raised.sum(axis=-1, keepdims=True)
    return shares


def runs(text: str, signs: Iterable[str] = ()) -> list[int]:
    """The different runs of a text, hashed, and its signs, which no word is like.

    They are never empty, since the beginning and the end count as words.
    """
    marked = (f"{_SIGN}{sign}" for sign in signs)
    return sorted({crc32(run.encode()) % BUCKETS for run in (*_runs(text), *marked)})


def _runs(text: str) -> Iterator[str]:
    folded = text.casefold().strip()
    if language(text) == "zh":
        words, joint = ["^", *folded, "$"], ""
    else:
        parted = folded.replace("’", "'").replace("?", " ?").replace(",", " ").replace(".", " ")
        words, joint = ["^", *parted.split(), "$"], " "
    for length in range(1, LONGEST + 1):
        yield from (joint.join(words[at : at + length]) for at in range(len(words) - length + 1))
