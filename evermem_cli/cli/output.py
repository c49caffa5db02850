"""The one writer of results to stdout: a JSON document or a screen. stderr belongs to progress, notes and errors."""

import json
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import RenderableType

PIPED_WIDTH = 10_000  # a pipe has no width: nothing is wrapped or cut for whoever reads it


def show(document: Mapping[str, Any], screen: "RenderableType", *, as_json: bool) -> None:
    """Prints one line of JSON, or the screen; without colour where stdout is no terminal or NO_COLOR is set."""
    try:
        if as_json:
            sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
        else:
            _print(screen)
        sys.stdout.flush()
    except BrokenPipeError as error:  # the reader of the pipe has seen enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit from error


def write(text: str) -> None:
    """A piece of an answer, as soon as it is there."""
    sys.stdout.write(text)
    sys.stdout.flush()


def ignore(text: str) -> None:
    """Where a piece of an answer goes when the whole is printed as JSON."""


def _print(screen: "RenderableType") -> None:
    from rich.console import Console

    width = None if sys.stdout.isatty() else PIPED_WIDTH
    Console(highlight=False, markup=False, emoji=False, width=width, soft_wrap=not sys.stdout.isatty()).print(screen)
