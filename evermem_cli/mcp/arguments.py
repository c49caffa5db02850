"""The arguments of each tool: names, bounds, and their descriptions for the client's model."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from evermem_cli.memory import AgentType, Mode

LEAST_TOKENS = 600  # a memory alone, with what is withheld beside it, has up to 500
MOST_TOKENS = 20_000
MOST_RESULTS = 50
LONGEST_QUESTION = 2_000  # characters
LONGEST_NOTE = 4_000
GRAINS = 'A time is no finer than its grain: `valid_at` with `valid_grain` "week" or "month" is the first day of that.'

Time = Annotated[str | None, Field(description='A time: 2025-03-20, 2025-03-20T09:00, or words such as "last May".')]
AsOf = Annotated[str | None, Field(description="Answer as of that day: 2025-03-20, or words such as last May.")]
KnownAt = Annotated[str | None, Field(description="Only what was known by then.")]
Person = Annotated[str | None, Field(description="A name in the user's chats.", max_length=200)]
Question = Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]


class Asked(BaseModel):
    """The arguments that all reading tools share."""

    model_config = ConfigDict(extra="forbid")

    reason: str = Field(
        "",
        max_length=500,
        description="Why you need it, in more than 20 characters. It unlocks sensitive memories, and is logged.",
    )
    max_tokens: int = Field(
        2_000, ge=LEAST_TOKENS, le=MOST_TOKENS, description="The maximum length of the result in tokens."
    )


class Search(Asked):
    """`search`."""

    query: Question = Field(description="What to look for, in words or as a question.")
    k: int = Field(10, ge=1, le=MOST_RESULTS, description="How many results.")
    kind: list[Literal["message", "episode", "fact", "foresight", "digest"]] = Field(
        default_factory=list, description="Only these kinds of memory; all if empty."
    )
    person: Person = Field(None, description="Only messages of this person, and facts about them.")
    since: Time = Field(None, description="Said at that time or later.")
    until: Time = Field(None, description="Said at that time or earlier.")
    as_of: AsOf = None
    known_at: KnownAt = None


class Fetch(Asked):
    """`fetch`."""

    id: str = Field(
        min_length=4, max_length=100, description="The id of a memory from a result, or an unambiguous prefix of it."
    )


class Ask(Asked):
    """`ask`."""

    question: Question = Field(description="The question.")
    mode: Mode = Field(
        Mode.STANDARD,
        description="standard: a local model answers, in some seconds; light: the evidence alone, at once; "
        "agentic: judges what was found and searches again.",
    )
    as_of: AsOf = None
    known_at: KnownAt = None


class ProfileOf(Asked):
    """`profile`."""

    person: Person = Field(None, description="A name in the user's chats; the user if left out.")
    history: bool = Field(False, description="Include all earlier values, oldest first.")
    as_of: AsOf = None
    known_at: KnownAt = None


class Timeline(Asked):
    """`timeline`."""

    person: Person = Field(None, description="Only what is about this person.")
    theme: str | None = Field(None, max_length=200, description="Only scenes of this theme.")
    since: Time = Field(None, description="At that time or later.")
    until: Time = Field(None, description="At that time or earlier.")


class Examples(Asked):
    """`examples`."""

    situation: Question = Field(description="The task at hand, for example: booking a flight.")
    agent_type: AgentType | None = Field(None, description="Only for this type of assistant.")
    k: int = Field(3, ge=1, le=MOST_RESULTS, description="How many examples.")


class Remember(BaseModel):
    """`remember`."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(
        min_length=1,
        max_length=LONGEST_NOTE,
        description="What to remember, in whole sentences that name who and when.",
    )


class StatusOf(Asked):
    """`status`."""
