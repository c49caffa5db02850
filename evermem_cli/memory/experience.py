"""What is learned from work with assistants: interactions, and the rules that agreeing interactions give."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

LEAST_CONFIDENCE = 0.7  # confidence below which a rule is neither proposed nor offered
OVERRIDE_COST = 0.1
FEWEST_AGREEING = 3  # interactions that must agree before a rule is proposed


class Outcome(StrEnum):
    """How an interaction went, judged by what the user said; unknown if they said nothing."""

    SUCCESS = "success"
    FAILURE = "failure"
    PARTIAL = "partial"
    UNKNOWN = "unknown"


class AgentType(StrEnum):
    """The type of assistant that an interaction is for."""

    SHOPPING = "shopping"
    TRAVEL = "travel"
    COOKING = "cooking"
    CODING = "coding"
    HEALTH = "health"
    FINANCE = "finance"
    WRITING = "writing"
    GENERAL = "general"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """One request to an assistant: what the assistant did, and how the user found it.

    OwnYou calls it an episode. `reasoning`, `action` and `user_feedback` are None where the chat has none.
    `mission_id` is the chat's own id.
    """

    id: str
    user_id: str
    conversation_id: str
    situation: str
    reasoning: str | None
    action: str | None
    outcome: Outcome
    user_feedback: str | None
    agent_type: AgentType
    mission_id: str
    timestamp: datetime
    tags: tuple[str, ...]
    message_ids: tuple[str, ...]

    @property
    def search_text(self) -> str:
        """The text that a new situation is compared with."""
        return self.situation


def certainty(agreeing: int, contradicting: int) -> float:
    """The probability that the next interaction agrees, by Laplace's rule of succession: 0.8 after three that agree."""
    return (agreeing + 1) / (agreeing + contradicting + 2)


class Attitude(StrEnum):
    """Whether a rule is for or against something."""

    PREFER = "prefer"
    AVOID = "avoid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What assistants of one type should do for a user, derived from agreeing interactions.

    `aspect` is what the rule is about ("price: low"). `contradicted` counts interactions that oppose it, `confirmed`
    how often the user validated it. A retired rule is kept so that it is not proposed again.
    """

    id: str
    user_id: str
    agent_type: AgentType
    rule: str
    stance: Attitude
    aspect: str
    derived_from: tuple[str, ...]
    contradicted: int
    confirmed: int
    override_count: int
    created_at: datetime
    last_validated: datetime
    retired_at: datetime | None

    @property
    def confidence(self) -> float:
        """How well the rule is supported, from 0 to 1: by agreement and validation, less 0.1 per override."""
        supported = certainty(len(self.derived_from) + self.confirmed, self.contradicted)
        return round(max(0.0, supported - OVERRIDE_COST * self.override_count), 2)

    @property
    def offered(self) -> bool:
        """Whether assistants should follow the rule."""
        return self.retired_at is None and self.confidence >= LEAST_CONFIDENCE
