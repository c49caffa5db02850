"""Reads interactions and rules: chats that are still to be read, and what was learned."""

from collections.abc import Sequence

import duckdb
import numpy as np
from numpy.typing import NDArray

from evermem_cli.errors import UsageError
from evermem_cli.memory import AgentType, Attitude, Interaction, MemCell, Outcome, Rule, id_given
from evermem_cli.store.lifecycle.forgotten_memories import forgotten_marks
from evermem_cli.store.lifecycle.strength import StrengthReader
from evermem_cli.store.read.messages import MessageReader
from evermem_cli.store.read.meta import MetaReader
from evermem_cli.store.read.sources import SourceReader
from evermem_cli.store.read.statements import StatementReader
from evermem_cli.store.read.topics import TopicReader
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.sql import Sql

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


class ExperienceReader:
    """A read transaction for interactions and rules, made by `Store.read_experience`."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._sql = Sql(connection)
        self._sources = SourceReader(self._sql)
        self.meta = MetaReader(self._sql)
        self.messages = MessageReader(self._sql)
        self.topics = TopicReader(self._sql, self._sources)
        self.statements = StatementReader(self._sql)
        self.strengths = StrengthReader(self._sql)

    def unreflected_ids(self) -> list[str]:
        """Chats with an assistant that have unread messages, oldest first."""
        return [row["id"] for row in self._sql.rows(UNREFLECTED)]

    def cells_of(self, conversation_id: str) -> tuple[str, list[MemCell]]:
        """The owner of a conversation, and its MemCells in order."""
        query = "select event_id, user_id from memcells join conversations on id = conversation_id where id = $id"
        records = self._sql.rows(query, id=conversation_id)
        cells = self.topics.memcells([row["event_id"] for row in records])
        return records[0]["user_id"] if records else "", sorted(cells, key=lambda cell: cell.messages[0].ordinal)

    def situation_vectors(self, conversation_id: str) -> dict[str, NDArray[np.float32]]:
        """The vectors of a conversation's situations, by their text."""
        query = """
            select situation, embedding from interactions join situations on interaction_id = id
            where conversation_id = $id"""
        records = self._sql.rows(query, id=conversation_id)
        return {row["situation"]: np.array(row["embedding"], dtype=np.float32) for row in records}

    def forgotten_marks(self) -> frozenset[str]:
        """The marks of all memories that the user forgot by their ids."""
        return frozenset(forgotten_marks(self._sql))

    def users(self) -> list[str]:
        """The users who have interactions."""
        return [row["user_id"] for row in self._sql.rows("select distinct user_id from interactions order by user_id")]

    def interactions(self, user_id: str, agent_type: AgentType | None = None) -> list[Interaction]:
        """A user's interactions with assistants of one type, or of all types, oldest first."""
        records = self._sql.rows(INTERACTIONS, user_id=user_id, agent_type=agent_type)
        cited = self._sources.of([row["id"] for row in records])
        return [_interaction(row, cited.get(row["id"], [])) for row in records]

    def own_interactions(self, user_id: str) -> list[Interaction]:
        """A user's interactions without those in which the user passed on somebody else's words, oldest first."""
        interactions = self.interactions(user_id)
        foreign = self.statements.foreign_ids(
            {name for interaction in interactions for name in interaction.message_ids}
        )
        return [interaction for interaction in interactions if foreign.isdisjoint(interaction.message_ids)]

    def situation_cosines(
        self, asked: NDArray[np.float32], user_id: str, agent_type: AgentType | None
    ) -> dict[str, float]:
        """The cosine of each interaction's situation to a unit vector, by id; just imported ones have none."""
        query = SIMILAR.replace("float[384]", f"float[{self.meta.dimension}]")  # a type cannot be a parameter
        records = self._sql.rows(query, asked=str(asked.tolist()), user_id=user_id, agent_type=agent_type)
        scale = self.meta.scale
        return {row["id"]: scale.slope * row["cosine"] + scale.shift for row in records}

    def rules(self, user_id: str, agent_type: AgentType | None = None, *, retired: bool = False) -> list[Rule]:
        """A user's rules for assistants of one type, or of all types; `retired` ones too if asked."""
        records = self._sql.rows(RULES, user_id=user_id, agent_type=agent_type, every=retired)
        return [_rule(row) for row in records]

    def rule(self, prefix: str, user_id: str) -> Rule:
        """The one rule of a user whose id begins with the prefix. Raises UsageError where none or several do."""
        prefix = id_given(prefix)
        matches = [rule for rule in self.rules(user_id, retired=True) if rule.id.startswith(prefix)]
        if len(matches) != 1:
            problem = "matches several rules" if matches else "is not a rule in this memory"
            raise UsageError(f"{prefix} {problem}", "`evermem rules` shows ids")
        return matches[0]


def _interaction(row: rows.Row, message_ids: Sequence[str]) -> Interaction:
    typed = {"outcome": Outcome(row["outcome"]), "agent_type": AgentType(row["agent_type"])}
    values = {**row, **typed, "tags": tuple(row["tags"].split()), "message_ids": tuple(message_ids)}
    return Interaction(**{name: values[name] for name in Interaction.__dataclass_fields__})


def _rule(row: rows.Row) -> Rule:
    typed = {"stance": Attitude(row["stance"]), "agent_type": AgentType(row["agent_type"])}
    values = {**row, **typed, "derived_from": tuple(row["derived_from"])}
    return Rule(**{name: values[name] for name in Rule.__dataclass_fields__})
