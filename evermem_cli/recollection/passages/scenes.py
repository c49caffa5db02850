"""The scenes that hits belong to."""

from collections.abc import Sequence

from evermem_cli.memory import Evidence

SCENES = 5  # most scenes of real chats have one or two topics


def scenes_of(hits: Sequence[Evidence]) -> list[str]:
    """The best scenes, best first. A scene ranks like its best hit."""
    return list(dict.fromkeys(hit.scene for hit in hits if hit.scene))[:SCENES]
