"""An ingest that is undone leaves no row in any table, alone in the memory or beside chats of another user."""

from pathlib import Path

import pytest

from evermem_cli.config import Settings
from evermem_cli.store.file import connection
from tests.repair.test_repair import ASSISTANT, LATER, Home, edited


def rows(home: Home) -> dict[str, int]:
    """The number of rows of each table; those of `undo` itself are left out."""
    with connection.connected(home.store.path, write=False, timeout=1) as opened:
        query = "select table_name from duckdb_tables() where database_name = 'evermem' and schema_name = 'main'"
        tables = [str(table) for (table,) in opened.execute(query).fetchall()]
        return {table: opened.execute(f"select count(*) from evermem.{table}").fetchall()[0][0] for table in tables}


@pytest.mark.parametrize("of_another", [(), (edited(ASSISTANT),)], ids=["alone", "beside chats of another"])
def test_an_ingest_of_somebody_without_other_chats_leaves_no_row(tmp_path: Path, of_another: tuple[str, ...]) -> None:
    home = Home(tmp_path)
    home.ingest()
    for text in of_another:
        home.take_in(text, "other.jsonl")
    home.read()
    before = rows(home)
    home.settings = Settings.load(user="ann")
    home.ingest(home.file(LATER), home.file(ASSISTANT, "trip.txt"), me="Ann")
    home.read()
    home.enrich()
    home.read()
    assert rows(home)["scenes"] > before["scenes"]
    home.undo()
    assert rows(home) == before
