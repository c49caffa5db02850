"""The command line: commands by group, and the one gate that turns errors into a line on stderr and an exit code."""

import json
import os
import sys

import typer

from evermem_cli.cli import (
    connect,
    hook,
    inspecting,
    keeping,
    knowing,
    learning,
    mcp,
    models,
    recalling,
    relating,
    remembering,
    topics,
)
from evermem_cli.cli.output import let_go_of_stdout, one_line
from evermem_cli.errors import DISK_IS_FULL, DiskFull, EvermemError, ExitCode, UsageError

app = typer.Typer(
    name="evermem",
    help="Private, offline memory of your own chats: one DuckDB file, local models, answers with citations.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for group in (remembering, recalling, knowing, relating, learning, mcp, connect, hook, inspecting, keeping, topics):
    group.register(app)
app.add_typer(models.app, name="models")


@app.callback()
def options(
    version: bool = typer.Option(False, "--version", help="Print the version and stop.", is_eager=True),
) -> None:
    """Private, offline memory of your own chats: one DuckDB file, local models, answers with citations."""
    if version:
        from evermem_cli import __version__

        typer.echo(__version__)
        raise typer.Exit


def main() -> None:
    """Runs the command line and exits with its code. Every file made on the way is readable by its owner only."""
    os.umask(0o077)
    try:
        code = app(standalone_mode=False)
    except EvermemError as error:
        code = _report(error)
    except typer.TyperException as error:
        code = _report(_usage_error(error))
    except OSError as error:
        if error.errno not in DISK_IS_FULL:
            raise
        let_go_of_stdout()
        code = _report(_full(error))
    if code == ExitCode.INTERRUPTED:
        print("interrupted; all that was committed is kept", file=sys.stderr)  # noqa: T201
    sys.exit(code)


def _report(error: EvermemError) -> ExitCode:
    line = one_line(f"{error.message} ({error.hint})" if error.hint else error.message)
    print(f"evermem: {line}", file=sys.stderr)  # noqa: T201
    if "--json" in sys.argv:
        document = {"error": {"kind": error.kind, "message": error.message, "hint": error.hint}}
        print(json.dumps(document, ensure_ascii=False))  # noqa: T201
    return error.exit_code


def _full(error: OSError) -> EvermemError:
    """A disk that takes no more; where no file is named, it is that of stdout."""
    if error.filename:
        return DiskFull.at(error.filename, str(error.strerror))
    return DiskFull(f"cannot write: {error.strerror}", "free some space")


def _usage_error(error: typer.TyperException) -> UsageError:
    context = getattr(error, "ctx", None)
    hint = f"see `{context.command_path} --help`" if context else "see `evermem --help`"
    return UsageError(error.format_message() if hasattr(error, "format_message") else str(error), hint)
