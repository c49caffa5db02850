"""What an agent may not see: how much of what the owner would be told is withheld, counted by ids for every door.

The store itself removes what an agent may not see (`store/privacy/veil.py`), for every query of every command. Whoever
tells an agent something asks here how much was left out: the command line, and any other server of the same memory.
"""

from collections.abc import Callable, Iterable
from enum import Enum, auto
from typing import Protocol, Self, TypeVar

from evermem_cli.store import Store


class Side(Protocol):
    """A memory as an agent or its owner sees it."""

    @property
    def store(self) -> Store:
        """The memory file, opened with the access of whoever asks."""

    def as_owner(self) -> Self:
        """The same memory as its owner sees it."""


class Counted(Enum):
    """How ids are counted.

    STORED: each is the id of a memory. SAID: so it is, but a message and what was drawn from it count once.
    WORKED_OUT: each is told by code alone, and the agent is told the rest of them.
    """

    STORED = auto()
    SAID = auto()
    WORKED_OUT = auto()


AnySide = TypeVar("AnySide", bound=Side)


def withheld(
    side: AnySide, ids_told: Callable[[AnySide], Iterable[str]], counted: Counted = Counted.STORED
) -> int | None:
    """How many of the ids that the owner would be told are withheld from the agent; None where the owner asks.

    Raises StoreError, StoreBusy.
    """
    if side.store.access is None:
        return None
    if counted is Counted.WORKED_OUT:
        return len(set(ids_told(side.as_owner())) - set(ids_told(side)))
    with side.store.read_withheld() as reader:
        if not reader.withholds():
            return 0  # what the owner would be told need not be looked for
    ids = set(ids_told(side.as_owner()))
    with side.store.read_withheld() as reader:
        return reader.count_unsaid(ids) if counted is Counted.SAID else reader.count_withheld(ids)
