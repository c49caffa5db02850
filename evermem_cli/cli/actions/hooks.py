"""What happens when an assistant's session starts and ends. It neither delays the assistant nor makes it fail."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evermem_cli.cli.shared import hook_failure
from evermem_cli.cli.shared.forming import form_by_code, form_with_model, model_forms
from evermem_cli.cli.shared.output import show
from evermem_cli.config import Settings
from evermem_cli.errors import EvermemError, InputError, ModelError
from evermem_cli.mcp.client_hooks import transcript, wrapped
from evermem_cli.terminal.visible import one_line

if TYPE_CHECKING:
    from evermem_cli.cli.shared.session import Session  # the end of a session is quicker without
    from evermem_cli.intake.reports import InputReport

POLITE = 10  # the priority of ingestion, lower than that of other programs
LOCK = "hooks.lock"  # in the folder of the models, which is what several processes would load


def greet(session: "Session") -> None:
    """Prints the brief for the session's agent. An error is one line on stderr."""
    from evermem_cli.mcp.brief import brief

    if not session.store.exists:
        return
    settings = session.settings
    try:
        text = brief(session.on_behalf_of(settings.agent, settings.reason, "hook session-start"))
        document = wrapped(settings.agent, text)
        show(document or {}, text, as_json=document is not None)
    except EvermemError as error:
        session.note(f"evermem: {error.message}")


def take_in(settings: Settings) -> None:
    """Starts `hook ingest` of the transcript that the event names, and does not wait for it."""
    try:
        path = transcript(_event(sys.stdin.read()))
        _start(settings, path)
    except (EvermemError, OSError) as error:
        hook_failure.keep(settings.db, error, "")
        sys.stderr.write(f"evermem: {one_line(str(error))}\n")


def ingest(session: "Session", path: Path) -> None:
    """Ingests a session at once. Memories are formed of this session alone: what is put off stays put off.

    A language model fills gigabytes, and several sessions may end together, so each waits for its turn. What fails is
    kept for `status` and `doctor`. Raises EvermemError.
    """
    from filelock import FileLock

    memory = session.settings.db
    with hook_failure.kept(memory, str(path.absolute())):
        chats = _searchable(session, path.absolute())
    if not model_forms(session):
        return
    with hook_failure.kept(memory, hook_failure.FORMING), FileLock(session.settings.models_dir / LOCK, mode=0o600):
        _form(session, chats)


def _start(settings: Settings, path: Path) -> None:
    command = [sys.executable, "-m", "evermem_cli", "hook", "ingest", str(path)]
    memory = ["--db", settings.memory, "--user", settings.user]
    nothing = subprocess.DEVNULL
    subprocess.Popen(
        [*command, *memory],
        env=os.environ | {"EVERMEM_OFFLINE": "1", "EVERMEM_AGENT": ""},  # nobody would see a download
        stdin=nothing,
        stdout=nothing,
        stderr=nothing,
        **_apart(),
    )


def _searchable(session: "Session", path: Path) -> set[str]:
    """Stores the chats of a session; returns their ids, none where nobody said anything in it.

    Raises EvermemError, also where nothing could be read.
    """
    from evermem_cli.cli.actions.intake import Intake
    from evermem_cli.intake.reports import Choice

    intake = Intake.of(session, [str(path)], session.reading(None, None, None), Choice())
    reports = intake.ingest()
    if any(report.status == "failed" and not _is_silent(report, path) for report in reports):
        raise InputError("no message of it could be read", path=path)
    chats = {chat for report in reports for chat in report.conversation_ids}
    form_by_code(session, chats=chats)
    return chats


def _is_silent(report: "InputReport", path: Path) -> bool:
    """Whether a session of which nothing was read has nothing to read: somebody opened it and left."""
    return not report.problems and (bool(report.skipped) or (path.is_file() and not path.stat().st_size))


def _form(session: "Session", chats: set[str]) -> None:
    """Forms memories of these chats. Raises EvermemError, without the words of a server, which may quote a chat."""
    try:
        form_with_model(session, chats=chats)
    except ModelError as error:
        raise ModelError("the language model failed") from error


def _apart() -> dict[str, Any]:
    """The options for a process that continues by itself with a low priority."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.BELOW_NORMAL_PRIORITY_CLASS | subprocess.CREATE_NEW_PROCESS_GROUP}
    os.nice(POLITE)  # the new process has a copy of it
    return {"start_new_session": True}


def _event(text: str) -> Mapping[str, Any]:
    """What the client says of the session; nothing where that is no JSON object."""
    try:
        event = json.loads(text)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}
