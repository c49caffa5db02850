"""Writes the results of consolidation: assertions, scenes, conflicts, and the ends of facts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from evermem_cli.memory import Assertion, Conflict, FactEffect, Scene, Statement, Time, Verdict
from evermem_cli.store.index import mentions
from evermem_cli.store.read.names import NameReader
from evermem_cli.store.read.topics import Vector
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.ends import grain_of_end
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.write.sources import put_sources

DROP_ASSERTIONS = (
    "delete from sources where memory_id in (select id from assertions where memcell_id in (select id from wanted))",
    "delete from assertions where memcell_id in (select id from wanted)",
)
CONSOLIDATE_ANEW = """
    update memcells set consolidated = false where event_id in (
      select memcell_id from messages join wanted using (id) join readings on message_id = messages.id)"""
# In this order: the last statement depends on what was read before.
FORGET_READING = (
    CONSOLIDATE_ANEW,
    "delete from statements where message_id in (select id from wanted)",
    "delete from readings where message_id in (select id from wanted)",
)
# Only verdicts on what is still read there: a message may have been edited while the model worked.
FORGET_VERDICTS = """
    delete from verdicts using incoming
    where verdicts.message_id = incoming.message_id and verdicts.kind = incoming.kind
    and verdicts.value = incoming.value and verdicts.stance = incoming.stance"""
NOTE_VERDICTS = """
    insert into verdicts by name select incoming.*, $model as model, $now as judged_at from incoming
    semi join statements using (message_id, kind, value, stance)"""
# What is over before the day that its own words tell never was.
END_NO_EARLIER = """
    update ends set ended_at = valid_at, ended_grain = valid_grain
    from event_logs where event_logs.id = ends.id and valid_at > ended_at"""
# Only changes are written, since an updated search entry is stored anew with its vector.
CHANGED_ENDS = f"""
    create or replace temp table changed as
    select event_logs.id, ends.ended_at, ends.ended_grain, ends.told_at,
           least(event_logs.invalid_at, ends.ended_at) as invalid_at,
           {grain_of_end("ends.ended_at", "ends.ended_grain")} as invalid_grain
    from event_logs join linked on linked.id = event_logs.id left join ends on ends.id = event_logs.id
    where superseded_at is distinct from ends.ended_at or superseded_grain is distinct from ends.ended_grain
    or superseded_told_at is distinct from ends.told_at"""
END_FACTS = """
    update event_logs set superseded_at = changed.ended_at, superseded_grain = changed.ended_grain,
                          superseded_told_at = changed.told_at
    from changed where changed.id = event_logs.id"""
END_DOCUMENTS = """
    update documents set invalid_at = changed.invalid_at, invalid_grain = changed.invalid_grain,
                         superseded_told_at = changed.told_at
    from changed where changed.id = memory_id"""


# The effects on each other (table `accords`) of one person's facts in the memory of one owner.
DROP_ACCORDS = """
    delete from accords where fact_id in (
      select event_logs.id from event_logs join memcells on event_id = memcell_id
      join conversations on conversations.id = memcells.conversation_id
      where conversations.user_id = $owner and lower(event_logs.user_id) in (select unnest($people)))"""


@dataclass(frozen=True, slots=True)
class ConsolidationWriter:
    """Writes statements, and what consolidation derives from them. `names` resolves merged names."""

    sql: Sql
    names: NameReader

    def put_statements(self, tagger: str, message_ids: Sequence[str], statements: Sequence[Statement]) -> None:
        """Replaces the statements of these messages by what a tagger has read.

        The assertions of their MemCells must then be derived anew.
        """
        self.sql.want(message_ids)
        for change in FORGET_READING:
            self.sql.execute(change)
        self.sql.execute("insert into readings select id, $tagger from wanted", tagger=tagger)
        if statements:
            self.sql.register([rows.statement_row(statement) for statement in statements])
            self.sql.execute("insert into statements by name select * from incoming")

    def put_verdicts(self, verdicts: Sequence[Verdict], model: str) -> None:
        """Stores what a model says of statements; the assertions of their MemCells must then be derived anew."""
        if not verdicts:
            return
        self.sql.want(verdict.message_id for verdict in verdicts)
        self.sql.execute(CONSOLIDATE_ANEW)
        self.sql.register([rows.plain(verdict) for verdict in verdicts])
        self.sql.execute(FORGET_VERDICTS)
        self.sql.execute(NOTE_VERDICTS, model=model, now=rows.utc(datetime.now(UTC)))

    def put_assertions(self, assertions: Mapping[str, Sequence[Assertion]]) -> None:
        """Replaces the assertions of each MemCell and marks it as consolidated."""
        self.sql.want(assertions)
        for statement in DROP_ASSERTIONS:
            self.sql.execute(statement)
        now = datetime.now(UTC)
        pairs = [(cell, assertion) for cell, several in assertions.items() for assertion in several]
        for cell, assertion in pairs:
            values = rows.plain(assertion) | {
                "memcell_id": cell,
                "fact_ids": list(assertion.fact_ids),
                "created_at": now,
            }
            del values["message_ids"], values["scene_id"]
            self._insert_one("assertions", values)
        put_sources(self.sql, ((assertion.id, assertion.message_ids) for _, assertion in pairs))
        self.sql.execute("update memcells set consolidated = true where event_id in (select id from wanted)")

    def note_unsettled(self, unsettled: bool) -> None:
        """Notes whether there are assertions that have not been compared yet."""
        self.sql.execute("delete from meta where key = 'unsettled'")
        if unsettled:
            self.sql.execute("insert into meta values ('unsettled', 'yes')")

    def judge_anew(self, judge: str) -> None:
        """Notes what judges assertions from now on, and that all must be derived anew for it."""
        self.sql.execute("delete from meta where key = 'judge'")
        self.sql.execute("insert into meta values ('judge', $judge)", judge=judge)
        self.sql.execute("update memcells set consolidated = false where consolidated")

    def put_scenes(self, scenes: Sequence[Scene], centroids: Mapping[str, Vector]) -> None:
        """Stores new and changed scenes with their mean vectors, and links their MemCells to them."""
        now = datetime.now(UTC)
        self.sql.want(scene.scene_id for scene in scenes)
        self.sql.execute("delete from scenes where scene_id in (select id from wanted)")
        for scene in scenes:
            self.sql.execute(
                """insert into scenes by name select $scene_id as scene_id, $user_id as user_id, $theme as theme,
                   $summary as summary, $centroid as centroid, $size as size, $first as first_timestamp,
                   $latest as latest_timestamp, $previous as previous_scene_id, $now as created_at""",
                **{name: getattr(scene, name) for name in ("scene_id", "user_id", "theme", "summary")},
                centroid=centroids[scene.scene_id].tolist(),
                size=len(scene.memcell_ids),
                first=rows.utc(scene.first_timestamp),
                latest=rows.utc(scene.latest_timestamp),
                previous=scene.previous_scene_id,
                now=rows.utc(now),
            )
        members = [{"cell": cell, "scene": scene.scene_id} for scene in scenes for cell in scene.memcell_ids]
        if members:
            self.sql.register(members)
            self.sql.execute("update memcells set scene_id = scene from incoming where event_id = cell")

    def clear_scenes(self, user_id: str) -> None:
        """Removes a user's scenes, so that they can be placed anew."""
        cells = "select event_id from memcells join conversations on id = conversation_id where user_id = $user_id"
        self.sql.execute(f"update memcells set scene_id = null where event_id in ({cells})", user_id=user_id)
        self.sql.execute("delete from scenes where user_id = $user_id", user_id=user_id)

    def put_conflicts(self, owner: str, person: str, conflicts: Iterable[Conflict]) -> None:
        """Replaces a person's stored conflicts in the memory of `owner`.

        Those that stay are not touched: where a disk is full, DuckDB cannot take back a commit that has removed and
        added the same key, and ends the process.
        """
        mine = "owner_id = $owner and lower(user_id) in (select unnest($people))"
        people = self.names.of_one(owner, person)
        records = self.sql.rows(f"select * from conflicts where {mine}", owner=owner, people=people)
        stored = {record["id"]: rows.conflict(record) for record in records}
        wanted = {conflict.id: conflict for conflict in conflicts}
        self.sql.want(name for name, conflict in stored.items() if wanted.get(name) != conflict)
        self.sql.execute("delete from conflicts where id in (select id from wanted)")
        for conflict in (conflict for name, conflict in wanted.items() if stored.get(name) != conflict):
            lists = {name: list(getattr(conflict, name)) for name in ("old_messages", "new_messages")}
            self._insert_one("conflicts", rows.plain(conflict) | lists | {"owner_id": owner})

    def _insert_one(self, table: str, values: rows.Row) -> None:
        """Adds a row with lists, which numpy columns cannot hold."""
        filed = rows.filed(values)
        named = ", ".join(f"${name} as {name}" for name in filed)
        self.sql.execute(f"insert into {table} by name select {named}", **filed)

    def put_effects(self, owner: str, person: str, effects: Iterable[FactEffect]) -> None:
        """Replaces the effects of a person's facts on each other in the memory of `owner`."""
        self.sql.execute(DROP_ACCORDS, owner=owner, people=self.names.of_one(owner, person))
        links = [
            {"fact_id": fact, "other_id": other, "effect": effect.value} for fact, other, effect in sorted(effects)
        ]
        if links:
            self.sql.register(links)
            self.sql.execute("insert into accords by name select * from incoming")

    def end_facts(self, linked: Iterable[str], ends: Mapping[str, tuple[Time, datetime]]) -> None:
        """Gives facts the ends that other statements imply: when they ended, and when that was said.

        None ends before it begins.

        Facts that are `linked` but not in `ends` lose an end that they had.
        """
        linked = list(linked)
        if not linked:
            return
        self.sql.connection.register("linked", {"id": np.array(linked, dtype=object)})
        columns = "id varchar, ended_at timestamp, ended_grain varchar, told_at timestamp"
        self.sql.execute(f"create or replace temp table ends ({columns})")
        if ends:
            self.sql.register(
                [{"id": fact, "ended_at": at, "told_at": told_at} for fact, (at, told_at) in ends.items()]
            )
            self.sql.execute("insert into ends by name select * from incoming")
        for statement in (END_NO_EARLIER, CHANGED_ENDS, END_FACTS, END_DOCUMENTS):
            self.sql.execute(statement)

    def unconsolidate(self) -> None:
        """Removes all results of consolidation, so that they can be derived anew from the stored MemCells."""
        for table in ("scenes", "conflicts", "accords"):
            self.sql.execute(f"delete from {table}")
        self.sql.execute("update memcells set consolidated = false, scene_id = null")
        mentions.note_all(self.sql.connection)
