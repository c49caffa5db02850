"""The keyword index: how often the entry of each memory has each word. Each transaction leaves it complete.

Of the FTS extension only the stemmer is used: its own index is static, and can only be built anew as a whole.
"""

import duckdb

BATCH = 10_000  # entries that are indexed together
# Runs of letters and digits of every script, without case and accents. There are no stop words: the question's own are
# left out when it is asked.
WORDS = r"regexp_extract_all(lower(strip_accents(body)), '[\p{L}\p{N}]+')"


def term(word: str) -> str:
    """SQL for the number of a word's stem: with 64 bits, a million words have each its own, and need no dictionary."""
    return f"md5_number_lower(stem({word}, 'porter'))"


def _adding(entries: str) -> str:
    return f"""
        insert into postings
        select {term("word")} as term, head, count(*) from (select head, unnest({WORDS}) as word from {entries})
        group by term, head order by head, term"""


ADD = _adding("incoming")
FILL = (
    f"update documents set length = len({WORDS}) where number between $first and $last",
    _adding("documents where number between $first and $last"),
)


def add(connection: duckdb.DuckDBPyConnection) -> None:
    """Indexes the entries that are `incoming`."""
    connection.execute(ADD)


def without(memories: str) -> tuple[str, str]:
    """Statements that take away the entries of the memories that a query names, and their words."""
    return (
        f"delete from postings where head in (select head from documents where memory_id in ({memories}))",
        f"delete from documents where memory_id in ({memories})",
    )


def fill(connection: duckdb.DuckDBPyConnection) -> None:
    """Indexes all entries, where none are: files of before version 12 have none."""
    [(done, last)] = connection.execute("""
        select (select count(*) from postings), coalesce(max(number), 0) from documents""").fetchall()
    if not done:
        for first in range(1, last + 1, BATCH):
            for statement in FILL:
                connection.execute(statement, {"first": first, "last": first + BATCH - 1})
