"""What `doctor` looks at: versions, models by hash or address, the memory file and its index. Changes nothing.

Where the language model is behind an address, its server is asked what it has, and nothing else.
"""

import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from evermem_cli.cli.shared.formatting import TOPICS, counted
from evermem_cli.cli.shared.session import Session
from evermem_cli.cli.shared.terminal import styled
from evermem_cli.engines import weights
from evermem_cli.errors import EvermemError, ExitCode

EXTENSIONS = ("duckdb-extension-fts", "duckdb-extension-httpfs")
PARTS = ("evermem", "duckdb", *EXTENSIONS, "llama-cpp-python", "llguidance", "fastembed")

RESTORE = "restore a backup, or import an export into a new file"
SALVAGE = "restore a backup, or `evermem export --salvage -o FILE` and `evermem import FILE --db NEW`"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at: what was found, and what to do where it is not well."""

    name: str
    found: str
    advice: str = ""
    code: ExitCode = ExitCode.OK


def examine(session: Session, *, deep: bool = False) -> list[Check]:
    """All checks, in the order in which a first run needs them; `deep` reads the whole file."""
    return [*_versions(), *_models(session), *_memory(session), *(whole_file(session) if deep else [])]


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
    for extension in EXTENSIONS:
        if version("duckdb") != version(extension):
            yield Check(extension, "its version differs from duckdb's", "pip install evermem again", ExitCode.STORE)


def _models(session: Session) -> Iterator[Check]:
    for model in session.engines.models_in_use():
        try:
            weights.verify(model, session.settings.models_dir)
            yield Check(model.name, "weights are as published")
        except EvermemError as error:
            yield Check(model.name, error.message, error.hint, error.exit_code)
    try:
        if endpoint := session.endpoint:
            yield Check(endpoint.name, endpoint.description)
    except EvermemError as error:
        yield Check(session.settings.llm, error.message, error.hint, error.exit_code)


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
    if session.store.is_encrypted:
        yield Check("encryption", f"AES-256-GCM, with the key in {session.settings.key_path or 'the keyring'}")
    if found.embedder != session.settings.embedder:
        advice = f"use --embedder {found.embedder}, or another file with --db"
        yield Check("embedder", f"the file holds vectors of {found.embedder}", advice, ExitCode.STORE)
    waiting = f"{counted(found.pending, 'topics')} left for the language model, {found.failed} of them failed before"
    yield Check("enrichment", waiting, "evermem enrich") if found.pending else Check("enrichment", "complete")


def whole_file(session: Session) -> Iterator[Check]:
    """Every block and row of the file; nothing where there is none."""
    if not session.store.exists:
        return
    try:
        with session.store.salvage() as opened:
            found = opened.survey()
    except EvermemError as error:
        yield Check("blocks", f"nothing can be read: {error.message}", RESTORE, error.exit_code)
        return
    if not found.damaged and not found.lost:
        read = f"all {found.blocks} blocks and {found.rows} rows" if found.blocks else f"all {found.rows} rows"
        yield Check("blocks", f"{read} are as they were written")
        return
    lost = ", ".join(f"{count} of {table}" for table, count in found.lost.items())
    told = f"{found.damaged} of {found.blocks} blocks are damaged, {found.mended} of them can be mended"
    told = told if found.blocks else "some blocks are damaged"
    saved = f"all {found.rows} rows can be saved" if not lost else f"of {found.rows} rows these are lost: {lost}"
    yield Check("blocks", f"{told}; {saved}", SALVAGE, ExitCode.STORE)


def _privacy(path: Path) -> Check:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        return Check("privacy", f"others can read the file (mode {mode:o})", f"chmod 600 {path}")
    return Check("privacy", f"only you can read the file (mode {mode:o})")
