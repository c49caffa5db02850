"""Rules for assistants, proposed where at least three interactions of one type agree and few contradict them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from evermem_cli.experience.preferences import Preference, find_preferences, other
from evermem_cli.formation.sentences.statements import NOTHING_READ, TaggedStatements
from evermem_cli.memory import (
    FEWEST_AGREEING,
    LEAST_CONFIDENCE,
    AgentType,
    Attitude,
    Interaction,
    Rule,
    certainty,
    content_id,
)

MOST_OVERRIDES = 3  # at this count the rule is retired


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Interactions of one user and agent type that agree about an aspect, oldest first.

    `preferences` are those of the agreeing interactions. `contradicted` counts interactions with the opposite attitude.
    """

    user_id: str
    agent_type: AgentType
    aspect: str
    stance: Attitude
    agreeing: tuple[Interaction, ...]
    preferences: tuple[Preference, ...]
    contradicted: int

    @property
    def id(self) -> str:
        """Identifies the subject; the same whatever the interactions."""
        return content_id("rule", self.user_id, self.agent_type, self.stance, self.aspect)

    @property
    def derived_from(self) -> tuple[str, ...]:
        """Ids of the interactions."""
        return tuple(interaction.id for interaction in self.agreeing)

    @property
    def is_convincing(self) -> bool:
        """Whether the proposal is supported well enough to become a rule."""
        return certainty(len(self.agreeing), self.contradicted) >= LEAST_CONFIDENCE


def propose(interactions: Iterable[Interaction], read: TaggedStatements = NOTHING_READ) -> list[Proposal]:
    """Everything on which at least three interactions of one user agree, best supported first.

    `read` has the tagger's statements; those of a message count for the first of the interactions that it belongs to.
    """
    preferences: dict[tuple[AgentType, str, Attitude], list[tuple[Interaction, Preference]]] = defaultdict(list)
    unused = dict(read)
    for interaction in sorted(interactions, key=lambda interaction: (interaction.timestamp, interaction.id)):
        statements = [statement for name in interaction.message_ids for statement in unused.pop(name, ())]
        for preference in find_preferences(interaction, statements):
            preferences[interaction.agent_type, preference.aspect, preference.side].append((interaction, preference))
    proposals = [
        _proposal(kind, aspect, stance, agreeing, len(preferences.get((kind, aspect, other(stance)), ())))
        for (kind, aspect, stance), agreeing in preferences.items()
        if len(agreeing) >= FEWEST_AGREEING
    ]
    return sorted(proposals, key=lambda proposal: (-len(proposal.agreeing), proposal.contradicted, proposal.id))


def make_rule(proposal: Proposal, wording: str, now: datetime) -> Rule:
    """A new rule."""
    return Rule(
        id=proposal.id,
        user_id=proposal.user_id,
        agent_type=proposal.agent_type,
        rule=wording,
        stance=proposal.stance,
        aspect=proposal.aspect,
        derived_from=proposal.derived_from,
        contradicted=proposal.contradicted,
        confirmed=0,
        override_count=0,
        created_at=now,
        last_validated=proposal.agreeing[-1].timestamp,
        retired_at=None,
    )


def reconsider(rule: Rule, proposal: Proposal) -> Rule:
    """Updates the evidence of a rule. Its wording and what the user did to it stay."""
    return replace(
        rule,
        derived_from=proposal.derived_from,
        contradicted=proposal.contradicted,
        last_validated=max(rule.last_validated, proposal.agreeing[-1].timestamp),
    )


def override(rule: Rule, now: datetime) -> Rule:
    """Notes that the user did otherwise, which lowers the confidence. The third time retires the rule."""
    count = rule.override_count + 1
    return replace(rule, override_count=count, retired_at=rule.retired_at or (now if count >= MOST_OVERRIDES else None))


def validate(rule: Rule, now: datetime) -> Rule:
    """Notes that the user confirms the rule, which counts as one more interaction. A retired rule is active again."""
    return replace(rule, confirmed=rule.confirmed + 1, last_validated=now, retired_at=None)


def retire(rule: Rule, now: datetime) -> Rule:
    """Retires a rule: it is neither offered nor proposed again."""
    return replace(rule, retired_at=rule.retired_at or now)


def _proposal(
    kind: AgentType,
    aspect: str,
    stance: Attitude,
    agreeing: Sequence[tuple[Interaction, Preference]],
    contradicted: int,
) -> Proposal:
    interactions = tuple(interaction for interaction, _ in agreeing)
    return Proposal(
        user_id=interactions[0].user_id,
        agent_type=kind,
        aspect=aspect,
        stance=stance,
        agreeing=interactions,
        preferences=tuple(preference for _, preference in agreeing),
        contradicted=contradicted,
    )
