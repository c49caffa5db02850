"""The blocks of a memory file on disk: which are damaged, and repair of those with one flipped bit.

DuckDB writes three headers of 4,096 bytes and then blocks, each after a checksum of its content: every 8 bytes times an
odd constant, combined by exclusive or (`checksum.cpp`). So the difference between a block's stored and computed
checksum identifies the flipped bit, if only one was flipped and no other explains the difference. The lower the bit is
in its 8 bytes, the more bits of the difference depend on it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

HEADER, HEADERS = 4096, 3
BLOCK_SIZE = 65536
BITS = [np.uint64(1 << place) for place in range(64)]
SEED, FACTOR = np.uint64(5381), np.uint64(0xBF58476D1CE4E5B9)

Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Damage:
    """The damage to a file: the number of blocks, the positions of damaged ones, and the repaired bytes."""

    blocks: int
    places: tuple[int, ...]
    mended: dict[int, bytes]


UNKNOWN = Damage(
    0, (), {}
)  # for an encrypted file, whose blocks only DuckDB can separate: it checks every block that it reads


def damage(content: BinaryIO) -> Damage:
    """Checks every block of a file. Raises OSError."""
    places, mended, count = [], {}, 0
    for place, block in _blocks(content):
        count += 1
        words = np.frombuffer(block, dtype="<u8")
        if words[0] == _checksum(words[1:]) or not block.strip(b"\0"):
            continue
        places.append(place)
        if (whole := _mended(words)) is not None:
            mended[place] = whole.tobytes()
    return Damage(count, tuple(places), mended)


def _blocks(content: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Headers and blocks with their positions. What is incomplete at the end is left out."""
    content.seek(0)
    for number in range(HEADERS):
        if len(header := content.read(HEADER)) < HEADER:
            return
        yield number * HEADER, header
    while len(block := content.read(BLOCK_SIZE)) == BLOCK_SIZE:
        yield content.tell() - BLOCK_SIZE, block


def _checksum(words: Words) -> np.uint64:
    return np.uint64(SEED ^ np.bitwise_xor.reduce(words * FACTOR))


def _mended(words: Words) -> Words | None:
    """The block without its flipped bit; None where more than one was flipped or the bit is ambiguous."""
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
