"""Recommends a language model for a machine, by the machine's memory and by trials of the installed models."""

import ctypes
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from evermem_cli.config import Settings
from evermem_cli.engines.llm import usable_cores
from evermem_cli.trial.items import Task
from evermem_cli.trial.trial import LEAST, Trial

# Bytes that a model needs beside its weights, for its context and the rest of evermem.
BESIDE = 1_500_000_000
# Tokens a second, read and written. Below this a question, which has about a thousand, takes minutes.
SLOW = 10.0


class MemoryStatus(ctypes.Structure):
    """The `MEMORYSTATUSEX` that Windows fills in; see `GlobalMemoryStatusEx` in its reference."""

    _fields_ = (
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("physical", ctypes.c_uint64),
        ("others", ctypes.c_uint64 * 6),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A language model of the catalogue. `here`: it is installed. `fits` is None where the memory is unknown."""

    name: str
    size: int
    here: bool
    fits: bool | None
    trial: Trial | None

    @property
    def quality(self) -> float:
        """The mean share of passed items over the tasks that were tried; 0 where none was."""
        shares = [self.trial.share(task) for task in Task] if self.trial else []
        tried = [share for share in shares if share is not None]
        return sum(tried) / len(tried) if tried else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """The candidates, the machine's memory in bytes (None: unknown) and cores, and the chosen model with the reason."""

    candidates: tuple[Candidate, ...]
    memory: int | None
    cores: int
    chosen: str | None
    reason: str


def fits(size: int, memory: int | None) -> bool | None:
    """Whether a model of so many bytes can run in so much memory; None where that is unknown."""
    return None if memory is None else size + BESIDE <= memory


def recommended(candidates: Sequence[Candidate], memory: int | None) -> Recommendation:
    """The best tried model that is fast enough, else the fastest good one, else the default."""
    chosen, reason = _choice([candidate for candidate in candidates if candidate.fits is not False])
    return Recommendation(
        candidates=tuple(candidates), memory=memory, cores=usable_cores(), chosen=chosen, reason=reason
    )


def _choice(candidates: Sequence[Candidate]) -> tuple[str | None, str]:
    paces = {candidate.name: candidate.trial.pace for candidate in candidates if candidate.trial}
    good = [candidate for candidate in candidates if candidate.quality >= LEAST]
    if fast := [candidate for candidate in good if paces[candidate.name] >= SLOW]:
        best = max(fast, key=lambda candidate: (candidate.quality, -candidate.size))
        return best.name, f"it passed {best.quality:.0%} of the items here, the most of the installed models"
    if good:
        best = max(good, key=lambda candidate: paces[candidate.name])
        return best.name, "it is the fastest here that passes half of the items, and slow"
    if default := next((candidate for candidate in candidates if candidate.name == Settings().llm), None):
        why = "no installed model passes half of the items" if paces else "no model was tried here"
        how = "" if default.here else f"; `evermem models pull {default.name}` fetches it"
        return default.name, f"{why}; this one is measured, and fits into memory{how}"
    return None, "no model of the catalogue fits into memory: name a server's address, or go without (`--no-llm`)"


def machine_memory() -> int | None:
    """The bytes of this machine's memory; None where the system does not say."""
    if sys.platform == "win32":
        status = MemoryStatus(length=ctypes.sizeof(MemoryStatus))
        return int(status.physical) if ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)) else None
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return None
