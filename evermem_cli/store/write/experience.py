"""Writes interactions and rules."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import duckdb
import numpy as np

from evermem_cli.engines import Vectors
from evermem_cli.memory import Interaction, Rule
from evermem_cli.store.read.experience import ExperienceReader
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.write.sources import put_sources

KEEP_STRENGTHS = """
    create or replace temp table kept as
    select id, strength, last_accessed, access_count from interactions where conversation_id = $conversation"""
RETURN_STRENGTHS = """
    update interactions set strength = kept.strength, last_accessed = kept.last_accessed,
                            access_count = kept.access_count from kept where kept.id = interactions.id"""
FORGET_INTERACTIONS = (
    KEEP_STRENGTHS,
    "delete from sources where memory_id in (select id from interactions where conversation_id = $conversation)",
    """delete from situations where interaction_id in (
         select id from interactions where conversation_id = $conversation)""",
    "delete from interactions where conversation_id = $conversation",
)


class ExperienceWriter:
    """A write transaction for interactions and rules, made by `Store.write_experience`. `reader` has the queries."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._sql = Sql(connection)
        self.reader = ExperienceReader(connection)

    def put_interactions(self, conversation_id: str, made: Sequence[Interaction], vectors: Vectors, read: int) -> None:
        """Replaces a conversation's interactions; `read` is the number of messages that they cover."""
        for statement in FORGET_INTERACTIONS:
            self._sql.execute(statement, conversation=conversation_id)
        if made:
            self._insert_interactions(made, vectors)
            self._sql.execute(RETURN_STRENGTHS)
        put_sources(self._sql, ((item.id, item.message_ids) for item in made))
        self._sql.execute("insert or replace into reflections values ($id, $read)", id=conversation_id, read=read)

    def put_rule(self, rule: Rule) -> None:
        """Stores a rule in place of its earlier version."""
        self._sql.execute("delete from rule_evidence where rule_id = $id", id=rule.id)
        row = rows.plain(rule)
        row.pop("derived_from")
        self._put("rules", row)
        for place, interaction_id in enumerate(rule.derived_from):
            self._put("rule_evidence", {"rule_id": rule.id, "place": place, "interaction_id": interaction_id})

    def drop_rules(self, ids: Iterable[str]) -> None:
        """Removes rules that are no longer supported."""
        self._sql.want(ids)
        self._sql.execute("delete from rule_evidence where rule_id in (select id from wanted)")
        self._sql.execute("delete from rules where id in (select id from wanted)")

    def _insert_interactions(self, made: Sequence[Interaction], vectors: Vectors) -> None:
        now = datetime.now(UTC)
        records = [rows.plain(item) | {"tags": " ".join(item.tags), "created_at": now} for item in made]
        for row in records:
            del row["message_ids"], row["mission_id"]  # both in `sources` and with the conversation
        self._sql.register(records)
        self._sql.execute("insert into interactions by name select * from incoming")
        ids = {"interaction_id": np.array([item.id for item in made], dtype=object)}
        embedding = {f"e{place}": np.ascontiguousarray(vectors[:, place]) for place in range(vectors.shape[1])}
        self._sql.connection.register("incoming", ids | embedding)
        vector = f"array_value({', '.join(embedding)})"
        self._sql.execute(f"insert into situations select interaction_id, {vector} from incoming")

    def _put(self, table: str, row: rows.Row) -> None:
        values = {name: rows.utc(value) if isinstance(value, datetime) else value for name, value in row.items()}
        places = ", ".join(f"${name}" for name in values)
        changes = ", ".join(f"{name} = excluded.{name}" for name in values if name != "id")
        update = f"on conflict (id) do update set {changes}" if "id" in values else ""
        self._sql.execute(f"insert into {table} ({', '.join(values)}) values ({places}) {update}", **values)
