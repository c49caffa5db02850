"""The command line: all commands, and the one place that turns errors into a line on stderr and an exit code."""

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress

import typer

from evermem_cli.cli import commands
from evermem_cli.cli.shared.command_groups import CommandGroups
from evermem_cli.cli.shared.options import give_key_file, help_if_bare
from evermem_cli.cli.shared.output import print_json
from evermem_cli.cli.shared.shared_copy import finish
from evermem_cli.errors import (
    DISK_IS_FULL,
    DiskFull,
    EvermemError,
    ExitCode,
    ModelError,
    OutOfMemory,
    StoreError,
    UsageError,
)
from evermem_cli.terminal.stopping import is_interruption
from evermem_cli.terminal.streams import ReaderGoneError
from evermem_cli.terminal.visible import is_text, one_line

# File errors that no other code can foresee. Any other OSError is a bug.
UNUSABLE_PLACES = frozenset(
    (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.ENOENT, errno.ELOOP, errno.ENAMETOOLONG)
)

app = typer.Typer(
    name="evermem",
    cls=CommandGroups,
    help="Private, offline memory of your own chats: one DuckDB file, local models, answers with citations.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
commands.register(app)


def _print_version(asked: bool) -> None:
    if asked:
        from evermem_cli import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    version: bool = typer.Option(
        False, "--version", help="Print the version and exit.", is_eager=True, callback=_print_version
    ),
) -> None:
    """Private, offline memory of your own chats: one DuckDB file, local models, answers with citations."""
    help_if_bare(context)


def main() -> None:
    """Runs the command line and exits with its code. Files that it creates are readable by their owner only."""
    os.umask(0o077)
    try:
        code = _outcome()
    except (KeyboardInterrupt, RuntimeError) as error:
        if not is_interruption(error):
            raise
        code = ExitCode.INTERRUPTED
        print("interrupted; all that was committed is kept", file=sys.stderr)  # noqa: T201
    sys.exit(code)


def _outcome() -> int:
    """The exit code of the command, after reporting an error."""
    try:
        _refuse_bytes(sys.argv[1:])
        command = typer.main.get_command(app)
        give_key_file(command)
        code: int | None = command(standalone_mode=False)
        code = finish() or code or ExitCode.OK
        sys.stdout.flush()
        if code == ExitCode.INTERRUPTED:
            raise KeyboardInterrupt
        return code
    except ReaderGoneError:
        return ExitCode.OK  # the reader has seen enough
    except Exception as error:
        return _report(_explained(error))


def _explained(error: Exception) -> EvermemError:
    """What the user is told of an error. A bug is raised again."""
    match error:
        case ModelError() | StoreError() if OutOfMemory.explains(error):
            return OutOfMemory()  # a model that does not fit is not damaged, and neither is a memory
        case EvermemError():
            return error
        case typer.TyperException():
            return _usage_error(error)
        case OSError(errno=code) if code in DISK_IS_FULL:
            return _full(error)
        case OSError(errno=code) if code in UNUSABLE_PLACES:
            place = os.fsdecode(error.filename or "cannot write")
            return EvermemError(
                f"{place}: {error.strerror}", "choose a place that can be written; --db names the memory file"
            )
        case _ if OutOfMemory.explains(error):
            return OutOfMemory()
    raise error


def _refuse_bytes(arguments: Sequence[str]) -> None:
    """Raises UsageError for an argument that is neither UTF-8 nor a file name, which may have any bytes."""
    for argument in arguments:
        if not is_text(argument) and not os.path.lexists(argument.rpartition("=")[2]):
            raise UsageError(f"{argument} is neither UTF-8 text nor a file", "write it in UTF-8")


def _report(error: EvermemError) -> ExitCode:
    print(f"evermem: {one_line(error.explanation)}", file=sys.stderr)  # noqa: T201
    if "--json" in sys.argv:
        with suppress(ReaderGoneError):
            print_json({"error": {"kind": error.kind, "message": error.message, "hint": error.hint}})
    return error.exit_code


def _full(error: OSError) -> EvermemError:
    """The error for a full disk; that of stdout where no file is named."""
    if error.filename:
        return DiskFull.at(error.filename, str(error.strerror))
    return DiskFull(f"cannot write: {error.strerror}", "free some space")


def _usage_error(error: typer.TyperException) -> UsageError:
    context = getattr(error, "ctx", None)
    hint = f"see `{context.command_path} --help`" if context else "see `evermem --help`"
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    return UsageError(message.replace("\n\t", " "), hint)  # choices come one a line
