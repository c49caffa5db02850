"""Confirmation before a command does something that is hard to undo."""

import sys

import typer

from evermem_cli.errors import UsageError


def confirm(question: str, *, yes: bool, instead: str = "add --yes, or look first with --dry-run") -> None:
    """Asks on a terminal, and stops if the answer is no.

    Raises UsageError where there is no terminal; `instead` says what to do then.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask on", instead)
    if not typer.confirm(question, err=True):
        raise typer.Exit(1)
