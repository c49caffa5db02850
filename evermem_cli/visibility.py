"""What an agent may not see: how much of what the owner would be told is withheld, counted by ids for every door.

The store itself removes what an agent may not see (`store/privacy/withheld.py`), for every query of every command.
The command line and the MCP server ask here how much was left out.
"""

from collections.abc import Callable, Iterable
from enum import Enum, auto
from typing import Protocol, Self, TypeVar

from evermem_cli.store import Store


class Perspective(Protocol):
    """A memory as an agent or its owner sees it."""

    @property
    def store(self) -> Store:
        """The memory file, opened with the access of whoever asks."""

    def as_owner(self) -> Self:
        """The same memory as its owner sees it."""


class CountedAs(Enum):
    """How ids are counted.

    STORED: each is the id of a memory. SAID: so it is, but a message and what was drawn from it count once.
    WORKED_OUT: each is told by code alone, and the agent is told the rest of them.
    """

    STORED = auto()
    SAID = auto()
    WORKED_OUT = auto()


AnyPerspective = TypeVar("AnyPerspective", bound=Perspective)


def withheld(
    perspective: AnyPerspective,
    ids_told: Callable[[AnyPerspective], Iterable[str]],
    counted: CountedAs = CountedAs.STORED,
) -> int | None:
    """How many of the ids that the owner would be told are withheld from the agent; None where the owner asks.

    Raises StoreError, StoreBusy.
    """
    if perspective.store.access is None:
        return None
    ids = set(ids_told(perspective.as_owner()))
    if counted is CountedAs.WORKED_OUT:
        return len(ids - set(ids_told(perspective)))
    with perspective.store.read_withheld() as reader:
        return reader.count_unsaid(ids) if counted is CountedAs.SAID else reader.count_withheld(ids)
