"""The checks of `doctor`: versions, models by hash or address, the memory file and its index. Changes nothing.

A language model behind an address is only asked which models its server has.
"""

import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import distributions, version
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.table import Table

from evermem_cli import __version__
from evermem_cli.cli.lookups.trials import UNTRIED, assigned
from evermem_cli.cli.presentation.screens import work_left
from evermem_cli.cli.shared import hook_failure
from evermem_cli.cli.shared.engines import NO_ENGINE, add_engine
from evermem_cli.cli.shared.formatting import TOPICS, counted
from evermem_cli.cli.shared.session import Session
from evermem_cli.cli.shared.terminal import styled
from evermem_cli.engines import weights
from evermem_cli.engines.catalog import Model
from evermem_cli.errors import EvermemError, ExitCode
from evermem_cli.extras import DISTRIBUTION
from evermem_cli.store.file import locks
from evermem_cli.trial.trial import MODEL

EXTENSIONS = ("duckdb-extension-fts", "duckdb-extension-httpfs")
PARTS = ("duckdb", *EXTENSIONS, "fastembed")
OF_EXTRAS = ("llama-cpp-python", "llguidance", "mcp", "keyring")

RESTORE = "restore a backup, or import an export into a new file"
SALVAGE = "restore a backup, or `evermem export --salvage -o FILE` and `evermem import FILE --db NEW`"


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check, and what to do if it is not well."""

    name: str
    finding: str
    advice: str = ""
    code: ExitCode = ExitCode.OK


def examine(session: Session, *, deep: bool = False) -> list[Check]:
    """All checks, in the order in which a first run needs them; `deep` reads the whole file."""
    whole = whole_file(session) if deep else []
    return [*_versions(), *_models(session), *_memory(session), *_hooks(session), *whole]


def document(checks: Sequence[Check]) -> dict[str, Any]:
    """`doctor --json`."""
    described = [
        {"name": check.name, "ok": check.code is ExitCode.OK, "found": check.finding, "advice": check.advice}
        for check in checks
    ]
    return {"ok": code(checks) is ExitCode.OK, "checks": described}


def screen(checks: Sequence[Check]) -> RenderableType:
    """One line per check, with what to do next below it."""
    rows = Table.grid(padding=(0, 2))
    for check in checks:
        mark = styled("ok", style="green") if check.code is ExitCode.OK else styled("bad", style="red")
        rows.add_row(mark, styled(f"{check.name}: {check.finding}" + f"\n→ {check.advice}" * bool(check.advice)))
    return rows


def code(checks: Sequence[Check]) -> ExitCode:
    """The exit code of the first failed check."""
    return next((check.code for check in checks if check.code is not ExitCode.OK), ExitCode.OK)


def _versions() -> Iterator[Check]:
    extras = [part for part in OF_EXTRAS if list(distributions(name=part))]
    installed = [f"evermem {__version__}", *(f"{part} {version(part)}" for part in (*PARTS, *extras))]
    yield Check("versions", ", ".join(installed))
    for extension in EXTENSIONS:
        if version("duckdb") != version(extension):
            yield Check(extension, "its version differs from duckdb's", f"install {DISTRIBUTION} again", ExitCode.STORE)


def _models(session: Session) -> Iterator[Check]:
    for model in session.engines.models_in_use():
        yield _weights(model, session.settings.models_dir)
    if not session.engines.has_llm:
        yield Check("engine", NO_ENGINE, f"{add_engine()}, or name a server's address with --llm")
        return
    try:
        endpoint = session.endpoint
        yield Check(endpoint.name, endpoint.description) if endpoint else _processors(session.settings.gpu_layers)
    except EvermemError as error:
        yield Check(session.settings.llm, error.message, error.hint, error.exit_code)
    for task, (who, why) in assigned(session).items():
        advice = f"evermem models try {session.settings.llm}" if why == UNTRIED else ""
        yield Check(task, f"done by {'the language model' if who == MODEL else who} ({why})", advice)


def _weights(model: Model, models_dir: Path) -> Check:
    if not model.files:
        return Check(model.name, f"{model.origin}; evermem pins no hash of it")
    try:
        weights.verify(model, models_dir)
        return Check(model.name, "weights are as published")
    except EvermemError as error:
        return Check(model.name, error.message, error.hint, error.exit_code)


def _processors(gpu_layers: int) -> Check:
    """What llama.cpp was compiled for, and which layers of the model go to a GPU."""
    from evermem_cli.engines.gguf import processors, uses_gpu

    layers = "all" if gpu_layers < 0 else f"{gpu_layers:,}"
    use = f"{layers} layers on the GPU (the setting gpu_layers)" if uses_gpu() else "the CPU alone is used"
    return Check("llama.cpp", f"compiled for {processors()}; {use}")


def _memory(session: Session) -> Iterator[Check]:
    path = session.settings.db
    if not session.store.exists:
        yield Check("memory", f"{path}: none yet", "evermem ingest PATH")
        return
    try:
        status = session.status()
    except EvermemError as error:
        yield Check("memory", error.message, error.hint, error.exit_code)
        return
    counts = ", ".join(counted(count, TOPICS.get(name, name)) for name, count in status.counts.items() if count)
    yield Check("memory", f"{path}: schema {status.schema_version}, {counts or 'empty'}")
    yield _privacy(path)
    if session.store.is_encrypted:
        yield Check("encryption", f"AES-256-GCM, with the key in {session.settings.key_path or 'the keyring'}")
    if status.embedder != session.engines.embedder_name:
        advice = f"use --embedder {status.embedder}, or `evermem embed` to give it other vectors"
        yield Check("embedder", f"the file holds vectors of {status.embedder}", advice, ExitCode.STORE)
    code_suffices = status.pending == status.unformed or session.engines.has_llm
    advice = "evermem enrich" if code_suffices else f"{add_engine()}, then `evermem enrich`"
    yield Check("enrichment", work_left(status), advice) if status.pending else Check("enrichment", "complete")


def _hooks(session: Session) -> Iterator[Check]:
    """What the hook of an assistant could not do, which nobody saw."""
    if failure := hook_failure.last(session.settings):
        yield Check("hooks", failure.finding(session.zone), failure.advice, ExitCode.FAILED)


def whole_file(session: Session) -> Iterator[Check]:
    """Checks every block and row of the file; nothing where there is no file."""
    if not session.store.exists:
        return
    try:
        with session.store.salvage() as opened:
            survey = opened.survey()
    except EvermemError as error:
        yield Check("blocks", f"nothing can be read: {error.message}", RESTORE, error.exit_code)
        return
    if survey.lacking:
        yield Check("tables", f"the file lacks {', '.join(survey.lacking)}", SALVAGE, ExitCode.STORE)
    if survey.miscounted:
        finding = f"the keyword index is wrong for {counted(survey.miscounted, 'memories')}"
        yield Check("index", finding, SALVAGE, ExitCode.STORE)
    if not survey.damaged and not survey.lost:
        read = f"all {survey.blocks} blocks and {survey.rows} rows" if survey.blocks else f"all {survey.rows} rows"
        yield Check("blocks", f"{read} are as they were written")
        return
    lost = ", ".join(f"{count} of {table}" for table, count in survey.lost.items())
    damage = f"{survey.damaged} of {survey.blocks} blocks are damaged, {survey.mended} of them can be mended"
    damage = damage if survey.blocks else "some blocks are damaged"
    saved = f"all {survey.rows} rows can be saved" if not lost else f"of {survey.rows} rows these are lost: {lost}"
    yield Check("blocks", f"{damage}; {saved}", SALVAGE, ExitCode.STORE)


def _privacy(path: Path) -> Check:
    mode = stat.S_IMODE(path.stat().st_mode)
    if locks.open_to_others(mode):
        return Check("privacy", f"others can read the file (mode {mode:o})", f"chmod 600 {path}")
    return Check("privacy", f"only you can read the file (mode {mode:o})")
