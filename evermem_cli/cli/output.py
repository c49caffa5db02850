"""The one writer of results to stdout: a JSON document or a screen. stderr belongs to progress, notes and errors."""

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import RenderableType

PIPED_WIDTH = 10_000  # a pipe has no width: nothing is wrapped or cut for whoever reads it


def show(document: Mapping[str, Any], screen: "RenderableType", *, as_json: bool) -> None:
    """Prints one line of JSON, or the screen; without colour where stdout is no terminal or NO_COLOR is set."""
    if as_json:
        sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
    else:
        from rich.console import Console

        width = None if sys.stdout.isatty() else PIPED_WIDTH
        Console(highlight=False, markup=False, emoji=False, width=width, soft_wrap=not sys.stdout.isatty()).print(screen)
    sys.stdout.flush()
