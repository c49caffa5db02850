"""The log of a shared memory: machines append lines and read those of the others; what was removed goes for good."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import resources
from typing import NamedTuple

import numpy as np

from evermem_cli.errors import StoreError
from evermem_cli.store.file.connection import SCHEMA_VERSION
from evermem_cli.store.file.database import Connection
from evermem_cli.store.file.missing_pandas import looked_up_once
from evermem_cli.store.lake.visits import Visit
from evermem_cli.store.schema import rows

FORMAT = 1
BATCH = 1000  # lines read at once
LINES_A_FILE = 50_000  # lines written at once, a file of a few megabytes
SMALL_FILES = 50  # pushes after which their files are merged into one
APPEND = """
    insert into lake.lines by name select * from incoming
    union all by name select unnest([''::blob, '\\xFF'::blob]) as document"""
NEWS = "select document from lake.lines where rowid > $cursor and thing is not null and push <> $push order by rowid"
# Of two lines about one thing, the one with the lower mark is removed, unless it has the earlier place. Ties of marks
# are left to the machines. Of equal lines the later one stays, since what had gone in between comes again with it to a
# machine that has read the earlier one. DuckLake numbers rows by their order of writing, and keeps the number for good.
OUTDATED = """
    delete from lake.lines where rowid in (
      select lower.rowid from lake.lines as lower join lake.lines as higher on lower.thing = higher.thing
      where ((higher.revision, higher.presence, higher.weight) > (lower.revision, lower.presence, lower.weight)
             and (lower.moment is null or higher.moment is null
                  or (higher.moment, higher.number) <= (lower.moment, lower.number)))
      or ((higher.revision, higher.presence, higher.weight, higher.digest)
           = (lower.revision, lower.presence, lower.weight, lower.digest)
          and ((higher.moment, higher.number) < (lower.moment, lower.number)
               or (higher.rowid > lower.rowid
                   and (lower.moment is null or (higher.moment, higher.number) = (lower.moment, lower.number))))))"""
# Rows that were deleted stay in their files, and their files in the folder, until each of these has run.
CLEANING = (
    "call ducklake_rewrite_data_files('lake', delete_threshold => 0)",
    "call ducklake_merge_adjacent_files('lake')",
    "call ducklake_expire_snapshots('lake', older_than => now())",
    "call ducklake_cleanup_old_files('lake', cleanup_all => true)",
    "call ducklake_delete_orphaned_files('lake', cleanup_all => true)",  # of killed pushes
)
MERGING = ("call ducklake_merge_adjacent_files('lake')", "call ducklake_cleanup_old_files('lake', cleanup_all => true)")


class LakeLine(NamedTuple):
    """A line about one thing: its mark and place, which DuckLake can compare, and the document itself."""

    thing: str
    revision: int
    presence: int
    weight: str
    digest: str
    place: tuple[datetime, float] | None
    document: bytes


@dataclass(frozen=True, slots=True)
class Bookmark:
    """How far a machine has read the log of one lake, and its last push since, which it need not read."""

    lake: str
    cursor: int = -1
    push: str = ""


class Log:
    """The log during a visit."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self.connection: Connection = visit.connection  # public, for plain SQL during the visit
        visit.attach()
        if not visit.is_writing:  # one transaction, since each one reads the catalogue anew
            self.connection.execute("begin")
        about = dict(self._about()) if self._is_laid_out() else self._lay_out()
        self.lake = about["lake"]
        if int(about["format"]) > FORMAT or int(about["schema_version"]) > SCHEMA_VERSION:
            shown = visit.address.text
            raise StoreError(f"{shown}: written by a newer evermem", "upgrade evermem on this machine")
        self._schema_version = int(about["schema_version"])

    @property
    def snapshot(self) -> int:
        """The number of the latest snapshot."""
        number: int = self.connection.execute("from lake.current_snapshot()").fetchall()[0][0]
        return number

    def end(self) -> int:
        """The number of the last row."""
        last: int | None = self.connection.execute("select max(rowid) from lake.lines").fetchall()[0][0]
        return -1 if last is None else last

    def after(self, bookmark: Bookmark) -> Iterator[bytes]:
        """The documents since a bookmark, oldest first; all of them where the bookmark is in another lake."""
        read = bookmark if bookmark.lake == self.lake else Bookmark(self.lake)
        cursor = self.connection.execute(NEWS, {"cursor": read.cursor, "push": read.push})
        while batch := cursor.fetchmany(BATCH):
            yield from (document for (document,) in batch)

    def append(self, lines: Sequence[LakeLine], *, removes: bool) -> str:
        """Adds lines as a whole or not at all, and returns the name of the push.

        With `removes`, lines that are outdated now are to be purged, by this machine or the next one.
        """
        push = secrets.token_hex(8)
        with self._visit.writing_files(), looked_up_once():
            self.connection.execute("begin")
            for start in range(0, len(lines), LINES_A_FILE):
                self._register(push, lines[start : start + LINES_A_FILE])
                self.connection.execute(APPEND)
            if removes:
                self.connection.execute("insert into lake.purges values ($push)", {"push": push})
            if self._schema_version < SCHEMA_VERSION:
                query = "update lake.about set value = $version where key = 'schema_version'"
                self.connection.execute(query, {"version": str(SCHEMA_VERSION)})
            self.connection.execute("commit")
        return push

    def is_to_be_purged(self) -> bool:
        """Whether something was removed whose words may still be in the files."""
        return bool(self.connection.execute("select 1 from lake.purges limit 1").fetchall())

    def purge(self) -> None:
        """Removes outdated lines, with all snapshots and files that have them."""
        with self._visit.writing_files():
            for statement in (OUTDATED, *CLEANING, "delete from lake.purges"):
                self.connection.execute(statement)

    def tidy(self) -> None:
        """Merges many small files into one. Snapshots stay."""
        files = "select count(*) from ducklake_list_files('lake', 'lines')"
        if self.connection.execute(files).fetchall()[0][0] > SMALL_FILES:
            with self._visit.writing_files():
                for statement in MERGING:
                    self.connection.execute(statement)

    def _register(self, push: str, lines: Sequence[LakeLine]) -> None:
        places = [line.place or (None, None) for line in lines]
        self.connection.register("incoming", {
            "push": np.array([push] * len(lines), dtype=object),
            "thing": np.array([line.thing for line in lines], dtype=object),
            "revision": np.array([line.revision for line in lines], dtype=np.int32),
            "presence": np.array([line.presence for line in lines], dtype=np.int32),
            "weight": np.array([line.weight for line in lines], dtype=object),
            "digest": np.array([line.digest for line in lines], dtype=object),
            "moment": np.array([rows.utc(moment) for moment, _ in places], dtype="datetime64[us]"),
            "number": np.ma.masked_invalid([np.nan if number is None else number for _, number in places]),
            "document": np.array([line.document for line in lines], dtype=object),
        })  # fmt: skip

    def _is_laid_out(self) -> bool:
        # Not duckdb_tables(), which lists all tables of the catalogue's database, and so reads its whole schema.
        names = self.connection.execute("select table_name from ducklake_table_info('lake')").fetchall()
        tables = {name for (name,) in names}
        if tables and not tables >= {"about", "lines", "purges"}:
            shown = self._visit.address.text
            raise StoreError(f"{shown}: a DuckLake, but not a memory of evermem", "name another catalogue")
        return bool(tables)

    def _about(self) -> list[tuple[str, str]]:
        return self.connection.execute("select key, value from lake.about").fetchall()

    def _lay_out(self) -> dict[str, str]:
        if not self._visit.is_writing:
            raise StoreError(f"{self._visit.address.text}: no shared memory here yet", "a command that writes makes it")
        about = {"lake": secrets.token_hex(8), "format": str(FORMAT), "schema_version": str(SCHEMA_VERSION)}
        schema = resources.files("evermem_cli.store.lake").joinpath("lake.sql").read_text(encoding="utf-8")
        with self._visit.writing_files():
            self.connection.execute("call lake.set_option('data_inlining_row_limit', 0)")
            self.connection.execute("begin")
            self.connection.execute(schema.replace("create table ", "create table lake."))
            self.connection.executemany("insert into lake.about values (?, ?)", [*about.items()])
            self.connection.execute("commit")
        return about
