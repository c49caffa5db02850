"""Rules for an assistant, proposed where at least three interactions of its type agree and few speak against it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from evermem_cli.experience.preferences import Preference, find_preferences, other
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

MOST_OVERRIDES = 3  # then it is retired


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Interactions of one user and agent type, oldest first, that agree about an aspect.

    `preferences` are what each of them says, `contradicted` counts interactions of the other stance.
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
        """The same for the same subject, whatever the interactions."""
        return content_id("rule", self.user_id, self.agent_type, self.stance, self.aspect)

    @property
    def derived_from(self) -> tuple[str, ...]:
        """Ids of the interactions."""
        return tuple(interaction.id for interaction in self.agreeing)

    @property
    def is_convincing(self) -> bool:
        """Whether a rule may be made of it."""
        return certainty(len(self.agreeing), self.contradicted) >= LEAST_CONFIDENCE


def propose(interactions: Iterable[Interaction]) -> list[Proposal]:
    """All that at least three interactions agree about, the best supported first; the interactions are one user's."""
    held: dict[tuple[AgentType, str, Attitude], list[tuple[Interaction, Preference]]] = defaultdict(list)
    for interaction in sorted(interactions, key=lambda each: (each.timestamp, each.id)):
        for preference in find_preferences(interaction):
            held[interaction.agent_type, preference.aspect, preference.side].append((interaction, preference))
    found = [
        _proposal(kind, aspect, stance, agreeing, len(held.get((kind, aspect, other(stance)), ())))
        for (kind, aspect, stance), agreeing in held.items()
        if len(agreeing) >= FEWEST_AGREEING
    ]
    return sorted(found, key=lambda each: (-len(each.agreeing), each.contradicted, each.id))


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
    """The rule with the evidence of today; its wording and what the user did to it stay."""
    return replace(
        rule,
        derived_from=proposal.derived_from,
        contradicted=proposal.contradicted,
        last_validated=max(rule.last_validated, proposal.agreeing[-1].timestamp),
    )


def override(rule: Rule, now: datetime) -> Rule:
    """The user did otherwise: less confidence, and at the third time the rule is retired."""
    count = rule.override_count + 1
    return replace(rule, override_count=count, retired_at=rule.retired_at or (now if count >= MOST_OVERRIDES else None))


def validate(rule: Rule, now: datetime) -> Rule:
    """The user says that the rule holds: as good as one more interaction; a retired rule is back."""
    return replace(rule, confirmed=rule.confirmed + 1, last_validated=now, retired_at=None)


def retire(rule: Rule, now: datetime) -> Rule:
    """The rule is no longer offered, nor proposed again."""
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
