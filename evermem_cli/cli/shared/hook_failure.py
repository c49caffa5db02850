"""The last failure of the hook that ingests an assistant's session, kept beside the memory until it is made up for.

Nobody sees what the hook writes to stderr. The file has a time, a reason and what to do, and no words of a chat.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from shlex import quote
from typing import Any

from evermem_cli.config import Settings
from evermem_cli.errors import EvermemError, OutOfMemory, StoreError
from evermem_cli.memory import utc_text
from evermem_cli.terminal.visible import one_line
from evermem_cli.whole_files import make_folder, write_whole

SUFFIX = ".hook-failure"
LONGEST = 16_384  # characters of the file
LONGEST_REASON = 400
FORMING = "enrich"  # the command that makes up for a session of which no memories were formed
NOT_TAKEN_IN = "the last session of an assistant that ended was not ingested"
NOT_FORMED = "the last session of an assistant that ended is remembered, but the language model did not do its part"


@dataclass(frozen=True, slots=True, kw_only=True)
class HookFailure:
    """What failed, when (ISO 8601, UTC), why, and what to do. `settled_by` is a session's file, `FORMING` or blank."""

    what: str
    at: str
    reason: str
    advice: str
    settled_by: str

    def finding(self, zone: tzinfo) -> str:
        """What failed, when and why, on one line."""
        moment = datetime.fromisoformat(self.at).astimezone(zone)
        return one_line(f"{self.what} ({moment.day} {moment:%b %Y %H:%M}): {self.reason}")

    def line(self, zone: tzinfo) -> str:
        """The same, and what to do."""
        return one_line(f"{self.finding(zone)} → {self.advice}")

    def document(self) -> dict[str, str]:
        """The failure in JSON."""
        return {"at": self.at, "what": self.what, "reason": self.reason, "advice": self.advice}


@contextmanager
def kept(memory: Path, settled_by: str) -> Iterator[None]:
    """Keeps the error that the block raises, which passes on.

    A block that succeeds removes what was kept, unless it was of a session that is still there and was not ingested.
    """
    try:
        yield
    except Exception as error:
        keep(memory, error, settled_by)
        raise
    failure = _read(memory)
    if failure is None or failure.settled_by in (settled_by, FORMING) or not Path(failure.settled_by).is_file():
        remove(memory)


def keep(memory: Path, error: Exception, settled_by: str) -> None:
    """Keeps an error, if the place beside the memory can be written."""
    reason, hint = _explained(error)
    retry = f"`evermem {FORMING}`" if settled_by == FORMING else f"`evermem ingest {quote(settled_by or 'FILE')}`"
    failure = HookFailure(
        what=NOT_FORMED if settled_by == FORMING else NOT_TAKEN_IN,
        at=utc_text(datetime.now(UTC), "seconds"),
        reason=reason[:LONGEST_REASON],
        advice=f"{hint}, then {retry}" if hint else f"{retry} tries again",
        settled_by=settled_by,
    )
    with suppress(EvermemError):
        make_folder(memory.parent)
        write_whole(beside(memory), json.dumps(asdict(failure)).encode())


def last(settings: Settings) -> HookFailure | None:
    """The failure beside a memory, for its owner; None where there is none, or something else has its name."""
    return None if settings.agent else _read(settings.db)


def _read(memory: Path) -> HookFailure | None:
    from evermem_cli.store.file import side_files

    try:
        with open(side_files.opened(beside(memory)), encoding="utf-8") as file:
            known: Any = json.loads(file.read(LONGEST))
        failure = HookFailure(**known)
        datetime.fromisoformat(failure.at)
    except (OSError, ValueError, TypeError, StoreError):
        return None
    return failure


def settle(settings: Settings, *done: str) -> None:
    """Removes the failure if one of these files that were ingested, or `FORMING`, makes up for it."""
    failure = last(settings)
    if failure and failure.settled_by in done:
        remove(settings.db)


def remove(memory: Path) -> None:
    """Removes the failure of a memory's hook, if there is one."""
    with suppress(OSError):
        beside(memory).unlink(missing_ok=True)


def beside(memory: Path) -> Path:
    """Where the failure of a memory's hook is kept."""
    return memory.with_name(f"{memory.name}{SUFFIX}")


def _explained(error: Exception) -> tuple[str, str]:
    """Why and what to do. The text of a bug may quote a chat, so only its kind is told."""
    if OutOfMemory.explains(error):
        error = OutOfMemory()
    match error:
        case EvermemError():
            return error.message, error.hint
        case OSError(strerror=str(reason)):
            return reason, ""
        case _:
            return f"a fault of evermem ({type(error).__name__})", ""
