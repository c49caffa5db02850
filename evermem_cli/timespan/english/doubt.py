"""Marks what could be something else than a time."""

from collections.abc import Callable
from dataclasses import replace

from evermem_cli.timespan.interval import Reading


def bare(function: Callable[..., Reading | None]) -> Callable[..., Reading | None]:
    """A reading that needs company in running text ("2014" may be a price)."""

    def meaning(*values: object) -> Reading | None:
        found = function(*values)
        return found and replace(found, bare=True)

    return meaning
