"""What `doctor` looks at: versions, models by hash, the memory file and its index. Changes nothing."""

import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from evermem_cli.cli.session import Session
from evermem_cli.cli.terminal import styled
from evermem_cli.cli.words import TOPICS, counted
from evermem_cli.engines import weights
from evermem_cli.errors import EvermemError, ExitCode

PARTS = ("evermem", "duckdb", "duckdb-extension-fts", "llama-cpp-python", "llguidance", "fastembed")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at: what was found, and what to do where it is not well."""

    name: str
    found: str
    advice: str = ""
    code: ExitCode = ExitCode.OK


def examine(session: Session) -> list[Check]:
    """All checks, in the order in which a first run needs them."""
    return [*_versions(), *_models(session), *_memory(session)]


def document(checks: Sequence[Check]) -> dict[str, Any]:
    """`doctor --json`."""
    described = [
        {"name": check.name, "ok": check.code is ExitCode.OK, "found": check.found, "advice": check.advice}
        for check in checks
    ]
    return {"ok": code(checks) is ExitCode.OK, "checks": described}


def screen(checks: Sequence[Check]) -> RenderableType:
    """A line each, with what to do next below it."""
    return Group(*(_line(check) for check in checks))


def code(checks: Sequence[Check]) -> ExitCode:
    """The exit code of the first thing that is not well."""
    return next((check.code for check in checks if check.code is not ExitCode.OK), ExitCode.OK)


def _line(check: Check) -> Text:
    mark = styled("ok  ", style="green") if check.code is ExitCode.OK else styled("bad ", style="red")
    line = mark + styled(f"{check.name}: {check.found}")
    return line + styled(f"\n    → {check.advice}") if check.advice else line


def _versions() -> Iterator[Check]:
    yield Check("versions", ", ".join(f"{part} {version(part)}" for part in PARTS))
    if version("duckdb") != version("duckdb-extension-fts"):
        yield Check("fts", "its version differs from duckdb's", "pip install evermem again", ExitCode.STORE)


def _models(session: Session) -> Iterator[Check]:
    for model in session.models_in_use():
        try:
            weights.verify(model, session.settings.models_dir)
            yield Check(model.name, "weights are as published")
        except EvermemError as error:
            yield Check(model.name, error.message, error.hint, error.exit_code)


def _memory(session: Session) -> Iterator[Check]:
    path = session.settings.db
    if not session.store.exists:
        yield Check("memory", f"{path}: none yet", "evermem ingest PATH")
        return
    try:
        found = session.status()
    except EvermemError as error:
        yield Check("memory", error.message, error.hint, error.exit_code)
        return
    counts = ", ".join(counted(count, TOPICS.get(name, name)) for name, count in found.counts.items() if count)
    yield Check("memory", f"{path}: schema {found.schema_version}, {counts or 'empty'}")
    yield _privacy(path)
    if found.embedder != session.settings.embedder:
        advice = f"use --embedder {found.embedder}, or another file with --db"
        yield Check("embedder", f"the file holds vectors of {found.embedder}", advice, ExitCode.STORE)
    waiting = f"{counted(found.pending, 'topics')} left for the language model, {found.failed} of them failed before"
    yield Check("enrichment", waiting, "evermem enrich") if found.pending else Check("enrichment", "complete")


def _privacy(path: Path) -> Check:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        return Check("privacy", f"others can read the file (mode {mode:o})", f"chmod 600 {path}")
    return Check("privacy", f"only you can read the file (mode {mode:o})")
