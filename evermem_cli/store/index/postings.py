"""The keyword index: how often the entry of each memory has each word. Each transaction leaves it complete.

Of the FTS extension only the stemmer is used: its own index is static, and can only be built anew as a whole. What was
added is put in the order of the words once it is much: of what is in that order a search reads the groups of rows that
may have its words, of the rest all.
"""

from collections.abc import Sequence

import duckdb
from Stemmer import Stemmer

BATCH = 10_000  # entries that are indexed together
RUN = 50_000  # entries whose words are put in order together: half a second's work
# Runs of letters and digits of every script, without case and accents. There are no stop words: the question's own are
# left out when it is asked.
WORDS = r"regexp_extract_all(lower(strip_accents(body)), '[\p{L}\p{N}]+')"


def term(word: str) -> str:
    """SQL for the number of a word's stem: with 64 bits, a million words have each its own, and need no dictionary."""
    return number(f"stem({word}, 'porter')")


def number(stem: str) -> str:
    """SQL for the number of a stem."""
    return f"md5_number_lower({stem})"


def stems(connection: duckdb.DuckDBPyConnection, words: Sequence[str]) -> list[str]:
    """The stems of a question's words, without accents: as the extension's, which takes a search longer to load."""
    bare = connection.execute("select strip_accents(unnest($words))", {"words": [*words]}).fetchall()
    stemmed: list[str] = Stemmer("porter").stemWords([word for (word,) in bare])
    return stemmed


def numbered_stems(connection: duckdb.DuckDBPyConnection, words: Sequence[tuple[str, ...]]) -> dict[str, int]:
    """The stems of all forms of a question's words, each with its word's number; words that share a stem are one."""
    spelled = iter(stems(connection, [form for forms in words for form in forms]))
    numbers: dict[str, int] = {}
    for number, forms in enumerate(words):
        own = [next(spelled) for _ in forms]
        shared = next((numbers[stem] for stem in own if stem in numbers), number)
        numbers = dict.fromkeys(own, shared) | numbers
    return numbers


def _adding(entries: str) -> str:
    return f"""
        insert into postings
        select {term("word")} as term, head, count(*) from (select head, unnest({WORDS}) as word from {entries})
        group by term, head order by term, head"""


ADD = _adding("incoming")
FILL = (
    f"update documents set length = len({WORDS}) where number between $first and $last",
    _adding("documents where number between $first and $last"),
)
SETTLED = "select coalesce(max(value::bigint), 0) from meta where key = 'settled'"
SETTLE = (
    "create or replace temp table settling as from postings where head > $after and head <= $last",
    "delete from postings where head > $after and head <= $last",
    "insert into postings from settling order by term, head",
    "drop table settling",
    "insert or replace into meta values ('settled', $last)",
)


def add(connection: duckdb.DuckDBPyConnection, last: int) -> None:
    """Indexes the entries that are `incoming`, of which `last` is the last."""
    connection.execute(ADD)
    settle(connection, last)


def settle(connection: duckdb.DuckDBPyConnection, last: int) -> None:
    """Puts the oldest run that waits for it in the order of the words; what is no run up to the entry `last` waits."""
    [(after,)] = connection.execute(SETTLED).fetchall()
    run = {"after": after, "last": after + RUN}
    for statement in SETTLE if last >= run["last"] else ():
        connection.execute(statement, {name: run[name] for name in run if f"${name}" in statement})


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
