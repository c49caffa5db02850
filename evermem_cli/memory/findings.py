"""Queries and their results: evidence, filters and counts."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from evermem_cli.memory.chats import Message
from evermem_cli.memory.times import Time


class Kind(StrEnum):
    """The kind of a search result."""

    MESSAGE = "message"
    EPISODE = "episode"
    FACT = "fact"
    FORESIGHT = "foresight"
    DIGEST = "digest"


NARRATIVES = (Kind.EPISODE, Kind.DIGEST)  # kinds that summarise many messages


class Mode(StrEnum):
    """How much work an answer may take."""

    LIGHT = "light"  # the evidence alone, no language model
    STANDARD = "standard"  # one search, one answer
    AGENTIC = "agentic"  # the model judges the evidence and searches again in other words


@dataclass(frozen=True, slots=True, kw_only=True)
class RankReasons:
    """Why search ranked a result as it did: the parts of its score (logits), and its rank by words and by vectors.

    It has no rank by words if neither it nor a message beside it has a word of the query.
    """

    parts: dict[str, float]
    rank_by_words: int | None
    rank_by_meaning: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A search result: a memory with its score, its times and the messages behind it, in order.

    `is_hit` is true where a search returned it, and false for neighbours of a hit and for look-ups by id. `cosine`
    compares its text with the question; None where no search did. `answers` is the margin by which the check for
    answerability exceeds its threshold, in logits; None where the check did not run.
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
    why: RankReasons | None = None
    is_hit: bool = False
    cosine: float | None = None
    answers: float | None = None


@dataclass(frozen=True, slots=True)
class SearchResults:
    """Search results, best first, and how many memories were left out because they are archived.

    `withheld` is how many of the nearest an agent may not see; None where the owner asks. `by_meaning_only`: no memory
    has a word of the query, so the results are merely the nearest in meaning.
    """

    items: tuple[Evidence, ...]
    archived: int
    by_meaning_only: bool
    withheld: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What a search may return. `as_of` asks what was true at a time, `known_at` what was known by a time.

    `since` and `until` bound when it was said, both inclusive. None does not filter; an empty `kinds` means all kinds.
    """

    user_id: str | None = None
    kinds: tuple[Kind, ...] = ()
    as_of: datetime | None = None
    known_at: datetime | None = None
    since: datetime | None = None
    until: datetime | None = None
    people: tuple[str, ...] = ()  # ids in any case of the one person to search for; none means everybody
    ended: bool = True  # with `as_of`: keep facts that had ended by then, as dated history
    archived: bool = False  # keep archived memories, too


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What the memory file holds.

    `pending` counts MemCells that wait to be formed, or for a model: `unformed` of them have no memories yet, and of
    `failed` ones the model gave no usable reply.
    """

    schema_version: int
    embedder: str
    dimension: int
    counts: dict[str, int]
    pending: int
    unformed: int
    failed: int
