"""Options that several commands share, and how the command line's moments are understood."""

import os
from datetime import datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperOption

from evermem_cli.errors import ExitCode, UsageError
from evermem_cli.memory import AgentType

YEARS = range(200, 9800)  # two centuries on each side of the calendar, for what is counted from a time

Db = Annotated[Path | None, typer.Option("--db", help="The memory file.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
User = Annotated[str | None, typer.Option("--user", help="Whose memory.", show_default=False)]
Embedder = Annotated[str | None, typer.Option("--embedder", help="Embedding model.", show_default=False)]
Explain = Annotated[bool, typer.Option("--explain", help="Tell why each memory was chosen.")]
Llm = Annotated[
    str | None, typer.Option("--llm", help="Language model: name, path of a GGUF, or URL#MODEL.", show_default=False)
]
AsOf = Annotated[
    str | None, typer.Option("--as-of", metavar="TIME", help='What was true then: 2025-03-20, or "last May".')
]
Archived = Annotated[bool, typer.Option("--archived", help="What has faded from memory, too.")]
KnownAt = Annotated[str | None, typer.Option("--known-at", metavar="TIME", help="Only what had been told by then.")]

Assistant = Annotated[
    AgentType | None, typer.Option("--agent", help="Only of this type of assistant.", show_default=False)
]
Agent = Annotated[
    str | None,
    typer.Option("--as", metavar="AGENT", help="Read on behalf of an agent: no private memories.", show_default=False),
]
Reason = Annotated[
    str | None, typer.Option("--reason", help="What for: opens what is sensitive to the agent.", show_default=False)
]

Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]
NewKey = Annotated[
    Path | None, typer.Option("--new-key", metavar="FILE", help="Make a key in a new file.", show_default=False)
]
Keyring = Annotated[bool, typer.Option("--keyring", help="Make a key in the system's keyring.")]


def give_key_file(command: Any) -> None:
    """Adds --key-file to each command of typer's, below and including this one, that has --db.

    It counts as EVERMEM_KEY_FILE, so that processes that the command starts know it too.
    """
    for each in getattr(command, "commands", {}).values():
        give_key_file(each)
    if any(option.name == "db" for option in command.params):
        command.params.append(_key_file())


def _key_file() -> TyperOption:
    option: TyperOption = TyperOption(
        param_decls=["--key-file"],
        type=str,
        metavar="FILE",
        help="The key of an encrypted memory file.",
        expose_value=False,
        callback=_note_key_file,
    )
    return option


def _note_key_file(context: typer.Context, option: object, path: str | None) -> None:
    if path is not None:
        os.environ["EVERMEM_KEY_FILE"] = str(Path(path).expanduser().absolute())


def help_if_bare(context: typer.Context) -> None:
    """Tells what there is, where no command is named."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(ExitCode.USAGE)


def moment(text: str | None, zone: tzinfo, *, end: bool) -> datetime | None:
    """A time given on the command line: ISO 8601, or words such as "last May"; a day or longer means its end or start.

    Raises UsageError when it is not understood.
    """
    if text is None:
        return None
    given = _written(text, zone, end=end) or _phrase(text, zone, end=end)
    if given.year not in YEARS:
        raise UsageError(f"{text}: not between the years {YEARS[0]} and {YEARS[-1]}", "name a time that chats know")
    return given


def _written(text: str, zone: tzinfo, *, end: bool) -> datetime | None:
    """A time in ISO 8601."""
    try:
        given = datetime.fromisoformat(text)
    except ValueError:
        return None
    if len(text) <= len("2025-03-20"):
        given = datetime.combine(given.date(), time.max if end else time.min)
    return given if given.tzinfo else given.replace(tzinfo=zone)


def _phrase(text: str, zone: tzinfo, *, end: bool) -> datetime:
    from evermem_cli import timespan

    interval = timespan.resolve(text, datetime.now(zone))
    if interval is None or (edge := interval.end if end else interval.start) is None:
        raise UsageError(f"{text}: not a time", 'write 2025-03-20, 2025-03-20T09:00, or words such as "last May"')
    return edge - timedelta(microseconds=1) if end else edge
