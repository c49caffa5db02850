"""Reads what consolidation derived: assertions, scenes and conflicts, and what is still to be consolidated."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np

from evermem_cli.memory import Assertion, Conflict, Effect, Fact, FactSupport, Scale, Scene, wall
from evermem_cli.store.read.meta import MetaReader
from evermem_cli.store.read.names import NameReader
from evermem_cli.store.read.sources import SourceReader
from evermem_cli.store.read.topics import Vector
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.ends import OVER_GRAIN
from evermem_cli.store.schema.sql import READABLE, Sql

ASSERTIONS = f"""
    select assertions.*, scene_id, (
      select last(utc_offset order by place) from sources join messages on messages.id = message_id
      where memory_id = assertions.id) as utc_offset
    from assertions join memcells on event_id = memcell_id
    join conversations on conversations.id = memcells.conversation_id
    where ($people is null or lower(assertions.user_id) in (select unnest($people)))
    and ($owner is null or conversations.user_id = $owner)
    and ($user_id is null or conversations.id in ({READABLE}))
    and ($known_at is null or assertions.said_at <= $known_at)
    order by assertions.said_at, assertions.id"""
SCENES = """
    select scenes.*, coalesce(memcell_ids, []) as memcell_ids from scenes left join (
      select scene_id, list(event_id order by end_at, event_id) as memcell_ids from memcells
      where scene_id is not null group by scene_id) using (scene_id)
    where scenes.user_id = $user_id order by latest_timestamp, scene_id"""
HABITS = f"""
    select event_logs.*, embedding, memcells.conversation_id as conversation, scene_id
    from event_logs join documents on memory_id = event_logs.id join memcells on event_id = event_logs.memcell_id
    join conversations on conversations.id = memcells.conversation_id
    where lower(event_logs.user_id) in (select unnest($people)) and regexp_matches(lower(atomic_fact), $cue)
    and event_logs.said_at <= $known_at
    and coalesce(least(event_logs.invalid_at, superseded_at) > if({OVER_GRAIN} is null, $as_of, $wall), true)
    and conversations.id in ({READABLE})
    order by event_logs.said_at, event_logs.id"""
ACCORDS = """
    select fact_id, other_id, effect, confidence from accords join event_logs on event_logs.id = other_id
    where fact_id in (select id from wanted) and ($known_at is null or said_at <= $known_at)
    order by said_at, other_id"""


class Habits(NamedTuple):
    """Facts with their conversations and scenes, and their unit vectors, shape (n, dimension), with their scale."""

    facts: list[Fact]
    conversations: list[str]
    scenes: list[str | None]
    vectors: Vector
    scale: Scale


@dataclass(frozen=True, slots=True)
class ConsolidationReader:
    """Reads assertions, scenes and conflicts."""

    sql: Sql
    meta: MetaReader
    sources: SourceReader
    names: NameReader

    def is_unsettled(self) -> bool:
        """Whether consolidation was interrupted after deriving assertions and before comparing them."""
        return bool(self.sql.rows("select 1 from meta where key = 'unsettled'"))

    def judge(self) -> str:
        """What judged which assertions a profile shows; "" before there were any, and of an earlier version."""
        records = self.sql.rows("select value from meta where key = 'judge'")
        return str(records[0]["value"]) if records else ""

    def assertions(
        self,
        person: str | None = None,
        *,
        reader: str | None = None,
        owner: str | None = None,
        known_at: datetime | None = None,
    ) -> list[Assertion]:
        """The assertions of a person, or of everybody, in order.

        Limited to chats that `reader` may read, the memory of `owner`, and what was known by `known_at`, if given.
        """
        people = self.names.of_one(reader or owner or "", person) if person is not None else None
        records = self.sql.rows(ASSERTIONS, people=people, user_id=reader, owner=owner, known_at=rows.utc(known_at))
        cited = self.sources.of([row["id"] for row in records])
        return [rows.assertion(row, cited.get(row["id"], ())) for row in records]

    def supports(self, fact_ids: Iterable[str], known_at: datetime | None = None) -> dict[str, FactSupport]:
        """What other facts, known by `known_at` if given, say for or against facts. Facts without any are left out."""
        self.sql.want(fact_ids)
        effects: dict[str, dict[str, dict[str, float]]] = {}
        for row in self.sql.rows(ACCORDS, known_at=rows.utc(known_at)):
            sides = effects.setdefault(row["fact_id"], {effect.value: {} for effect in Effect})
            sides[row["effect"]][row["other_id"]] = row["confidence"]
        return {
            fact_id: FactSupport(confirmed_by=sides[Effect.CONFIRMS], ended_by=sides[Effect.ENDS])
            for fact_id, sides in effects.items()
        }

    def people(self) -> list[tuple[str, str]]:
        """Everybody who asserted anything, per owner of the memory; merged people once."""
        query = """
            select distinct conversations.user_id as owner, assertions.user_id as person from assertions
            join memcells on event_id = memcell_id join conversations on conversations.id = conversation_id
            order by owner, person"""
        return self.names.persons((row["owner"], row["person"]) for row in self.sql.rows(query))

    def conflicts(self, owner: str, person: str | None) -> list[Conflict]:
        """The conflicts in the memory of `owner`, of everybody or one person, in the order of the changes."""
        query = """
            select * from conflicts where owner_id = $owner
            and ($people is null or lower(user_id) in (select unnest($people))) order by new_timestamp, id"""
        people = None if person is None else self.names.of_one(owner, person)
        return [rows.conflict(row) for row in self.sql.rows(query, owner=owner, people=people)]

    def habits(self, person: str, cue: str, as_of: datetime, known_at: datetime, *, reader: str) -> Habits:
        """A person's facts that match the regular expression `cue` and hold, as known to `reader` by `known_at`."""
        times = {"as_of": rows.utc(as_of), "wall": wall(as_of), "known_at": rows.utc(known_at)}
        people = self.names.of_one(reader, person)
        records = self.sql.rows(HABITS, people=people, cue=cue, user_id=reader, **times)
        cited = self.sources.of([row["id"] for row in records])
        vectors = np.array([row["embedding"] for row in records], dtype=np.float32)
        return Habits(
            facts=[rows.derived(Fact, row, cited.get(row["id"], ())) for row in records],
            conversations=[row["conversation"] for row in records],
            scenes=[row["scene_id"] for row in records],
            vectors=vectors.reshape(len(records), self.meta.dimension),
            scale=self.meta.scale,
        )

    def scenes(self, user_id: str) -> list[Scene]:
        """A user's scenes, oldest first, with their MemCells in order."""
        return [rows.scene(row) for row in self.sql.rows(SCENES, user_id=user_id)]

    def centroids(self, scene_ids: Iterable[str]) -> dict[str, Vector]:
        """The mean vectors of these scenes, each of shape (dimension,)."""
        self.sql.want(scene_ids)
        records = self.sql.rows("select scene_id, centroid from scenes where scene_id in (select id from wanted)")
        return {row["scene_id"]: np.array(row["centroid"], dtype=np.float32) for row in records}

    def themes(self, user_id: str) -> dict[str, str]:
        """The theme of the scene that each MemCell is in."""
        query = """
            select event_id, theme from memcells join scenes using (scene_id) where user_id = $user_id"""
        return {row["event_id"]: row["theme"] for row in self.sql.rows(query, user_id=user_id)}

    def unplaced_ids(self, user_id: str) -> list[str]:
        """The MemCells of a user's chats that are consolidated but in no scene yet, oldest first."""
        query = """
            select event_id from memcells join conversations on id = conversation_id
            where consolidated and scene_id is null and user_id = $user_id order by end_at, event_id"""
        return [row["event_id"] for row in self.sql.rows(query, user_id=user_id)]

    def has_lost_members(self, user_id: str) -> bool:
        """Whether a scene of the user has lost a MemCell since it was stored, or was imported without its vector."""
        query = """
            select count(*) n from scenes where user_id = $user_id and (centroid is null or size <> (
              select count(*) from memcells where memcells.scene_id = scenes.scene_id))"""
        return bool(self.sql.rows(query, user_id=user_id)[0]["n"])
