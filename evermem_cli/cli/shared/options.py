"""Options shared by commands, and the interpretation of times on the command line."""

import os
from datetime import date, datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperOption
from typer.models import TyperPath

from evermem_cli.errors import ExitCode, UsageError
from evermem_cli.memory import AgentType

YEARS = range(200, 9800)  # two centuries are left at each end of the calendar for calculations with a time
MONTHS = range(1, 13)

Db = Annotated[
    str | None,  # a Path would make "/" of the "//" in an address
    typer.Option(
        "--db",
        metavar="FILE",
        click_type=TyperPath(readable=False),  # so that a shell completes it; the store says what is wrong with it
        help="The memory file, or ducklake:… for a shared memory.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
User = Annotated[
    str | None, typer.Option("--user", metavar="NAME", help="Use the memory of this user.", show_default=False)
]
Embedder = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="NAME",
        help="Embedder: a name of `evermem models list`, or of fastembed.",
        show_default=False,
    ),
]
Explain = Annotated[bool, typer.Option("--explain", help="Explain why each memory was chosen.")]
Llm = Annotated[
    str | None,
    typer.Option(
        "--llm", metavar="MODEL", help="Language model: a name, a GGUF file, or URL#MODEL.", show_default=False
    ),
]
AsOf = Annotated[
    str | None,
    typer.Option("--as-of", metavar="TIME", help='Ask what was true at that time: 2025-03-20, or "last May".'),
]
Archived = Annotated[bool, typer.Option("--archived", help="Include archived memories.")]
KnownAt = Annotated[
    str | None, typer.Option("--known-at", metavar="TIME", help="Use only what had been said by that time.")
]

Assistant = Annotated[
    AgentType | None,
    typer.Option(
        "--agent",
        metavar="TYPE",
        help=f"Only for this type of assistant: {', '.join(AgentType)}.",
        show_default=False,
    ),
]
Agent = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="AGENT",
        help="Read as this assistant: nothing private, what is sensitive only with --reason.",
        show_default=False,
    ),
]
Reason = Annotated[
    str | None,
    typer.Option(
        "--reason", metavar="TEXT", help="The assistant's reason, which unlocks sensitive memories.", show_default=False
    ),
]

Since = Annotated[
    str | None, typer.Option("--since", metavar="TIME", help="Only from that time on.", show_default=False)
]
Until = Annotated[str | None, typer.Option("--until", metavar="TIME", help="Only up to that time.", show_default=False)]
Ids = typer.Argument(metavar="ID…", help="Ids, or the beginnings of ids.")

Me = Annotated[
    list[str] | None,
    typer.Option("--me", metavar="NAME", help="Your name in these chats; repeatable.", show_default=False),
]
Tz = Annotated[
    str | None, typer.Option("--tz", metavar="ZONE", help="Time zone of times that name none.", show_default=False)
]
OwnTz = Annotated[
    str | None, typer.Option("--tz", metavar="ZONE", help="The time zone that you are in.", show_default=False)
]
ByCode = Annotated[
    bool, typer.Option("--no-llm", help="Form memories by code alone; the model's part is left to `evermem enrich`.")
]

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
IncludePrivate = Annotated[bool, typer.Option("--include-private", help="Include private memories.")]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]
NewKey = Annotated[
    Path | None,
    typer.Option("--new-key", metavar="FILE", help="Make a key and write it to this new file.", show_default=False),
]
Keyring = Annotated[bool, typer.Option("--keyring", help="Make a key and keep it in the system's keyring.")]


def path_of(given: str) -> Path:
    """The path that is given. Raises UsageError for an empty one, which would be the current directory."""
    if not given.strip():
        raise UsageError("a path is empty", "name a file or a folder; . is the current directory")
    return Path(given).expanduser()


def give_key_file(command: Any) -> None:
    """Adds --key-file to this command of typer's and all below it that have --db.

    The option is also set as EVERMEM_KEY_FILE, so that processes started by the command have it too.
    """
    for subcommand in getattr(command, "commands", {}).values():
        give_key_file(subcommand)
    if any(option.name == "db" for option in command.params):
        command.params.append(_key_file())


def _key_file() -> TyperOption:
    option: TyperOption = TyperOption(
        param_decls=["--key-file"],
        type=str,
        metavar="FILE",
        help="The file with the key of an encrypted memory.",
        expose_value=False,
        callback=_note_key_file,
    )
    return option


def _note_key_file(context: typer.Context, option: object, path: str | None) -> None:
    if path is not None:
        os.environ["EVERMEM_KEY_FILE"] = str(Path(path).expanduser().absolute())


def help_if_bare(context: typer.Context) -> None:
    """Prints the help where no subcommand is given."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(ExitCode.USAGE)


def moment(text: str | None, zone: tzinfo, *, end: bool) -> datetime | None:
    """A time of the command line: ISO 8601, or words such as "last May". A day or longer means its end or start.

    What was said is over, so a half-stated time ("May", "Friday") is the last one that has begun.

    Raises UsageError when it is not understood, or may be two days.
    """
    if text is None:
        return None
    _check_order(text)
    given = _written(text, zone, end=end) or _phrase(text, zone, end=end)
    if given.year not in YEARS:
        raise UsageError(f"{text}: not between the years {YEARS[0]} and {YEARS[-1]}", "name a time within these years")
    return given


def period(
    since: str | None, until: str | None, zone: tzinfo, names: tuple[str, str] = ("since", "until"), *, end: bool = True
) -> tuple[datetime | None, datetime | None]:
    """The first and the last moment between two times of the command line; None where no time is given.

    A day or longer as the later time means its end, or its start without `end`. Raises UsageError as `moment` does, and
    where no moment is between them. `names` are what a user calls them.
    """
    first, last = moment(since, zone, end=False), moment(until, zone, end=end)
    if first and last and last < first:
        raise UsageError(f"{names[0]} {since} is later than {names[1]} {until}", "give the earlier time first")
    return first, last


def _check_order(text: str) -> None:
    """Raises UsageError for figures that Americans read otherwise than Europeans: a command may delete by them."""
    parts = text.strip().split("/")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts) or len(parts[2]) not in {2, 4}:
        return
    first, second, year = map(int, parts)
    if first != second and {first, second} <= {*MONTHS}:
        days = [date(year + 2000 * (year < 100), *pair).isoformat() for pair in ((first, second), (second, first))]
        raise UsageError(f"{text}: the day or the month may stand first", f"write {days[0]} or {days[1]}")


def _written(text: str, zone: tzinfo, *, end: bool) -> datetime | None:
    """A time in ISO 8601."""
    try:
        given = datetime.fromisoformat(text)
    except ValueError:
        return None
    if len(text) <= len("2025-03-20"):
        is_week = "W" in text and len(text) <= len("2025-W13")
        rest = timedelta(days=6 if end and is_week and given.year in YEARS else 0)
        given = datetime.combine(given.date() + rest, time.max if end else time.min)
    return given if given.tzinfo else given.replace(tzinfo=zone)


def _phrase(text: str, zone: tzinfo, *, end: bool) -> datetime:
    from evermem_cli import timespan

    interval = timespan.resolve(text, datetime.now(zone), begun=True)
    if interval is None or (edge := interval.end if end else interval.start) is None:
        raise UsageError(f"{text}: not a time", 'write 2025-03-20, 2025-03-20T09:00, or words such as "last May"')
    return edge - timedelta(microseconds=1) if end else edge
