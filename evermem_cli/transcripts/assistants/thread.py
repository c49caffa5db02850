"""The visible branch of a conversation, in which edits and regenerations form a tree."""

from collections.abc import Mapping

BRANCHES = "of branches not shown"
BETWEEN_AGENTS = "between agents"


def visible(parents: Mapping[str, str | None], leaf: str) -> list[str]:
    """The ids from the root to `leaf`. A parent that is missing or repeated ends the branch."""
    way: dict[str, None] = {}
    at: str | None = leaf
    while at is not None and at in parents and at not in way:
        way[at] = None
        at = parents[at]
    return list(reversed(way))
