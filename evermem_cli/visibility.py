"""Counts what is withheld from an agent, by the ids that the owner would get.

The store itself removes what an agent may not see (`store/privacy/withheld.py`), for every query of every command. The
command line and the MCP server ask here how much was left out.
"""

from collections.abc import Callable, Iterable
from enum import Enum, auto
from typing import Protocol, Self, TypeVar

from evermem_cli.store import Store


class Perspective(Protocol):
    """A memory as seen by an agent or by its owner."""

    @property
    def store(self) -> Store:
        """The memory file with the asker's access."""

    def as_owner(self) -> Self:
        """The same memory as its owner sees it."""


class CountedAs(Enum):
    """How ids are counted.

    STORED: each id is a memory. SAID: the same, but a message and what was derived from it count once. WORKED_OUT: code
    computes the ids, so the ids that the agent does not get are counted.
    """

    STORED = auto()
    SAID = auto()
    WORKED_OUT = auto()


AnyPerspective = TypeVar("AnyPerspective", bound=Perspective)


def withheld(
    perspective: AnyPerspective,
    ids_of_answer: Callable[[AnyPerspective], Iterable[str]],
    counted: CountedAs = CountedAs.STORED,
) -> int | None:
    """How many of the ids that the owner would get are withheld from the agent; None where the owner asks.

    Raises StoreError, StoreBusy.
    """
    if perspective.store.access is None:
        return None
    if counted is CountedAs.WORKED_OUT:
        return len(set(ids_of_answer(perspective.as_owner())) - set(ids_of_answer(perspective)))
    with perspective.store.read_withheld() as reader:
        if not reader.is_any():
            return 0  # what the owner would be told need not be looked for
    ids = set(ids_of_answer(perspective.as_owner()))
    with perspective.store.read_withheld() as reader:
        return reader.count_unsaid(ids) if counted is CountedAs.SAID else reader.count(ids)
