"""The hooks of the assistants that have any: a brief when a session starts, ingestion when it ends.

The makers document the forms. Claude Code, Codex and Gemini CLI have groups of hooks by event, with a matcher for what
started the session; Gemini CLI counts milliseconds and compares the whole matcher, the others have seconds and a
pattern. Cursor has a plain list by event. Gemini CLI and Cursor take what a hook says as JSON, the others as text.
"""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from itertools import dropwhile
from pathlib import Path, PureWindowsPath
from typing import Any

from evermem_cli.errors import InputError

START, END = "session-start", "session-end"  # the commands below `evermem hook`
SECONDS = 20  # the longest that a client waits for a hook; a brief takes less than one
LONGEST_END = 3  # Codex allows no more at the end of a session; evermem only starts a process there
AFRESH = ("startup", "clear")  # what begins a session without a brief; a resumed one has it already
CONDENSED = "compact"  # a session that goes on without its beginning
NAME = "evermem"
VARIABLES = "EVERMEM_"  # what the names of evermem's environment variables begin with
OPTIONS = {"--as", "--db", "--user"}  # of a hook's command, each with a value
_CONVERSATION = re.compile(r"[\w-]+")

CommandOf = Callable[[str], str]  # the command line of an event
Hooks = dict[str, list[dict[str, Any]]]


def claude_code(command: CommandOf) -> Hooks:
    """The hooks in Claude Code's settings."""
    return _by_pattern(command, SECONDS)


def codex(command: CommandOf) -> Hooks:
    """The hooks in Codex's `hooks.json`."""
    return _by_pattern(command, LONGEST_END)


def gemini_cli(command: CommandOf) -> Hooks:
    """The hooks in Gemini CLI's settings."""
    start, end = (
        {"name": f"{NAME}-{event}", "type": "command", "command": command(event), "timeout": SECONDS * 1000}
        for event in (START, END)
    )
    return {
        "SessionStart": [{"matcher": source, "hooks": [start]} for source in AFRESH],
        "SessionEnd": [{"hooks": [end]}],
    }


def cursor(command: CommandOf) -> Hooks:
    """The hooks in Cursor's `hooks.json`."""
    return {
        "sessionStart": [{"command": command(START), "timeout": SECONDS}],
        "sessionEnd": [{"command": command(END), "timeout": SECONDS}],
    }


def _by_pattern(command: CommandOf, end_seconds: int) -> Hooks:
    start = {"type": "command", "command": command(START), "timeout": SECONDS}
    end = {"type": "command", "command": command(END), "timeout": end_seconds}
    return {
        "SessionStart": [{"matcher": "|".join([*AFRESH, CONDENSED]), "hooks": [start]}],
        "SessionEnd": [{"hooks": [end]}],
    }


def is_of_evermem(hook: Any) -> bool:
    """Whether a hook's command is evermem's own, with any path and values of options, and nothing else."""
    command = hook.get("command") if isinstance(hook, dict) else None
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return False
    match list(dropwhile(lambda word: word.startswith(VARIABLES), words)):
        case [_, "-m", "evermem_cli", "hook", event, *options]:
            pass
        case [program, "hook", event, *options] if PureWindowsPath(program).stem == NAME:
            pass
        case _:
            return False
    return event in (START, END) and len(options) % 2 == 0 and OPTIONS.issuperset(options[::2])


def wrapped(agent: str, brief: str) -> dict[str, Any] | None:
    """The JSON in which the agent's client expects a brief; None where it takes text."""
    if agent == "gemini-cli":
        return {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": brief}}
    if agent == "cursor":
        return {"additional_context": brief, "continue": True}
    return None


def transcript(event: Mapping[str, Any]) -> Path:
    """The session's file: the one that the event names, else the one that Cursor keeps of the conversation.

    Raises InputError that says what is wrong where there is none.
    """
    named = event.get("transcript_path")
    paths: Sequence[Path] = [Path(named).expanduser()] if isinstance(named, str) and named else _of_cursor(event)
    if not paths:
        raise InputError("the event names no transcript")
    path = paths[0]
    if path.suffix not in (".jsonl", ".json"):
        raise InputError(f"{path}: not a transcript, which would be a .jsonl or .json file")
    if not path.is_file():
        raise InputError(f"{path}: the transcript that the event names is not there")
    return path


def _of_cursor(event: Mapping[str, Any]) -> list[Path]:
    """Cursor's editor names no file, and its command line names none at the end of a session."""
    conversation = event.get("conversation_id")
    if not isinstance(conversation, str) or not _CONVERSATION.fullmatch(conversation):
        return []
    kept = (Path.home() / ".cursor" / "projects").glob(f"*/agent-transcripts/**/{conversation}.jsonl")
    return sorted(kept)
