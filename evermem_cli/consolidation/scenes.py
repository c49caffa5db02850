"""Scenes: MemCells about one thing, close in time, by the cosine to a scene's centroid (the mean of its vectors).

MemCells are placed in order of time, so scenes depend only on the set of MemCells. One that arrives out of order is
rare; all scenes are then placed anew, which costs a product of two small matrices.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from evermem_cli.memory import Scene, content_id

Vector = NDArray[np.floating]


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A MemCell to be placed: its unit vector, shape (dimension,), and its time span."""

    event_id: str
    start_at: datetime
    end_at: datetime
    vector: Vector


@dataclass(slots=True, kw_only=True)
class SceneDraft:
    """A scene while it grows. `total` is the sum of its members' vectors, so that the mean is exact in any order."""

    scene_id: str
    total: Vector
    first_timestamp: datetime
    latest_timestamp: datetime
    previous_scene_id: str | None = None
    memcell_ids: list[str] = field(default_factory=list)

    @property
    def centroid(self) -> Vector:
        """The mean of its members, shape (dimension,)."""
        mean: Vector = self.total / len(self.memcell_ids)
        return mean


def place(
    members: Iterable[Member], scenes: Sequence[SceneDraft], threshold: float, max_gap: timedelta
) -> list[SceneDraft]:
    """`scenes` and new ones, with all `members` placed. No member may be older than the latest scene.

    A MemCell joins the most similar scene if the cosine exceeds `threshold` and it was said at most `max_gap` after
    that scene ended (zero: no limit). If only the gap is too long, it begins a new scene that continues the old one.
    """
    grown = list(scenes)
    for member in sorted(members, key=lambda member: (member.end_at, member.event_id)):
        cosines = _cosines(member.vector, grown)
        alike = [grown[i] for i in np.argsort(-cosines, kind="stable") if cosines[i] > threshold]
        fresh = [scene for scene in alike if not max_gap or member.start_at - scene.latest_timestamp <= max_gap]
        if fresh:
            _join(fresh[0], member)
        else:
            grown.append(_begin(member, alike[0] if alike else None))
    return grown


def _cosines(vector: Vector, scenes: Sequence[SceneDraft]) -> NDArray[np.float64]:
    if not scenes:
        return np.zeros(0)
    totals = np.stack([scene.total for scene in scenes]).astype(np.float64)
    lengths = np.linalg.norm(totals, axis=1)
    cosines: NDArray[np.float64] = totals @ vector.astype(np.float64) / np.where(lengths > 0, lengths, 1)
    return np.round(cosines, 6)  # rounds to the seven digits of float32, so that 0.7 equals 0.7


def _join(scene: SceneDraft, member: Member) -> None:
    scene.total = scene.total + member.vector
    scene.latest_timestamp = max(scene.latest_timestamp, member.end_at)
    scene.memcell_ids.append(member.event_id)


def _begin(member: Member, before: SceneDraft | None) -> SceneDraft:
    return SceneDraft(
        scene_id=content_id("scene", member.event_id),
        total=member.vector.copy(),
        first_timestamp=member.start_at,
        latest_timestamp=member.end_at,
        previous_scene_id=before.scene_id if before else None,
        memcell_ids=[member.event_id],
    )


def chains(scenes: Sequence[Scene]) -> dict[str, str]:
    """The first scene in the chain of each scene."""
    before = {scene.scene_id: scene.previous_scene_id for scene in scenes}
    first: dict[str, str] = {}
    for scene in before:
        start = scene
        while (previous := before[start]) in before:
            start = previous
        first[scene] = start
    return first
