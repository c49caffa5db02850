"""Reads the user's corrections, and which memories can be corrected."""

from dataclasses import dataclass

from evermem_cli.errors import UsageError
from evermem_cli.memory import Assertion, Correction, Episode, Fact, Foresight, id_given
from evermem_cli.store.read.consolidation import ConsolidationReader
from evermem_cli.store.read.records import resolved, several
from evermem_cli.store.read.topics import TopicReader
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.write.corrections import CORRECTION

CORRECTABLE = """
    select made.id, memcell_id from (
      select id, memcell_id from event_logs union all select id, memcell_id from foresights union all
      select id, memcell_id from assertions union all select id, memcell_id from episodes) as made
    join memcells on event_id = memcell_id join conversations on conversations.id = conversation_id
    where conversations.user_id = $owner and if($statement is null, starts_with(made.id, $prefix),
      made.id in (select memory_id from sources where message_id = $statement)) limit 2"""

OTHERS_CAN = "facts, assertions, foresights and titles of episodes can be; what was said stays as it was said"


@dataclass(frozen=True, slots=True)
class CorrectionReader:
    """Reads corrections, and the memory that a correction is about."""

    sql: Sql
    topics: TopicReader
    consolidation: ConsolidationReader

    def of(self, owner: str | None = None) -> list[Correction]:
        """The corrections in a user's memory, or in any, oldest first."""
        query = """
            select * from corrections where $owner is null or exists (
              select 1 from messages join conversations on conversations.id = conversation_id
              where conversations.user_id = $owner and list_contains(message_ids, messages.id))
            order by corrected_at, id"""
        return [_correction(row) for row in self.sql.rows(query, owner=owner)]

    def resolved(self, prefix: str, owner: str) -> str:
        """The one id of a fact, foresight, assertion or episode of a user, also a corrected one, with this beginning.

        Raises UsageError.
        """
        prefix = id_given(prefix)
        names = {made.memory_id for made in self.of(owner) if made.memory_id.startswith(prefix)}
        names |= {str(row["id"]) for row in self.sql.rows(CORRECTABLE, prefix=prefix, owner=owner, statement=None)}
        if not names:
            raise UsageError(f"{resolved(self.sql, prefix, assertions=True)} cannot be corrected", OTHERS_CAN)
        if len(names) > 1:
            raise several(prefix, sorted(names))
        return names.pop()

    def correctable(self, name: str, owner: str) -> Fact | Foresight | Assertion | Episode:
        """The fact, foresight, assertion or episode of a user with this id.

        The id of a corrected memory stands for what replaced it. Raises UsageError.
        """
        statement = self._statement(name, owner)
        records = self.sql.rows(CORRECTABLE, prefix=name, owner=owner, statement=statement)
        if len(records) != 1:
            raise UsageError(f"{name} cannot be corrected", OTHERS_CAN)
        cell = [str(records[0]["memcell_id"])]
        drawn: tuple[Fact | Foresight | Assertion | Episode, ...]
        drawn = (
            *self.topics.facts(cell),
            *self.topics.foresights(cell),
            *self.topics.episodes(cell),
            *self.consolidation.assertions(owner=owner),
        )
        return next(memory for memory in drawn if memory.id == records[0]["id"])

    def _statement(self, name: str, owner: str) -> str | None:
        """The message that states what replaced the memory with this id, at last; None where nothing has."""
        made = self.of(owner)
        stated = (correction.statement_id for correction in made if correction.memory_id == name)
        statement = next(stated, None)
        while later := next((newer.statement_id for newer in made if statement in newer.message_ids), None):
            statement = later
        return statement


def _correction(row: rows.Row) -> Correction:
    values = {**row, "message_ids": tuple(row["message_ids"])}
    return Correction(**{name: values[name] for name in CORRECTION})
