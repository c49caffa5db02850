"""Interactions and rules in the memory file: chats that are still to be read, and what was learned."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from evermem_cli.engines import Vectors
from evermem_cli.errors import UsageError
from evermem_cli.memory import AgentType, Attitude, Interaction, MemCell, Outcome, Rule
from evermem_cli.store.lifecycle.strength import StrengthReader
from evermem_cli.store.read.consolidated import ConsolidatedReader
from evermem_cli.store.schema import rows

UNREFLECTED = """
    select conversations.id from conversations join messages on conversation_id = conversations.id
    left join reflections on reflections.conversation_id = conversations.id
    where kind = 'assistant' group by conversations.id
    having count(*) <> coalesce(any_value(reflections.messages), 0)
    or conversations.id in (
      select conversation_id from interactions where id not in (select interaction_id from situations))
    order by min(said_at), conversations.id"""
INTERACTIONS = """
    select interactions.*, group_id as mission_id from interactions
    join conversations on conversations.id = conversation_id
    where interactions.user_id = $user_id and ($agent_type is null or agent_type = $agent_type)
    order by timestamp, interactions.id"""
SIMILAR = """
    select id, array_inner_product(embedding, $asked::float[384]) as cosine
    from interactions join situations on interaction_id = id
    where user_id = $user_id and ($agent_type is null or agent_type = $agent_type)"""
RULES = """
    select rules.*, coalesce(derived_from, []) as derived_from from rules left join (
      select rule_id, list(interaction_id order by place) as derived_from from rule_evidence group by rule_id)
      on rule_id = rules.id
    where user_id = $user_id and ($agent_type is null or agent_type = $agent_type)
    and ($every or retired_at is null) order by agent_type, created_at, id"""
KEEP_STRENGTHS = """
    create or replace temp table kept as
    select id, strength, last_accessed, access_count from interactions where conversation_id = $conversation"""
RETURN_STRENGTHS = """
    update interactions set strength = kept.strength, last_accessed = kept.last_accessed,
                            access_count = kept.access_count from kept where kept.id = interactions.id"""
FORGET_INTERACTIONS = (
    KEEP_STRENGTHS,
    "delete from sources where memory_id in (select id from interactions where conversation_id = $conversation)",
    """delete from situations where interaction_id in (
         select id from interactions where conversation_id = $conversation)""",
    "delete from interactions where conversation_id = $conversation",
)


class ExperienceReader(StrengthReader, ConsolidatedReader):
    """A read transaction for interactions and rules. Made by `Store.read_experience`."""

    def unreflected_ids(self) -> list[str]:
        """Chats with an assistant that have unread messages, oldest first."""
        return [row["id"] for row in self._rows(UNREFLECTED)]

    def cells_of(self, conversation_id: str) -> tuple[str, list[MemCell]]:
        """The owner of a conversation, and its MemCells in order."""
        query = "select event_id, user_id from memcells join conversations on id = conversation_id where id = $id"
        records = self._rows(query, id=conversation_id)
        cells = self.memcells([row["event_id"] for row in records])
        return records[0]["user_id"] if records else "", sorted(cells, key=lambda cell: cell.messages[0].ordinal)

    def situation_vectors(self, conversation_id: str) -> dict[str, NDArray[np.float32]]:
        """The vectors of a conversation's situations, by their text."""
        query = """
            select situation, embedding from interactions join situations on interaction_id = id
            where conversation_id = $id"""
        records = self._rows(query, id=conversation_id)
        return {row["situation"]: np.array(row["embedding"], dtype=np.float32) for row in records}

    def users(self) -> list[str]:
        """The users who have interactions."""
        return [row["user_id"] for row in self._rows("select distinct user_id from interactions order by user_id")]

    def interactions(self, user_id: str, agent_type: AgentType | None = None) -> list[Interaction]:
        """A user's interactions with assistants of one type, or of all types, oldest first."""
        records = self._rows(INTERACTIONS, user_id=user_id, agent_type=agent_type)
        cited = self._sources([row["id"] for row in records])
        return [_interaction(row, cited.get(row["id"], [])) for row in records]

    def own_interactions(self, user_id: str) -> list[Interaction]:
        """A user's interactions without those in which the user passed on somebody else's words, oldest first."""
        interactions = self.interactions(user_id)
        foreign = self.foreign_ids({name for interaction in interactions for name in interaction.message_ids})
        return [interaction for interaction in interactions if foreign.isdisjoint(interaction.message_ids)]

    def situation_cosines(
        self, asked: NDArray[np.float32], user_id: str, agent_type: AgentType | None
    ) -> dict[str, float]:
        """The cosine of each interaction's situation to a unit vector, by id; just imported ones have none."""
        query = SIMILAR.replace("float[384]", f"float[{int(self._meta('dimension'))}]")  # a type cannot be a parameter
        records = self._rows(query, asked=str(asked.tolist()), user_id=user_id, agent_type=agent_type)
        scale = self.scale
        return {row["id"]: scale.slope * row["cosine"] + scale.shift for row in records}

    def rules(self, user_id: str, agent_type: AgentType | None = None, *, retired: bool = False) -> list[Rule]:
        """A user's rules for assistants of one type, or of all types; `retired` ones too if asked."""
        records = self._rows(RULES, user_id=user_id, agent_type=agent_type, every=retired)
        return [_rule(row) for row in records]

    def rule(self, prefix: str, user_id: str) -> Rule:
        """The one rule of a user whose id begins with the prefix. Raises UsageError where none or several do."""
        matches = [rule for rule in self.rules(user_id, retired=True) if rule.id.startswith(prefix)]
        if len(matches) != 1:
            problem = "matches several rules" if matches else "is not a rule in this memory"
            raise UsageError(f"{prefix} {problem}", "`evermem rules` shows ids")
        return matches[0]


