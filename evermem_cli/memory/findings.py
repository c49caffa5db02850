"""What is asked of memory and found in it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from evermem_cli.memory.chats import Message
from evermem_cli.memory.times import Time


class Kind(StrEnum):
    """What a search result is."""

    MESSAGE = "message"
    EPISODE = "episode"
    FACT = "fact"
    FORESIGHT = "foresight"
    DIGEST = "digest"


NARRATIVES = (Kind.EPISODE, Kind.DIGEST)  # what tells of many messages at once


class Mode(StrEnum):
    """How much is done for an answer."""

    LIGHT = "light"  # the evidence itself, no language model
    STANDARD = "standard"  # one search, one answer
    AGENTIC = "agentic"  # the model judges what was found, and has it searched for in other words


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Why search chose a result: the parts of its score (logits), and its rank by words and by meaning alone."""

    parts: dict[str, float]
    rank_by_words: int
    rank_by_meaning: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A search result: a memory with its score, its times and the messages that support it, in order.

    `is_hit`: a search found it; what stands beside a hit or was looked up by its id is none. `cosine` is that of its
    text to the question, None where no search compared the two. `answers` is by how much the logit that it tells the
    answer lies above the least that an answer has, None where that was not checked.
    """

    id: str
    kind: Kind
    text: str
    score: float
    speaker: str | None
    said_at: datetime
    valid_at: Time | None
    invalid_at: Time | None
    conversation: str
    scene: str | None = None
    messages: tuple[Message, ...] = ()
    why: Why | None = None
    is_hit: bool = False
    cosine: float | None = None
    answers: float | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """Search results, best first, and how many memories were left out because they are archived."""

    items: tuple[Evidence, ...]
    archived: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What a search may return. `as_of` asks what was true then, `known_at` what had been told by then.

    `since` and `until` bound when it was said, both inclusive. None does not filter; no kinds means all.
    """

    user_id: str | None = None
    kinds: tuple[Kind, ...] = ()
    as_of: datetime | None = None
    known_at: datetime | None = None
    since: datetime | None = None
    until: datetime | None = None
    people: tuple[str, ...] = ()  # ids, in any case, of the one person whose words or facts it may be; none means all
    ended: bool = True  # with `as_of`: keep facts that were over by then, as dated history
    archived: bool = False  # keep what is archived, too


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What is in the memory file. `pending` counts MemCells that wait for the language model."""

    schema_version: int
    embedder: str
    dimension: int
    counts: dict[str, int]
    pending: int
    failed: int
