"""Reads what consolidation derived: assertions, scenes and conflicts, and what is still to be consolidated."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evermem_cli.memory import Assertion, Conflict, Effect, Fact, FactSupport, Scene, Statement, wall
from evermem_cli.store.read.merged_names import MergedReader
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.ends import OVER_GRAIN

Vector = NDArray[np.float32]


class Habits(NamedTuple):
    """Facts with their conversations and scenes, and their unit vectors, shape (n, dimension)."""

    facts: list[Fact]
    sittings: list[str]
    scenes: list[str | None]
    vectors: Vector


ASSERTIONS = """
    select assertions.*, scene_id, (
      select last(utc_offset order by place) from sources join messages on messages.id = message_id
      where memory_id = assertions.id) as utc_offset
    from assertions join memcells on event_id = memcell_id
    join conversations on conversations.id = memcells.conversation_id
    where ($people is null or lower(assertions.user_id) in (select unnest($people)))
    and ($owner is null or conversations.user_id = $owner)
    and ($reader is null or conversations.user_id = $reader or conversations.id in (
      select conversation_id from messages where lower(user_id) = lower($reader)))
    and ($known_at is null or assertions.said_at <= $known_at)
    order by assertions.said_at, assertions.id"""
SCENES = """
    select scenes.*, coalesce(memcell_ids, []) as memcell_ids from scenes left join (
      select scene_id, list(event_id order by end_at, event_id) as memcell_ids from memcells
      where scene_id is not null group by scene_id) using (scene_id)
    where scenes.user_id = $user_id order by latest_timestamp, scene_id"""
# An episode for everybody covers the whole MemCell; in a chat with an assistant the user's is the only one.
TOPIC_VECTORS = """
    select memcell_id, embedding from episodes join documents on memory_id = episodes.id
    where memcell_id in (select id from wanted) and number = head
    qualify row_number() over (partition by memcell_id order by episodes.user_id nulls first, episodes.id) = 1"""
HABITS = f"""
    select event_logs.*, embedding, memcells.conversation_id as sitting, scene_id
    from event_logs join documents on memory_id = event_logs.id join memcells on event_id = event_logs.memcell_id
    join conversations on conversations.id = memcells.conversation_id
    where lower(event_logs.user_id) in (select unnest($people)) and regexp_matches(lower(atomic_fact), $cue)
    and event_logs.said_at <= $known_at
    and coalesce(least(event_logs.invalid_at, superseded_at) > if({OVER_GRAIN} is null, $as_of, $wall), true)
    and (conversations.user_id = $reader or conversations.id in (
      select conversation_id from messages where lower(user_id) = lower($reader)))
    order by event_logs.said_at, event_logs.id"""


ACCORDS = """
    select fact_id, other_id, effect, confidence from accords join event_logs on event_logs.id = other_id
    where fact_id in (select id from wanted) and ($known_at is null or said_at <= $known_at)
    order by said_at, other_id"""


# The first message of a chat answers nothing.
PASSAGES = """
    select messages.id, messages.text,
           case when earlier.speaker <> messages.speaker then earlier.text else '' end as before
    from messages left join messages as earlier
    on earlier.conversation_id = messages.conversation_id and earlier.ordinal = messages.ordinal - 1
    where messages.id in (select id from wanted) order by messages.said_at, messages.id"""

FOREIGN = """
    with nobodys as (
      select message_id as id from statements where message_id in (
        select near.id from messages as near join messages as hit
          on near.conversation_id = hit.conversation_id and hit.ordinal - near.ordinal between 0 and 1
        where hit.id in (select id from wanted))
      group by message_id having bool_or(whose = 'nobody') and not bool_or(whose in ('me', 'we')))
    select id from nobodys union
    select reply.id from messages as reply join messages as asked
      on reply.conversation_id = asked.conversation_id and reply.ordinal = asked.ordinal + 1
    where asked.id in (select id from nobodys) and reply.role = 'assistant'"""


class ConsolidatedReader(MergedReader):
    """A read transaction that also has the statements of messages and the results of consolidation."""

    def unread_ids(self, tagger: str) -> list[str]:
        """The messages of people that this tagger has not read, oldest first."""
        query = """
            select id from messages where role <> 'assistant'
            and id not in (select message_id from readings where tagger = $tagger) order by said_at, id"""
        return [row["id"] for row in self._rows(query, tagger=tagger)]

    def passages(self, message_ids: Iterable[str]) -> list[tuple[str, str, str]]:
        """The id and text of each message, and the text of the turn that it answers."""
        self._wanted(message_ids)
        return [(row["id"], row["text"], row["before"] or "") for row in self._rows(PASSAGES)]

    def statements(self, message_ids: Iterable[str]) -> dict[str, list[Statement]]:
        """The statements of each of these messages, in order; messages that were not read are left out."""
        self._wanted(message_ids)
        read = self._rows("select message_id from readings where message_id in (select id from wanted)")
        by_message: dict[str, list[Statement]] = {row["message_id"]: [] for row in read}
        query = "select * from statements where message_id in (select id from wanted) order by message_id, start, stop"
        for row in self._rows(query):
            by_message[row["message_id"]].append(rows.statement(row))
        return by_message

    def unconsolidated_ids(self) -> list[str]:
        """MemCells without assertions since they were last formed, oldest first."""
        query = "select event_id from memcells where not consolidated order by end_at, event_id"
        return [row["event_id"] for row in self._rows(query)]

    def foreign_ids(self, message_ids: Iterable[str]) -> set[str]:
        """Those of these messages whose statements are about nobody, and an assistant's answers to them."""
        self._wanted(message_ids)
        return {row["id"] for row in self._rows(FOREIGN)}

    def has_formed(self) -> bool:
        """Whether any MemCell has been through the language model, which a scene requires."""
        return bool(self._rows("select 1 from episodes limit 1"))

    def is_unsettled(self) -> bool:
        """Whether consolidation was interrupted after deriving assertions and before comparing them."""
        return bool(self._rows("select 1 from meta where key = 'unsettled'"))

    def unplaced_ids(self, user_id: str) -> list[str]:
        """The MemCells of a user's chats that are consolidated but in no scene yet, oldest first."""
        query = """
            select event_id from memcells join conversations on id = conversation_id
            where consolidated and scene_id is null and user_id = $user_id order by end_at, event_id"""
        return [row["event_id"] for row in self._rows(query, user_id=user_id)]

    def has_lost_members(self, user_id: str) -> bool:
        """Whether a scene of the user has lost a MemCell since it was stored, or was imported without its vector."""
        query = """
            select count(*) n from scenes where user_id = $user_id and (centroid is null or size <> (
              select count(*) from memcells where memcells.scene_id = scenes.scene_id))"""
        return bool(self._rows(query, user_id=user_id)[0]["n"])

    def owners(self, memcell_ids: Iterable[str]) -> dict[str, str]:
        """The owner of each MemCell: the user of its conversation."""
        self._wanted(memcell_ids)
        query = """
            select event_id, user_id from memcells join conversations on conversations.id = conversation_id
            where event_id in (select id from wanted)"""
        return {row["event_id"]: row["user_id"] for row in self._rows(query)}

    def owners_of_all(self) -> list[str]:
        """The users who own a memory in this file, by name."""
        return [row["user_id"] for row in self._rows("select distinct user_id from conversations order by user_id")]

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
        people = self.names_of_one(reader or owner or "", person) if person is not None else None
        records = self._rows(ASSERTIONS, people=people, reader=reader, owner=owner, known_at=rows.utc(known_at))
        cited = self._sources([row["id"] for row in records])
        return [rows.assertion(row, cited.get(row["id"], ())) for row in records]

    def supports(self, fact_ids: Iterable[str], known_at: datetime | None = None) -> dict[str, FactSupport]:
        """What other facts, known by `known_at` if given, say for or against facts. Facts without any are left out."""
        self._wanted(fact_ids)
        effects: dict[str, dict[str, dict[str, float]]] = {}
        for row in self._rows(ACCORDS, known_at=rows.utc(known_at)):
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
        return self.persons((row["owner"], row["person"]) for row in self._rows(query))

    def persons(self, pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """Owners and people, merged ones once."""
        pairs = set(pairs)
        merged = {owner: self.merged(owner) for owner in {owner for owner, _ in pairs}}
        return sorted({(owner, merged[owner].get(person.lower(), person)) for owner, person in pairs})

    def scenes(self, user_id: str) -> list[Scene]:
        """A user's scenes, oldest first, with their MemCells in order."""
        return [rows.scene(row) for row in self._rows(SCENES, user_id=user_id)]

    def centroids(self, scene_ids: Iterable[str]) -> dict[str, Vector]:
        """The mean vectors of these scenes, each of shape (dimension,)."""
        self._wanted(scene_ids)
        records = self._rows("select scene_id, centroid from scenes where scene_id in (select id from wanted)")
        return {row["scene_id"]: np.array(row["centroid"], dtype=np.float32) for row in records}

    def topic_vectors(self, memcell_ids: Iterable[str]) -> dict[str, Vector]:
        """The vector of each MemCell's episode for everybody, of shape (dimension,)."""
        self._wanted(memcell_ids)
        records = self._rows(TOPIC_VECTORS)
        return {row["memcell_id"]: np.array(row["embedding"], dtype=np.float32) for row in records}

    def conflicts(self, owner: str, person: str | None) -> list[Conflict]:
        """The conflicts in the memory of `owner`, of everybody or one person, in the order of the changes."""
        query = """
            select * from conflicts where owner_id = $owner
            and ($people is null or lower(user_id) in (select unnest($people))) order by new_timestamp, id"""
        people = None if person is None else self.names_of_one(owner, person)
        return [rows.conflict(row) for row in self._rows(query, owner=owner, people=people)]

    def habits(self, person: str, cue: str, as_of: datetime, known_at: datetime, *, reader: str) -> Habits:
        """A person's facts that match the regular expression `cue` and hold, as known to `reader` by `known_at`."""
        times = {"as_of": rows.utc(as_of), "wall": wall(as_of), "known_at": rows.utc(known_at)}
        people = self.names_of_one(reader, person)
        records = self._rows(HABITS, people=people, cue=cue, reader=reader, **times)
        cited = self._sources([row["id"] for row in records])
        vectors = np.array([row["embedding"] for row in records], dtype=np.float32)
        return Habits(
            facts=[rows.derived(Fact, row, cited.get(row["id"], ())) for row in records],
            sittings=[row["sitting"] for row in records],
            scenes=[row["scene_id"] for row in records],
            vectors=vectors.reshape(len(records), int(self._meta("dimension"))),
        )

    def speaker_ids(self, user_id: str) -> dict[str, str]:
        """User ids by the names of speakers in the chats that a user owns or took part in."""
        query = """
            select speaker, any_value(user_id) as id from messages where role <> 'assistant' and conversation_id in (
              select id from conversations where user_id = $user_id union
              select conversation_id from messages where lower(user_id) = lower($user_id))
            group by speaker order by speaker"""
        merged = self.merged(user_id)
        ids = {row["speaker"]: row["id"] for row in self._rows(query, user_id=user_id)}
        return {speaker: merged.get(person.lower(), person) for speaker, person in ids.items()}

    def themes(self, user_id: str) -> dict[str, str]:
        """The theme of the scene that each MemCell is in."""
        query = """
            select event_id, theme from memcells join scenes using (scene_id) where user_id = $user_id"""
        return {row["event_id"]: row["theme"] for row in self._rows(query, user_id=user_id)}
