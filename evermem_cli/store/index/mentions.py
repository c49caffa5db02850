"""Stores which names occur in messages, so that counting them later reads no text."""

from collections.abc import Iterable

import duckdb
import numpy as np

from evermem_cli.memory import Role
from evermem_cli.naming import find_mentions

BATCH = 10_000  # messages whose names are written together


def note(connection: duckdb.DuckDBPyConnection, said: Iterable[tuple[str, str, str]]) -> None:
    """Stores the names in messages, each given as id, role and text. An assistant's messages have none."""
    mentions = [
        (message_id, mention.name, mention.type)
        for message_id, role, text in said
        if role != Role.ASSISTANT
        for mention in find_mentions(text)
    ]
    if mentions:
        ids, names, types = zip(*mentions, strict=True)
        shown = ["" if kind is None else kind.value for kind in types]
        columns = {"message_id": ids, "name": names, "entity_type": shown}
        connection.register("named", {name: np.array(values, dtype=object) for name, values in columns.items()})
        connection.execute("insert into mentions select message_id, name, nullif(entity_type, '') from named")


def note_all(connection: duckdb.DuckDBPyConnection) -> None:
    """Stores the names in all messages anew."""
    connection.execute("delete from mentions")
    ids = [row[0] for row in connection.execute("select id from messages order by id").fetchall()]
    for start in range(0, len(ids), BATCH):
        bounds = {"first": ids[start], "last": ids[min(start + BATCH, len(ids)) - 1]}
        query = "select id, role, text from messages where id between $first and $last"
        note(connection, connection.execute(query, bounds).fetchall())
