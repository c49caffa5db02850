"""The scale on which cosines are compared with weights and thresholds: that of the default embedder."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Takes the cosine c of another embedder to slope * c + shift. The default's own cosines stay as they are."""

    slope: float = 1.0
    shift: float = 0.0

    def own(self, cosine: float) -> float:
        """The embedder's own cosine that stands for this one of the default."""
        return (cosine - self.shift) / self.slope
