"""Which words with a capital are names, and of what: a softmax regression over hashed features of each word.

`python -m tests.training.naming` makes its weights.
"""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evermem_cli.languages.language import LETTERS
from evermem_cli.memory import EntityType
from evermem_cli.whole_files import of_package

Floats = NDArray[np.float32]

# The classes: no name, a name of an unknown type, and names of these types. Nothing teaches what an event is called.
TYPES = (
    EntityType.PERSON,
    EntityType.PLACE,
    EntityType.ORGANIZATION,
    EntityType.PRODUCT,
    EntityType.ANIMAL,
)
NO_NAME, UNTYPED, FIRST_TYPE = 0, 1, 2
BUCKETS = 2**15
WEIGHTS = Path(__file__).parent / "weights.npz"
_WORD = re.compile(rf"[{LETTERS}0-9]+(?:[&'-][{LETTERS}0-9]+)*|[^\s{LETTERS}0-9]")
_AROUND = 4  # words to either side that count, wherever they stand
_PIECES = (2, 3, 4)  # letters of the pieces of a word
_LONGEST = 10  # letters of a word; of longer ones only that they are so long


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a mark of a text, and where it begins."""

    start: int
    text: str

    @property
    def is_capital(self) -> bool:
        """Whether it may be of a name: "Anna", "iPhone"."""
        return self.text[0].isupper() or (self.text[0] == "i" and self.text[1:2].isupper())


def words_of(text: str) -> list[Word]:
    """The words and marks of a text."""
    return [Word(match.start(), match[0]) for match in _WORD.finditer(text)]


def probabilities(words: Sequence[Word], places: Sequence[int]) -> Floats:
    """Shape (len(places), 2 + len(TYPES)): of which class the words at these places are."""
    weights, bias = _weights()
    scores = np.array([weights[buckets(words, place)].sum(axis=0) + bias for place in places], dtype=np.float32)
    exponents: Floats = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Floats = exponents / exponents.sum(axis=1, keepdims=True)
    return shares


def buckets(words: Sequence[Word], place: int) -> list[int]:
    """The features of a word, hashed."""
    return sorted({zlib.crc32(feature.encode()) % BUCKETS for feature in _features(words, place)})


@cache
def _weights() -> tuple[Floats, Floats]:
    with of_package(WEIGHTS) as stream, np.load(stream) as stored:
        return stored["weights"].astype(np.float32) * stored["scale"], stored["bias"]


def _features(words: Sequence[Word], place: int) -> list[str]:
    """The word, its pieces, its form, and the words around it."""

    def at(index: int) -> str:
        return words[index].text.lower() if 0 <= index < len(words) else ""

    def is_capital(index: int) -> bool:
        return 0 <= index < len(words) and words[index].is_capital

    first, last = place, place
    while is_capital(first - 1):
        first -= 1
    while is_capital(last + 1):
        last += 1
    word = at(place).removesuffix("'s")
    opens = place == 0 or (not words[place - 1].text[0].isalnum() and at(place - 1) not in ",;&'’")
    length = min(len(word), _LONGEST)
    before, after = [at(place - step) for step in (1, 2, 3)], [at(place + step) for step in (1, 2, 3)]
    near = {at(place - step) for step in range(1, _AROUND + 1)}
    later = {at(place + step) for step in range(1, _AROUND + 1)}
    return [
        f"word {word}",
        f"word {word} {opens}",
        f"form {_form(words[place].text)}",
        f"opens {opens}",
        f"length {length} {opens}",
        f"owns {at(place) != word}",
        f"run {place > first} {last > place}",
        f"end {word[-3:]}",
        f"run begins {at(first)}",
        f"run ends {at(last)}",
        f"before run {at(first - 1)}",
        f"after run {at(last + 1)}",
        *(f"before {step} {neighbour}" for step, neighbour in enumerate(before)),
        *(f"after {step} {neighbour}" for step, neighbour in enumerate(after)),
        f"before both {before[1]} {before[0]}",
        f"after both {after[0]} {after[1]}",
        f"between {before[0]} {after[0]}",
        *(f"near {neighbour}" for neighbour in near),
        *(f"later {neighbour}" for neighbour in later),
        *_pieces(f"^{word}$"),
    ]


def _pieces(word: str) -> list[str]:
    return [f"piece {word[at : at + size]}" for size in _PIECES for at in range(len(word) - size + 1)]


def _form(word: str) -> str:
    """The form of a word: "Xx" for "Anna", "X" for "BBC", "xXx" for "iPhone"."""
    letters = ("X" if sign.isupper() else "x" if sign.islower() else "0" if sign.isdigit() else sign for sign in word)
    return re.sub(r"(.)\1+", r"\1", "".join(letters))