class ExperienceWriter(ExperienceReader):
    """A write transaction for interactions and rules. Made by `Store.write_experience`."""

    def put_interactions(self, conversation_id: str, made: Sequence[Interaction], vectors: Vectors, read: int) -> None:
        """Replaces a conversation's interactions; `read` is the number of messages that they cover."""
        for statement in FORGET_INTERACTIONS:
            self._sql.execute(statement, conversation=conversation_id)
        if made:
            self._insert_interactions(made, vectors)
            self._sql.execute(RETURN_STRENGTHS)
        cited = [
            {"memory_id": item.id, "place": place, "message_id": message_id}
            for item in made
            for place, message_id in enumerate(item.message_ids)
        ]
        if cited:
            self._sql.register(cited)
            self._sql.execute("insert into sources by name select * from incoming")
        self._sql.execute("insert or replace into reflections values ($id, $read)", id=conversation_id, read=read)

    def put_rule(self, rule: Rule) -> None:
        """Stores a rule in place of its earlier version."""
        self._sql.execute("delete from rule_evidence where rule_id = $id", id=rule.id)
        row = rows.plain(rule)
        row.pop("derived_from")
        self._put("rules", row)
        for place, interaction_id in enumerate(rule.derived_from):
            self._put("rule_evidence", {"rule_id": rule.id, "place": place, "interaction_id": interaction_id})

    def drop_rules(self, ids: Iterable[str]) -> None:
        """Removes rules that are no longer supported."""
        self._wanted(ids)
        self._sql.execute("delete from rule_evidence where rule_id in (select id from wanted)")
        self._sql.execute("delete from rules where id in (select id from wanted)")

    def _insert_interactions(self, made: Sequence[Interaction], vectors: Vectors) -> None:
        now = datetime.now(UTC)
        records = [rows.plain(item) | {"tags": " ".join(item.tags), "created_at": now} for item in made]
        for row in records:
            del row["message_ids"], row["mission_id"]  # both in `sources` and with the conversation
        self._sql.register(records)
        self._sql.execute("insert into interactions by name select * from incoming")
        ids = {"interaction_id": np.array([item.id for item in made], dtype=object)}
        embedding = {f"e{place}": np.ascontiguousarray(vectors[:, place]) for place in range(vectors.shape[1])}
        self._connection.register("incoming", ids | embedding)
        vector = f"array_value({', '.join(embedding)})"
        self._sql.execute(f"insert into situations select interaction_id, {vector} from incoming")

    def _put(self, table: str, row: rows.Row) -> None:
        values = {name: rows.utc(value) if isinstance(value, datetime) else value for name, value in row.items()}
        places = ", ".join(f"${name}" for name in values)
        changes = ", ".join(f"{name} = excluded.{name}" for name in values if name != "id")
        update = f"on conflict (id) do update set {changes}" if "id" in values else ""
        self._sql.execute(f"insert into {table} ({', '.join(values)}) values ({places}) {update}", **values)


def _interaction(row: rows.Row, message_ids: Sequence[str]) -> Interaction:
    typed = {"outcome": Outcome(row["outcome"]), "agent_type": AgentType(row["agent_type"])}
    values = {**row, **typed, "tags": tuple(row["tags"].split()), "message_ids": tuple(message_ids)}
    return Interaction(**{name: values[name] for name in Interaction.__dataclass_fields__})


def _rule(row: rows.Row) -> Rule:
    typed = {"stance": Attitude(row["stance"]), "agent_type": AgentType(row["agent_type"])}
    values = {**row, **typed, "derived_from": tuple(row["derived_from"])}
    return Rule(**{name: values[name] for name in Rule.__dataclass_fields__})
