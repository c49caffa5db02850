"""Questions to the user on the terminal, above all before a command does something that is hard to undo."""

import sys

import typer

from evermem_cli.errors import Interrupted, Unconfirmed, UsageError

UNCHANGED = "nothing was changed"
ANSWERS = {"y": True, "yes": True, "n": False, "no": False, "": False}


def confirm(question: str, *, yes: bool, instead: str = "add --yes, or look first with --dry-run") -> None:
    """Asks on a terminal whether to go on.

    Raises Unconfirmed if the answer is no, Interrupted at Ctrl-C, and UsageError where there is no terminal; `instead`
    says what to do then.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask on", instead)
    try:
        while (agreed := ANSWERS.get(answer(f"{question} [y/N]:").lower())) is None:
            typer.echo("answer y or n", err=True)
    except KeyboardInterrupt:
        raise Interrupted(UNCHANGED) from None
    if not agreed:
        raise Unconfirmed(UNCHANGED)


def answer(question: str) -> str:
    """What the user types on the terminal, without the spaces around it; empty at Ctrl-D.

    Raises KeyboardInterrupt at Ctrl-C.
    """
    try:
        typer.echo(f"{question} ", nl=False, err=True)
        return input().strip()
    except EOFError:
        typer.echo(err=True)
        return ""
    except KeyboardInterrupt:
        typer.echo(err=True)
        raise
