"""What is learned from working with an assistant: interactions, and the rules that agreeing ones give."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

LEAST_CONFIDENCE = 0.7  # of a rule that is proposed or offered
OVERRIDE_COST = 0.1
FEWEST_AGREEING = 3  # interactions that a rule is proposed for


class Outcome(StrEnum):
    """How an interaction went, by what the user said of it; nothing said is unknown."""

    SUCCESS = "success"
    FAILURE = "failure"
    PARTIAL = "partial"
    UNKNOWN = "unknown"


class AgentType(StrEnum):
    """What kind of assistant an interaction is for."""

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
    """One thing a user wanted of an assistant: what was done about it, and how the user found that.

    The OwnYou documents call it an episode. `reasoning`, `action` and `user_feedback` are None where the chat has none.
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
        """What a new situation is compared with."""
        return self.situation


def certainty(agreeing: int, contradicting: int) -> float:
    """The chance that the next interaction agrees too, by Laplace's rule of succession: 0.8 after three that do."""
    return (agreeing + 1) / (agreeing + contradicting + 2)


class Attitude(StrEnum):
    """Whether a rule is for something or against it."""

    PREFER = "prefer"
    AVOID = "avoid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What assistants of one type should do for a user, drawn from interactions that agree.

    `aspect` is what it is about ("price: low"), `contradicted` counts interactions that speak against it, `confirmed`
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
        """How well it is supported, from 0 to 1: by what agrees and what the user confirmed, less 0.1 an override."""
        supported = certainty(len(self.derived_from) + self.confirmed, self.contradicted)
        return round(max(0.0, supported - OVERRIDE_COST * self.override_count), 2)

    @property
    def offered(self) -> bool:
        """Whether an assistant should go by it."""
        return self.retired_at is None and self.confidence >= LEAST_CONFIDENCE
