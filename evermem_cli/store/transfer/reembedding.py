"""Stores new vectors by another embedder beside the old ones. When every text has one, they replace the old ones.

The schema `reembedding` holds the new vectors, each with its memory and a digest of its text, so that texts that change
or come meanwhile are embedded too. A rewrite of the file, for example by forgetting, drops the schema.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import duckdb
import numpy as np

from evermem_cli.engines import Vectors
from evermem_cli.errors import StoreError
from evermem_cli.memory import Message, Scale
from evermem_cli.store.file import connection
from evermem_cli.store.file.renewal import renewed
from evermem_cli.store.index.sketches import COLUMNS, sketches
from evermem_cli.store.privacy.access import Accessed
from evermem_cli.store.read.messages import MessageReader
from evermem_cli.store.schema.sql import Sql

# Everything that has a vector, with the text that is embedded.
TEXTS = """
    select id, text, true as is_message from messages union all
    select id, subject || '. ' || episode, false from episodes union all
    select id, atomic_fact, false from event_logs union all
    select id, foresight, false from foresights union all
    select id, subject || '. ' || digest, false from digests union all
    select id, situation, false from interactions where id in (select interaction_id from situations)"""
SAID = f"(select *, md5_number_lower(text) as said from ({TEXTS}))"
# Places of a memory's pieces are numbered from 0.
BEGIN = (
    "drop schema if exists reembedding cascade",
    "create schema reembedding",
    "create table reembedding.target (embedder varchar, dimension integer, slope double, shift double)",
    f"""create table reembedding.vectors (
      memory_id varchar, said ubigint, place integer, embedding float[384],
      {", ".join(f"{column} ubigint" for column in COLUMNS)})""",
)
MISSING = f"""
    select * from {SAID} as texts where not exists (
      select 1 from reembedding.vectors as made where made.memory_id = texts.id and made.said = texts.said)"""
PUT = f"""
    insert into reembedding.vectors by name
    select memory_id, said, place, embedding, {", ".join(COLUMNS)} from incoming join (
      select number, list(value order by place)::float[384] as embedding from coordinates group by number)
    using (number) join sketches using (number)"""
VECTORS = "select made.* from reembedding.vectors as made join texts on id = made.memory_id and texts.said = made.said"
# An entry per piece, numbered as before; pieces that a memory did not have before come after all others.
DOCUMENTS = f"""
    insert into fresh.documents by name
    with texts as {SAID}, vectors as ({VECTORS}),
    heads as (
      select * exclude (embedding, {", ".join(COLUMNS)}, number), (
        select count(*) from evermem.documents as pieces where pieces.head = entries.head) as pieces
      from evermem.documents as entries where number = head),
    last as (select max(number) as last from evermem.documents)
    select heads.* exclude (pieces) replace (if(place = 0, body, '') as body, if(place = 0, length, 0) as length),
           if(place < pieces, head + place, last + row_number() over (partition by place < pieces order by head, place))
             as number,
           embedding, {", ".join(COLUMNS)}
    from heads join vectors using (memory_id) cross join last order by number"""
SITUATIONS = f"""
    insert into fresh.situations by name
    with texts as {SAID}, vectors as ({VECTORS})
    select interaction_id, vectors.embedding from evermem.situations join vectors on memory_id = interaction_id"""
# Scenes without a centroid are placed anew by consolidation.
SCENES = "insert into fresh.scenes by name select * exclude (centroid) from evermem.scenes"
META = (
    "insert into fresh.meta from evermem.meta",
    """insert or replace into fresh.meta
       select unnest(['embedder', 'dimension', 'slope', 'shift']),
              unnest([embedder, dimension::varchar, slope::varchar, shift::varchar]) from reembedding.target""",
    "insert or replace into fresh.meta values ('unsettled', 'yes')",
)
MADE_ANEW = {"documents": (DOCUMENTS,), "situations": (SITUATIONS,), "scenes": (SCENES,), "meta": META}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The embedder of the new vectors, their length, and the scale of their cosines."""

    embedder: str
    dimension: int
    scale: Scale = field(default_factory=Scale)


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A text without a new vector. A `message` has the one `before` it in its conversation."""

    memory_id: str
    said: int
    text: str
    message: Message | None = None
    before: Message | None = None


class Reembedder:
    """A transaction on the new vectors."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._sql = Sql(connection)

    def target(self) -> Target | None:
        """The target of the unfinished run; None if there is none."""
        query = "select 1 as found from duckdb_tables() where schema_name = 'reembedding' and database_name = 'evermem'"
        if not self._sql.rows(query):
            return None
        [row] = self._sql.rows("select * from reembedding.target")
        scale = Scale(slope=row["slope"], shift=row["shift"])
        return Target(embedder=row["embedder"], dimension=row["dimension"], scale=scale)

    def begin(self, target: Target) -> None:
        """Creates the tables for new vectors; vectors of another target are dropped."""
        for statement in BEGIN:
            self._connection.execute(statement.replace("float[384]", f"float[{target.dimension:d}]"))
        scale = {"slope": target.scale.slope, "shift": target.scale.shift}
        query = "insert into reembedding.target values ($embedder, $dimension, $slope, $shift)"
        self._connection.execute(query, {"embedder": target.embedder, "dimension": target.dimension} | scale)

    def stop(self) -> None:
        """Drops the new vectors."""
        self._connection.execute("drop schema if exists reembedding cascade")

    def total(self) -> int:
        """How many texts there are."""
        return int(self._sql.rows(f"select count(*) as n from ({TEXTS})")[0]["n"])

    def missing(self) -> int:
        """How many texts have no new vectors yet."""
        return int(self._sql.rows(f"select count(*) as n from ({MISSING})")[0]["n"])

    def unembedded(self, limit: int) -> list[Unembedded]:
        """Some texts without new vectors."""
        records = self._sql.rows(f"{MISSING} order by id limit $limit", limit=limit)
        asked = [row["id"] for row in records if row["is_message"]]
        around = {
            (near.conversation_id, near.ordinal): near
            for near in MessageReader(self._sql).neighbours(asked, 1).values()
        }
        messages = {message.id: message for message in around.values()}
        return [
            Unembedded(row["id"], row["said"], row["text"], message, before)
            for row in records
            for message in [messages.get(row["id"])]
            for before in [around.get((message.conversation_id, message.ordinal - 1)) if message else None]
        ]

    def put(self, texts: Sequence[Unembedded], pieces: Sequence[int], vectors: Vectors) -> None:
        """Keeps new vectors: `vectors` has a row for each of the `pieces` of each text."""
        count, length = vectors.shape
        numbers = np.arange(count)
        owner = np.repeat(np.arange(len(texts)), pieces)
        place = numbers - np.repeat(np.cumsum([0, *pieces])[:-1], pieces)
        entries = {
            "number": numbers,
            "memory_id": np.array([text.memory_id for text in texts], dtype=object)[owner],
            "said": np.array([text.said for text in texts], dtype=np.uint64)[owner],
            "place": place.astype(np.int32),
        }
        coordinates = {
            "number": np.repeat(numbers, length),
            "place": np.tile(np.arange(length, dtype=np.int16), count),
            "value": np.ascontiguousarray(vectors).ravel(),
        }
        self._connection.register("incoming", entries)
        self._connection.register("coordinates", coordinates)
        self._connection.register("sketches", {"number": numbers} | sketches(vectors))
        self._connection.execute(PUT.replace("float[384]", f"float[{length:d}]"))


