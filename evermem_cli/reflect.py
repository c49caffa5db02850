"""The workflow from chats with assistants to interactions, and from agreeing interactions to rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from evermem_cli.engines import Embedder, Vectors
from evermem_cli.experience.agents import agent_type
from evermem_cli.experience.exchanges import find_exchanges
from evermem_cli.experience.interactions import make_interactions
from evermem_cli.experience.rule_wording import word_rule
from evermem_cli.experience.rules import Proposal, make_rule, propose, reconsider
from evermem_cli.memory import AgentType, Interaction, forgotten_mark
from evermem_cli.progress import Progress
from evermem_cli.reading.reactions import ReactionModel
from evermem_cli.store import ExperienceReader, ExperienceWriter, Store

# For these types, a reported result counts even if the assistant did nothing. Elsewhere, bad news at the start of a
# chat is too often mistaken for a result.
_REPORTED = frozenset({AgentType.SHOPPING, AgentType.TRAVEL, AgentType.COOKING})


@dataclass(slots=True)
class ReflectReport:
    """The numbers of new interactions and rules."""

    interactions: int = 0
    rules: int = 0


@dataclass(frozen=True)
class Reflection:
    """Reads chats with assistants that have something new, and derives rules from all interactions.

    No language model is involved. Every chat is committed separately; an interrupted run continues where it stopped.
    """

    store: Store
    embedder: Embedder
    progress: Progress
    model: ReactionModel = field(default_factory=ReactionModel)
    report: ReflectReport = field(default_factory=ReflectReport)

    def run(self) -> ReflectReport:
        """Learns from everything new. Raises StoreError, StoreBusy."""
        with self.store.read_experience() as reader:
            waiting = reader.unreflected_ids()
        for done, conversation_id in enumerate(waiting):
            self.progress("interactions", done, len(waiting))
            self._look_through(conversation_id)
        if waiting:
            self.progress("interactions", len(waiting), len(waiting))
            self._draw_rules()
        return self.report

    def _look_through(self, conversation_id: str) -> None:
        """Stores the current interactions of a chat."""
        with self.store.read_experience() as reader:
            user_id, cells = reader.cells_of(conversation_id)
            known, forgotten = reader.situation_vectors(conversation_id), reader.forgotten_marks()
        made = [
            interaction
            for interaction in make_interactions(find_exchanges(cells, self.model), user_id)
            if forgotten_mark(interaction.id) not in forgotten
        ]
        vectors = self._vectors(made, known)
        typed = [
            replace(interaction, agent_type=agent_type(interaction.situation, vector, self.embedder.name))
            for interaction, vector in zip(made, vectors, strict=True)
        ]
        chosen = [place for place, item in enumerate(typed) if item.action or item.agent_type in _REPORTED]
        made, vectors = [typed[place] for place in chosen], vectors[chosen]
        with self.store.write_experience() as writer:
            writer.put_interactions(conversation_id, made, vectors, sum(len(cell.messages) for cell in cells))
        self.report.interactions += sum(item.situation not in known for item in made)

    def _vectors(self, made: Sequence[Interaction], known: Mapping[str, NDArray[np.float32]]) -> Vectors:
        """The vectors of situations, one row each. Only new ones are embedded."""
        new = [text for text in dict.fromkeys(item.search_text for item in made) if text not in known]
        vectors = {**known, **(dict(zip(new, self.embedder.embed(new), strict=True)) if new else {})}
        return np.array([vectors[item.search_text] for item in made], dtype=np.float32)

    def _draw_rules(self) -> None:
        with self.store.read_experience() as reader:
            proposed = {user_id: self._proposals(reader, user_id) for user_id in reader.users()}
        # the rules are read again, since the user may have changed one meanwhile
        with self.store.write_experience() as writer:
            for user_id, proposals in proposed.items():
                self._update_rules(writer, user_id, {proposal.id: proposal for proposal in proposals})

    @staticmethod
    def _proposals(reader: ExperienceReader, user_id: str) -> list[Proposal]:
        interactions = reader.own_interactions(user_id)
        return propose(interactions, reader.statements.of({name for item in interactions for name in item.message_ids}))

    def _update_rules(self, writer: ExperienceWriter, user_id: str, proposals: Mapping[str, Proposal]) -> None:
        """Adds new rules, updates others, and removes those without support."""
        known = {rule.id: rule for rule in writer.reader.rules(user_id, retired=True)}
        forgotten = writer.reader.forgotten_marks()
        writer.drop_rules(name for name in known if name not in proposals)
        now = datetime.now(UTC)
        for name, proposal in proposals.items():
            if name in known:
                writer.put_rule(reconsider(known[name], proposal))
            elif proposal.is_convincing and forgotten_mark(name) not in forgotten:
                writer.put_rule(make_rule(proposal, word_rule(proposal), now))
                self.report.rules += 1
