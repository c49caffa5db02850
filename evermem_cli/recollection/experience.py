"""Retrieves interactions and rules: similar earlier requests to assistants, and the rules to follow."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar

from evermem_cli.engines import Embedder
from evermem_cli.experience.speech_acts import key_words
from evermem_cli.formation.grounding import CitedWords
from evermem_cli.memory import AgentType, Interaction, Message, Rule
from evermem_cli.store import ExperienceReader, Store

# added to the cosine when all words of the given situation occur in a known one
WORDS_WEIGHT = 0.5
Learned = TypeVar("Learned", Interaction, Rule)


@dataclass(frozen=True, slots=True)
class AgentScope:
    """A user, and the type of assistant that asks; None is any type. Experience of one type is not given to another.

    `archived` includes archived memories.
    """

    user_id: str
    agent_type: AgentType | None = None
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """An interaction and the similarity of its situation, comparable within one call; None without a situation."""

    interaction: Interaction
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Experience:
    """Interactions, their messages by id, and how many were left out because they are archived."""

    items: tuple[Example, ...]
    messages: dict[str, Message]
    archived: int = 0

    @property
    def ids(self) -> set[str]:
        """The ids of the interactions."""
        return {item.interaction.id for item in self.items}


def recall_examples(situation: str, store: Store, embedder: Embedder, where: AgentScope, k: int) -> Experience:
    """The k interactions of the most similar situations, by meaning and by words. Raises StoreError, StoreBusy."""
    asked = embedder.embed([situation])[0]
    words = key_words(situation)
    with store.read_experience() as reader:
        reader.meta.check_embedder(embedder.name, embedder.dimension)
        every = reader.interactions(where.user_id, where.agent_type)
        known = every if where.archived else _living(every, reader)
        cosines = reader.situation_cosines(asked, where.user_id, where.agent_type)
        scores = [
            (cosines.get(interaction.id, 0.0) + WORDS_WEIGHT * _share(words, interaction), interaction)
            for interaction in known
        ]
        best = sorted(scores, key=lambda scored: (-scored[0], scored[1].id))[:k]
        experience = _cited([Example(interaction, score) for score, interaction in best], reader)
        return replace(experience, archived=len(every) - len(known))


def known_interactions(store: Store, where: AgentScope) -> Experience:
    """All interactions, oldest first."""
    with store.read_experience() as reader:
        return _cited(
            [Example(interaction) for interaction in reader.interactions(where.user_id, where.agent_type)], reader
        )


def known_rules(store: Store, where: AgentScope, *, retired: bool = False, offered: bool = False) -> list[Rule]:
    """Rules, including `retired` ones or, if `offered`, only those that assistants should follow."""
    with store.read_experience() as reader:
        rules = reader.rules(where.user_id, where.agent_type, retired=retired)
        rules = rules if where.archived else _living(rules, reader)
    return [rule for rule in rules if rule.offered or not offered]


def change_rule(store: Store, prefix: str, user_id: str, change: Callable[[Rule, datetime], Rule]) -> Rule:
    """Changes the one rule whose id begins with the prefix. Raises UsageError, StoreError, StoreBusy."""
    with store.write_experience() as writer:
        changed = change(writer.reader.rule(prefix, user_id), datetime.now(UTC))
        writer.put_rule(changed)
    return changed


def _living(items: Sequence[Learned], reader: ExperienceReader) -> list[Learned]:
    """The items that are not archived."""
    strengths = reader.strengths.at((item.id for item in items), datetime.now(UTC))
    return [item for item in items if not strengths[item.id].archived]


def _cited(items: Sequence[Example], reader: ExperienceReader) -> Experience:
    return Experience(
        tuple(items), reader.messages.by_id({name for item in items for name in item.interaction.message_ids})
    )


def _share(words: list[str], interaction: Interaction) -> float:
    """The share of the words that occur in the situation, in this form or a similar one."""
    source = CitedWords([interaction.situation, " ".join(interaction.tags)], frozenset())
    return sum(source.has(word) for word in words) / len(words) if words else 0.0
