"""The nouns of the system: what is read, what is remembered, what is found. Times are aware UTC datetimes."""

from evermem_cli.memory.chats import (
    ChatKind,
    Conversation,
    Finding,
    Message,
    Problem,
    Role,
    Skipped,
    TimeSource,
    Transcript,
    Turn,
    content_id,
)
from evermem_cli.memory.consolidated import Assertion, Conflict, Happening, Profile, ProfileFact, Scene, Stance, Trait
from evermem_cli.memory.findings import Evidence, Filter, Kind, Mode, Status, Why
from evermem_cli.memory.keeping import Forgotten, Selection
from evermem_cli.memory.traces import CellContents, Episode, Extraction, Fact, Foresight, MemCell, Policy, Traces

__all__ = [
    "Assertion",
    "CellContents",
    "ChatKind",
    "Conflict",
    "Conversation",
    "Episode",
    "Evidence",
    "Extraction",
    "Fact",
    "Filter",
    "Finding",
    "Foresight",
    "Forgotten",
    "Happening",
    "Kind",
    "MemCell",
    "Message",
    "Mode",
    "Policy",
    "Problem",
    "Profile",
    "ProfileFact",
    "Role",
    "Scene",
    "Selection",
    "Skipped",
    "Stance",
    "Status",
    "TimeSource",
    "Traces",
    "Trait",
    "Transcript",
    "Turn",
    "Why",
    "content_id",
]
