"""Look-ups of what is expected: still ahead, or over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from evermem_cli.cli.lookups.memories import Listing, listing
from evermem_cli.cli.shared.session import Session
from evermem_cli.errors import ModelError
from evermem_cli.memory import Filter, Foresight, wall

if TYPE_CHECKING:
    from evermem_cli.store import Searcher

ENDLESS = timedelta(days=30)  # for so long after its beginning what has no end is still to be expected


def foresights(session: Session, now: datetime, days: int | None, *, expired: bool) -> Listing:
    """Foresights that are open at `now` and begin within `days`, or those that are over or called off, by start."""
    latest = None if days is None else now + timedelta(days=days)
    with session.store.read() as reader:
        ahead, over, off = _told(session, reader, now)
        within = [item for item in ahead if latest is None or item.start_time <= latest]
        return _by_start([*over, *off] if expired else within, reader)


def ever_expected(session: Session, now: datetime) -> Listing:
    """Foresights that are open or over, without those that were called off, by start."""
    with session.store.read() as reader:
        ahead, over, _ = _told(session, reader, now)
        return _by_start([*over, *ahead], reader)


def ahead(listed: Listing, now: datetime) -> Listing:
    """Those of open foresights that are still to be expected."""
    return replace(
        listed, items=tuple(item for item in listed.items if isinstance(item, Foresight) and is_ahead(item, now))
    )


def is_ahead(item: Foresight, now: datetime) -> bool:
    """Whether something open is still to be expected: without an end it is for `ENDLESS` after its beginning."""
    return item.end_time is not None or item.start_time >= now - ENDLESS


def _told(
    session: Session, reader: Searcher, now: datetime
) -> tuple[Sequence[Foresight], Sequence[Foresight], Sequence[Foresight]]:
    """The foresights told by `now` that are ahead, over, and called off."""
    from evermem_cli.recollection.foresights import Expected, as_changed
    from evermem_cli.recollection.memory_view import MemoryView

    memory = MemoryView(session.store, Filter(user_id=session.settings.user, as_of=now), now)
    known = (item for item in listing(session, "foresights").items if isinstance(item, Foresight))
    known_then = [item for item in known if item.said_at <= now]
    over, still = [item for item in known_then if _is_over(item, now)], [i for i in known_then if not _is_over(i, now)]
    try:
        expected = as_changed(still, memory, reader, session.question_embedder) if still else Expected([], [])
    except ModelError as error:
        session.engines.note_once(f"{error.message}, so what was moved or called off is shown as planned; {error.hint}")
        expected = Expected(still, [])
    ahead = [item for item in expected.ahead if not _is_over(item, now)]
    over += [item for item in expected.ahead if _is_over(item, now)]  # moved to a day that is past
    return ahead, over, expected.off


def _is_over(item: Foresight, now: datetime) -> bool:
    return item.end_time is not None and item.end_time < now


def _by_start(items: Sequence[Foresight], reader: Searcher) -> Listing:
    messages = reader.messages.by_id({message_id for item in items for message_id in item.message_ids})
    ordered: list[Foresight] = sorted(items, key=lambda item: wall(item.start_time))
    return Listing(items=tuple(ordered), messages=messages)