class _Incomplete(Exception):
    """Something has come that has no new vector yet."""


@contextmanager
def reembedding(store: Accessed, *, write: bool) -> Iterator[Reembedder]:
    """A transaction on the new vectors of a memory, of its owner only. Raises DiskFull, StoreError, StoreBusy."""
    store.refuse_agent()
    with connection.connected(store.path, write=write, timeout=store.timeout, keys=store.keys) as opened:
        yield Reembedder(opened)


def adopt(store: Accessed, target: Target) -> int | None:
    """Rewrites the file with the new vectors in place of the old ones; returns the number of texts.

    None where something has no new vector yet; the memory is then unchanged, as where DiskFull, StoreError or StoreBusy
    is raised.
    """
    store.refuse_agent()
    key = connection.newest_key(store.path, store.keys)
    try:
        with renewed(store.path, store.timeout, store.keys, key, target.dimension) as opened:
            reembedder = Reembedder(opened)
            if reembedder.target() != target or reembedder.missing():
                raise _Incomplete
            _carry_over(opened)
            return reembedder.total()
    except _Incomplete:
        return None


def _carry_over(opened: duckdb.DuckDBPyConnection) -> None:
    """Copies everything to `fresh` with the new vectors. Raises StoreError where something is missing there."""
    query = "select table_name from duckdb_tables() where database_name = 'evermem' and schema_name = 'main'"
    tables = [table for (table,) in opened.execute(query).fetchall()]
    for table in tables:
        for statement in MADE_ANEW.get(table, (f"insert into fresh.{table} by name from evermem.{table}",)):
            opened.execute(statement)
    counted = "select {0} from evermem.{1} union all select {0} from fresh.{1}"
    for table in tables:
        what = "count(distinct memory_id)" if table == "documents" else "count(*)"
        (before,), (after,) = opened.execute(counted.format(what, table)).fetchall()
        if table != "meta" and before != after:
            raise StoreError(f"{table}: {before} rows became {after}", "`evermem doctor --deep` checks the memory")
