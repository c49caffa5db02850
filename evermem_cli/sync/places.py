"""The order of a chat that all machines share. A message has a place: a moment and a number. The lower one wins."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby

from evermem_cli.store import Placed

Place = tuple[datetime, float]


def places(messages: Sequence[Placed]) -> dict[str, Place]:
    """A place for every message of whole chats in order. A new message gets one between its neighbours."""
    placed: dict[str, Place] = {}
    for _, members in groupby(messages, key=lambda message: message.chat):
        chat = [*members]
        before: Place | None = None
        for message, (after, waiting) in zip(chat, _ahead(chat), strict=True):
            before = message.place or _between(message, before, after, waiting)
            placed[message.id] = before
    return placed


def in_order(ids: Iterable[str], known: Mapping[str, Place]) -> list[str]:
    """Messages of one chat in the order that all machines share."""
    return sorted(ids, key=lambda message_id: (known[message_id], message_id))


def _ahead(chat: Sequence[Placed]) -> list[tuple[Place | None, int]]:
    """For each message the next place that is known, and how many messages before it have none."""
    ahead: list[tuple[Place | None, int]] = []
    after, waiting = None, 0
    for message in reversed(chat):
        after, waiting = (message.place, 0) if message.place else (after, waiting + 1)
        ahead.append((after, waiting))
    return ahead[::-1]


def _between(message: Placed, before: Place | None, after: Place | None, waiting: int) -> Place:
    """A place between two others that leaves room for `waiting` messages."""
    moment = max(message.said_at, before[0]) if before else message.said_at
    if after:
        moment = min(moment, after[0])
    low = before[1] if before and before[0] == moment else None
    high = after[1] if after and after[0] == moment else None
    match low, high:
        case None, None:
            return moment, float(message.ordinal)
        case float(), None:
            return moment, max(float(message.ordinal), low + 1)
        case None, float():
            return moment, min(float(message.ordinal), high - waiting)
        case _:
            assert low is not None and high is not None
            return moment, low + (high - low) / (waiting + 1)
