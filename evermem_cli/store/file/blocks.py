"""The blocks of a memory file as they lie on the disk: which are damaged, and those mended where one bit has turned.

DuckDB writes three headers of 4,096 bytes and then blocks, each after a checksum of the rest of it: every 8 bytes times
an odd constant, all of them combined by exclusive or (`checksum.cpp`). So the difference between the checksum that a
block has and the one that it should have tells which bit has turned, if only one has and no other explains it: the
lower it stands in its 8 bytes, the more bits of the difference speak of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HEADER, HEADERS = 4096, 3
BLOCK_SIZE = 65536
BITS = [np.uint64(1 << place) for place in range(64)]
SEED, FACTOR = np.uint64(5381), np.uint64(0xBF58476D1CE4E5B9)

Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Damage:
    """What is wrong with a file: how many blocks there are, the places of the damaged, and their mended bytes."""

    blocks: int
    places: tuple[int, ...]
    mended: dict[int, bytes]


UNKNOWN = Damage(
    0, (), {}
)  # of an encrypted file, whose blocks only DuckDB can tell apart: it checks each that it reads


def damage(path: Path) -> Damage:
    """Reads every block of a file. Raises OSError."""
    places, mended, count = [], {}, 0
    for place, content in _blocks(path):
        count += 1
        words = np.frombuffer(content, dtype="<u8")
        if words[0] == _checksum(words[1:]) or not content.strip(b"\0"):
            continue
        places.append(place)
        if (whole := _mended(words)) is not None:
            mended[place] = whole.tobytes()
    return Damage(count, tuple(places), mended)


def _blocks(path: Path) -> Iterator[tuple[int, bytes]]:
    """Headers and blocks with their places; what is less than a block at the end is in none."""
    with path.open("rb") as opened:
        for number in range(HEADERS):
            yield number * HEADER, opened.read(HEADER)
        while len(content := opened.read(BLOCK_SIZE)) == BLOCK_SIZE:
            yield opened.tell() - BLOCK_SIZE, content


def _checksum(words: Words) -> np.uint64:
    return np.uint64(SEED ^ np.bitwise_xor.reduce(words * FACTOR))


def _mended(words: Words) -> Words | None:
    """The block as it was before one bit of it turned; None where it was not one, or cannot be told which."""
    stored, rest = words[0], words[1:]
    difference = stored ^ _checksum(rest)
    products = rest * FACTOR ^ difference
    candidates = [(0, bit) for bit in BITS if bit == difference]
    candidates += [(1 + place, bit) for bit in BITS for place in np.flatnonzero((rest ^ bit) * FACTOR == products)[:2]]
    if len(candidates) != 1:
        return None
    [(place, bit)] = candidates
    whole = words.copy()
    whole[place] ^= bit
    return whole
