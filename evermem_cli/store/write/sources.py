"""Writes which messages memories were derived from."""

from collections.abc import Iterable, Sequence

from evermem_cli.store.schema.sql import Sql


def put_sources(sql: Sql, sources: Iterable[tuple[str, Sequence[str]]]) -> None:
    """Stores the ids of the messages that each of these new memories was derived from, in order."""
    links = [
        {"memory_id": memory_id, "place": place, "message_id": message_id}
        for memory_id, message_ids in sources
        for place, message_id in enumerate(message_ids)
    ]
    if links:
        sql.register(links)
        sql.execute("insert into sources by name select * from incoming")
