"""The tables and columns that a memory file must have, and what a file lacks of them."""

from collections.abc import Iterable
from functools import cache
from importlib import resources

import duckdb

PRESENT = """
    select table_name, column_name from duckdb_columns()
    where database_name = current_database() and schema_name = 'main'
    order by table_name, column_index"""
TABLES = "select sql from duckdb_tables() where database_name = current_database() and schema_name = 'main'"


@cache
def definition() -> str:
    """`schema.sql`, which creates the tables of an empty file, with `float[384]` for vectors of any length."""
    return resources.files("evermem_cli.store.schema").joinpath("schema.sql").read_text(encoding="utf-8")


@cache
def columns() -> dict[str, list[str]]:
    """The names of the columns by table, as `schema.sql` has them: one a line, indented below their table."""
    tables: dict[str, list[str]] = {}
    for line in definition().splitlines():
        if line.startswith("create table "):
            tables[line.split()[2]] = of_table = []
        elif line.startswith("  "):
            of_table.append(line.split()[0])
    return tables


def present(connection: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """The names of the columns by table, as the current database has them."""
    tables: dict[str, list[str]] = {}
    for table, column in connection.execute(PRESENT).fetchall():
        tables.setdefault(table, []).append(column)
    return tables


def lacking(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The tables and columns that the current database lacks, each as "the table messages"."""
    there = present(connection)
    return [f"the table {table}" for table in columns() if table not in there] + [
        f"the column {column} of {table}"
        for table in columns().keys() & there.keys()
        for column in columns()[table]
        if column not in there[table]
    ]


def can_be_updated(connection: duckdb.DuckDBPyConnection, statements: Iterable[str]) -> bool:
    """Whether migrations turn the tables of the current database into today's, tried on empty tables in memory."""
    tables = [sql for (sql,) in connection.execute(TABLES).fetchall()]
    with duckdb.connect(":memory:") as rehearsal:
        try:
            for statement in [*tables, *statements]:
                rehearsal.execute(statement)
        except duckdb.Error:
            return False
        return not lacking(rehearsal)
