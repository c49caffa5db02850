"""What happens when an assistant's session starts and ends. The assistant is never held up by it, nor made to fail."""

import json
import os
import subprocess
import sys
from pathlib import Path

from evermem_cli.cli.shared.output import show
from evermem_cli.cli.shared.session import Session
from evermem_cli.errors import EvermemError
from evermem_cli.mcp.brief import brief

POLITE = 10  # a session is taken in after whatever else the machine has to do


def greet(session: Session) -> None:
    """Prints the brief for the session's agent. What goes wrong is one line on stderr."""
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
    memory = ["--db", str(settings.db.absolute()), "--user", settings.user]
    nothing = subprocess.DEVNULL
    os.nice(POLITE)  # the new process has it too
    subprocess.Popen(
        [*command, *memory],
        env=os.environ | {"EVERMEM_OFFLINE": "1", "EVERMEM_AGENT": ""},  # nobody would see a download
        stdin=nothing,
        stdout=nothing,
        stderr=nothing,
        start_new_session=True,
    )


def _transcript(event: str) -> Path | None:
    """The file that the client says its session is written to."""
    try:
        path = Path(json.loads(event)["transcript_path"]).expanduser()
    except (ValueError, KeyError, TypeError):
        return None
    return path if path.suffix == ".jsonl" and path.is_file() else None
