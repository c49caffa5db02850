"""What happens when an assistant's session starts and ends. It neither delays the assistant nor makes it fail."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from evermem_cli.cli.shared.output import show
from evermem_cli.cli.shared.session import Session
from evermem_cli.errors import EvermemError
from evermem_cli.mcp.brief import brief

POLITE = 10  # the priority of ingestion, lower than that of other programs


def greet(session: Session) -> None:
    """Prints the brief for the session's agent. An error is one line on stderr."""
    if not session.store.exists:
        return
    settings = session.settings
    try:
        show({}, brief(session.on_behalf_of(settings.agent, settings.reason, "hook session-start")), as_json=False)
    except EvermemError as error:
        session.note(f"evermem: {error.message}")


def take_in(session: Session) -> None:
    """Starts `ingest` of the transcript that the event names, and does not wait for it."""
    transcript = _transcript(sys.stdin.read())
    if transcript is None:
        session.note("evermem: the event names no transcript")
        return
    settings = session.settings
    command = [sys.executable, "-m", "evermem_cli", "ingest", str(transcript)]
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


def _apart() -> dict[str, Any]:
    """The options for a process that continues by itself with a low priority."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.BELOW_NORMAL_PRIORITY_CLASS | subprocess.CREATE_NEW_PROCESS_GROUP}
    os.nice(POLITE)  # the new process has a copy of it
    return {"start_new_session": True}


def _transcript(event: str) -> Path | None:
    """The transcript file that the client names."""
    try:
        path = Path(json.loads(event)["transcript_path"]).expanduser()
    except (ValueError, KeyError, TypeError):
        return None
    return path if path.suffix == ".jsonl" and path.is_file() else None
