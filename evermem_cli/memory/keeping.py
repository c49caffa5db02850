"""What is kept and what is forgotten."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What is to be forgotten: by id, or the messages of a user's own chats that all the other marks fit.

    `ids` and `conversation` may be beginnings of ids. `words` are normalised as for the index; every one must occur.
    `before` is exclusive, `after` inclusive.
    """

    user_id: str
    ids: tuple[str, ...] = ()
    conversation: str | None = None
    person: str | None = None
    before: datetime | None = None
    after: datetime | None = None
    words: tuple[str, ...] = ()

    @property
    def marks(self) -> bool:
        """Whether anything but ids selects."""
        return any((self.conversation, self.person, self.before, self.after, self.words))


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """How many rows of each kind are forgotten; `pending` MemCells lost some messages and are to be formed anew."""

    counts: dict[str, int]
    pending: int

    @property
    def nothing(self) -> bool:
        """Whether nothing was selected."""
        return not any(self.counts.values())
