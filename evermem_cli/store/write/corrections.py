"""Writes the user's corrections of wrong memories."""

from collections.abc import Collection
from dataclasses import dataclass

from evermem_cli.engines import Vectors
from evermem_cli.memory import Correction, Episode, Tier
from evermem_cli.store.index import postings
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.write.entries import SearchEntries

STRIKE = (
    *postings.without("select id from wanted"),
    "delete from sources where memory_id in (select id from wanted)",
    "delete from accords where fact_id in (select id from wanted) or other_id in (select id from wanted)",
    "delete from event_logs where id in (select id from wanted)",
    "delete from foresights where id in (select id from wanted)",
)
CORRECTION = tuple(Correction.__dataclass_fields__)
ADD_CORRECTION = """
    insert into corrections by name select $id as id, $memory_id as memory_id, $kind as kind, $user_id as user_id,
      $attribute as attribute, $wrong as wrong, $stated as stated, $valid_at as valid_at, $valid_grain as valid_grain,
      $message_ids as message_ids, $statement_id as statement_id, $corrected_at as corrected_at"""
# The topics in which a person states the value, and those of the wrong memory.
REREAD = """
    create or replace temp table reread as
    select memcell_id as id from messages where id in (select unnest($message_ids)) or id = $statement_id union
    select memcell_id from assertions where user_id = $user_id and attribute = $attribute"""
# The user's statement is as private as the memory that it corrects, and as its messages.
SAME_TIER = """
    insert into privacy select id, $tier from (
      select $id as id union select memory_id from sources where message_id = $id)"""


@dataclass(frozen=True, slots=True)
class CorrectionWriter:
    """Writes corrections, and removes what they correct."""

    sql: Sql
    entries: SearchEntries

    def strike(self, ids: Collection[str]) -> None:
        """Removes facts and foresights that were corrected."""
        self.sql.want(ids)
        for statement in STRIKE:
            self.sql.execute(statement)

    def put_correction(self, correction: Correction, tier: Tier | None) -> None:
        """Stores a correction and marks the topics that state the error to be read anew; `tier` is the correction's."""
        self.sql.execute("insert into undo.added values ($id)", id=correction.id)
        values = rows.filed({name: getattr(correction, name) for name in CORRECTION})
        self.sql.execute(ADD_CORRECTION, **values | {"message_ids": list(correction.message_ids)})
        names = ("message_ids", "statement_id", "user_id", "attribute")
        given = {name: values[name] for name in names} | {"message_ids": list(correction.message_ids)}
        self.sql.execute(REREAD, **given)
        self.sql.execute("insert into undo.reread from reread")
        self.sql.execute("update memcells set consolidated = false where event_id in (from reread)")
        if tier and correction.statement_id:
            self.sql.execute(SAME_TIER, id=correction.statement_id, tier=tier.value)

    def retitle(self, episode: Episode, vectors: Vectors) -> None:
        """Gives an episode its corrected title; `vectors` has one row."""
        query = "select conversation_id, created_at from documents where memory_id = $id"
        entry = self.sql.rows(query, id=episode.id)[0]
        self.sql.execute(
            "update episodes set subject = $subject where id = $id", subject=episode.subject, id=episode.id
        )
        self.sql.want([episode.id])
        for statement in postings.without("select id from wanted"):
            self.sql.execute(statement)
        self.entries.add([episode], [1], vectors, [entry["conversation_id"]])
        change = "update documents set created_at = $at where memory_id = $id"
        self.sql.execute(change, id=episode.id, at=rows.utc(entry["created_at"]))
