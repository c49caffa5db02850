"""Counts what is withheld from an agent."""

from collections.abc import Iterable
from dataclasses import dataclass

from evermem_cli.store.schema.sql import Sql


@dataclass(frozen=True, slots=True)
class WithheldReader:
    """Counts withheld memories in a transaction in which they are hidden; see `withheld.py`."""

    sql: Sql

    def is_any(self) -> bool:
        """Whether there is anything that the agent who reads may not see."""
        return bool(self.sql.rows("from withheld limit 1"))

    def count(self, ids: Iterable[str]) -> int:
        """How many of these memories the agent that reads may not see."""
        return len(self._withheld(ids))

    def count_messages(self) -> int:
        """The number of messages that are withheld here."""
        query = "select (select count(*) from evermem.main.messages) - (select count(*) from messages) as n"
        return int(self.sql.rows(query)[0]["n"])

    def count_unsaid(self, ids: Iterable[str]) -> int:
        """The same, counting a message and what was derived from it as one."""
        hidden = self._withheld(ids)
        self.sql.want(hidden)
        query = "select * from evermem.main.sources where memory_id in (select id from wanted)"
        said: dict[str, set[str]] = {memory_id: set() for memory_id in hidden}
        for row in self.sql.rows(query):
            said[row["memory_id"]].add(row["message_id"])
        counted: set[str] = set()
        count = 0
        for memory_id, messages in sorted(said.items(), key=lambda entry: len(entry[1])):
            own = messages or {memory_id}  # a message is derived from nothing
            count += not own & counted
            counted |= own
        return count

    def _withheld(self, ids: Iterable[str]) -> set[str]:
        self.sql.want(ids)
        return {row["id"] for row in self.sql.rows("select id from wanted where id in (from withheld)")}
