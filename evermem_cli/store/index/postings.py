"""The keyword index: how often each memory's search entry has each word, complete after every transaction.

Only the stemmer of the FTS extension is used, since the extension's own index is static and can only be rebuilt. New
postings are sorted by word once there are many: in the sorted part a search reads only the row groups with its words,
in the rest everything.
"""

from collections.abc import Sequence

import duckdb

from evermem_cli.languages.words import porter_stems

BATCH = 10_000  # entries that are indexed together
RUN = 50_000  # entries whose postings are sorted together: half a second of work
# Runs of letters and digits in every script, without case and accents. There are no stop words here; those of a
# question are dropped when it is asked.
WORDS = r"regexp_extract_all(lower(strip_accents(body)), '[\p{L}\p{N}]+')"


def term(word: str) -> str:
    """SQL for the number of a word's stem. With 64 bits a million words do not collide and need no dictionary."""
    return number(f"stem({word}, 'porter')")


def number(stem: str) -> str:
    """SQL for the number of a stem."""
    return f"md5_number_lower({stem})"


def stems(connection: duckdb.DuckDBPyConnection, asked: Sequence[str]) -> list[str]:
    """The stems of a question's words, without accents.

    They equal those of the extension, which a search does not load.
    """
    bare = connection.execute("select strip_accents(unnest($words))", {"words": [*asked]}).fetchall()
    return porter_stems([word for (word,) in bare])


def numbered_stems(connection: duckdb.DuckDBPyConnection, words: Sequence[tuple[str, ...]]) -> dict[str, int]:
    """The stems of all forms of a question's words, each with its word's number. Words with the same stem share one."""
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
LAST_SORTED = "select coalesce(max(value::bigint), 0) from meta where key = 'settled'"
SORT_RUN = (
    "create or replace temp table settling as from postings where head > $after and head <= $last",
    "delete from postings where head > $after and head <= $last",
    "insert into postings from settling order by term, head",
    "drop table settling",
    "insert or replace into meta values ('settled', $last)",
)


def add(connection: duckdb.DuckDBPyConnection, last: int) -> None:
    """Indexes the `incoming` entries; `last` is the number of the last one."""
    connection.execute(ADD)
    sort_run(connection, last)


def sort_run(connection: duckdb.DuckDBPyConnection, last: int) -> None:
    """Sorts the oldest unsorted run. Entries up to `last` that do not fill a run wait."""
    [(after,)] = connection.execute(LAST_SORTED).fetchall()
    run = {"after": after, "last": after + RUN}
    for statement in SORT_RUN if last >= run["last"] else ():
        connection.execute(statement, {name: run[name] for name in run if f"${name}" in statement})


def without(memories: str) -> tuple[str, str]:
    """Statements that delete the entries of the memories that a query selects, and their postings."""
    return (
        f"delete from postings where head in (select head from documents where memory_id in ({memories}))",
        f"delete from documents where memory_id in ({memories})",
    )


def miscounted(connection: duckdb.DuckDBPyConnection) -> int:
    """The number of memories for which the index does not have as many words as their entries. Raises duckdb.Error."""
    [(count,)] = connection.execute("""
        select count(*) from (select head, sum(length) as words from documents group by head)
        full join (select head, sum(times) as indexed from postings group by head) using (head)
        where coalesce(words, 0) <> coalesce(indexed, 0)""").fetchall()
    return int(count)


def fill(connection: duckdb.DuckDBPyConnection) -> None:
    """Indexes all entries, if none are indexed: files of versions before 12 have no index."""
    [(done, last)] = connection.execute("""
        select (select count(*) from postings), coalesce(max(number), 0) from documents""").fetchall()
    if not done:
        for first in range(1, last + 1, BATCH):
            for statement in FILL:
                connection.execute(statement, {"first": first, "last": first + BATCH - 1})
