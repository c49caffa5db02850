"""Sketches of vectors: the signs of their components, which find near vectors without reading the vectors."""

from collections.abc import Mapping
from dataclasses import dataclass

import duckdb
import numpy as np
from numpy.typing import NDArray

from evermem_cli.engines import Vectors
from evermem_cli.memory.pool import Ints

# This many by signs, and of these this many by the product of the question with the signs, contain the ten nearest and
# almost all of the 300 nearest (`python -m tests.benchmarks.nearest`).
COARSE = 10_000
NEAREST = 1500
# Signs are stored in words of 64. For vectors longer than the default embedder's, the first components are used.
COLUMNS = tuple(f"sketch_{word}" for word in range(6))
PLACES = 64 * len(COLUMNS)
BATCH = 20_000
Vector = NDArray[np.float32]

RENEW = """
    insert into documents by name
    select * from earlier join sketches using (number) where number > $after and number <= $last order by number"""


def sketches(vectors: Vectors) -> dict[str, NDArray[np.uint64]]:
    """One column per word of the vectors' sketches."""
    signs = np.zeros((len(vectors), PLACES), dtype=np.bool_)
    signs[:, : vectors.shape[1]] = vectors[:, :PLACES] > 0
    words = np.packbits(signs, axis=1).view(np.uint64)
    return {name: np.ascontiguousarray(words[:, place]) for place, name in enumerate(COLUMNS)}


@dataclass(frozen=True, slots=True)
class Outlines:
    """What may be found, as rows of `words`: a column per word of the sketches, and the number of each row's entry."""

    words: Mapping[str, NDArray[np.uint64]]
    number: Ints
    messages: Ints
    others: Ints


def nearest(outlines: Outlines, messages: tuple[Vector, int], others: tuple[Vector, int]) -> Ints:
    """The numbers of the entries whose sketches are nearest to a question's, in no order.

    `messages` and `others` give the vector to compare each with and how many are wanted.
    """
    sides = ((outlines.messages, *messages), (outlines.others, *others))
    return np.concatenate([outlines.number[_nearest(outlines.words, *side)] for side in sides])


def _nearest(words: Mapping[str, NDArray[np.uint64]], rows: Ints, question: Vector, count: int) -> Ints:
    """Compares the signs of these rows with the question's, then those of the nearest with the question itself."""
    if len(rows) > COARSE:
        distance = np.zeros(len(rows), dtype=np.uint16)
        for name, [word] in sketches(question[None]).items():
            distance += np.bitwise_count(words[name][rows] ^ word)
        rows = rows[np.argpartition(distance, COARSE)[:COARSE]]
    if len(rows) > count:
        closeness = np.zeros(len(rows), dtype=np.float32)
        for name, tables in zip(COLUMNS, _products(question), strict=True):
            octets = np.ascontiguousarray(words[name][rows].view(np.uint8).reshape(-1, 8).T)
            for octet, table in zip(octets, tables, strict=True):
                closeness += table[octet]
        rows = rows[np.argpartition(-closeness, count)[:count]]
    return rows


def _products(question: Vector) -> NDArray[np.float32]:
    """The sums of the question's components where the bits of an octet are set: a table per octet of a sketch."""
    components = np.zeros(PLACES, dtype=np.float32)
    components[: len(question)] = question[:PLACES]
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32)
    products: NDArray[np.float32] = (components.reshape(-1, 8) @ bits.T).reshape(len(COLUMNS), 8, 256)
    return products


def among(numbers: Ints, last: int) -> bytes:
    """The entries of these numbers, out of 1 to `last`, as a bit string: a filter that DuckDB applies within the scan.

    DuckDB then reads only their vectors; for a join it would read all.
    """
    chosen = np.zeros(last + 1, dtype=np.bool_)
    chosen[numbers] = True
    return np.packbits(chosen).tobytes()


def fill(connection: duckdb.DuckDBPyConnection) -> None:
    """Copies the entries of `earlier`, if it exists, with sketches: files of versions before 13 have none."""
    if not connection.execute("from duckdb_tables() where table_name = 'earlier'").fetchall():
        return
    [(last,)] = connection.execute("select coalesce(max(number), 0) from earlier").fetchall()
    for after in range(0, last, BATCH):
        span = {"after": after, "last": after + BATCH}
        query = "select number, embedding from earlier where number > $after and number <= $last"
        batch = connection.execute(query, span).fetchnumpy()
        if len(batch["number"]):
            connection.register("sketches", {"number": batch["number"]} | sketches(np.stack([*batch["embedding"]])))
            connection.execute(RENEW, span)
    connection.execute("drop table earlier")
