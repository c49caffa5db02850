"""The visible thread of a conversation whose edits and regenerations are branches of a tree."""

from collections.abc import Mapping

BRANCHES = "of branches not shown"
BETWEEN_AGENTS = "between agents"


def visible(parents: Mapping[str, str | None], leaf: str) -> list[str]:
    """The ids from the root to `leaf`; a parent that is not there, or comes again, is the end of the way."""
    way: dict[str, None] = {}
    at: str | None = leaf
    while at is not None and at in parents and at not in way:
        way[at] = None
        at = parents[at]
    return list(reversed(way))
