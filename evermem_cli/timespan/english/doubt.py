"""Marks ambiguous readings."""

from collections.abc import Callable
from dataclasses import replace

from evermem_cli.timespan.interval import Reading


def bare(function: Callable[..., Reading | None]) -> Callable[..., Reading | None]:
    """A reading that needs supporting context in running text ("2014" may be a price)."""

    def meaning(*values: object) -> Reading | None:
        reading = function(*values)
        return reading and replace(reading, bare=True)

    return meaning
