"""Sketches of vectors: the signs of their components, which find near vectors without reading the vectors."""

from collections.abc import Mapping
from typing import Any

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


def nearest(entries: Mapping[str, NDArray[Any]], messages: tuple[Vector, int], others: tuple[Vector, int]) -> Ints:
    """The numbers of the entries whose sketches are nearest to a question's, in no order.

    `entries` has a column per word, `number` and `is_message`. `messages` and `others` give the vector to compare each
    with and how many are wanted.
    """
    sides = ((np.flatnonzero(entries["is_message"]), *messages), (np.flatnonzero(~entries["is_message"]), *others))
    return np.concatenate([entries["number"][_nearest(entries, *side)] for side in sides])


def _nearest(entries: Mapping[str, NDArray[Any]], rows: Ints, question: Vector, count: int) -> Ints:
    """Compares the signs of these rows with the question's, then those of the nearest with the question itself."""
    if len(rows) > COARSE:
        distance = np.zeros(len(rows), dtype=np.uint16)
        for name, [word] in sketches(question[None]).items():
            distance += np.bitwise_count(entries[name][rows] ^ word)
        rows = rows[np.argpartition(distance, COARSE)[:COARSE]]
    if len(rows) > count:
        words = np.column_stack([entries[name][rows] for name in COLUMNS])
        signs = np.unpackbits(words.view(np.uint8), axis=1, count=min(len(question), PLACES)).astype(np.float32) - 0.5
        rows = rows[np.argpartition(-(signs @ question[: signs.shape[1]]), count)[:count]]
    return rows


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
