"""Means with intervals where observations come in clusters that are not independent within.

With clusters of n_c observations that sum to s_c, and C clusters:

    m = Σ s_c / Σ n_c,   var(m) = C/(C-1) · Σ (s_c - m n_c)² / (Σ n_c)²,   interval m ± t(0.975, C-1) · √var

Source: docs/fairness.md, "Other intervals".
"""

from dataclasses import dataclass
from math import sqrt
from typing import Final

from kiery.tournament.student import student_quantile

__all__ = ["ClusteredMean"]

_UPPER: Final = 0.975
"""Of a 95 % interval."""


@dataclass(slots=True)
class ClusteredMean:
    """The sums from which a mean and its interval follow at any time."""

    clusters: int = 0
    """Clusters added, C."""
    count: int = 0
    """Observations, Σ n."""
    total: float = 0.0
    """Σ s."""
    count_squares: int = 0
    """Σ n²."""
    products: float = 0.0
    """Σ n s."""
    squares: float = 0.0
    """Σ s²."""

    def add(self, total: float, count: int = 1) -> None:
        """Adds a cluster of so many observations with this sum."""
        self.clusters += 1
        self.count += count
        self.total += total
        self.count_squares += count * count
        self.products += count * total
        self.squares += total * total

    @property
    def mean(self) -> float | None:
        """The mean; none without an observation."""
        return self.total / self.count if self.count else None

    @property
    def half_width(self) -> float | None:
        """Half the 95 % interval of the mean; none with fewer than two clusters."""
        mean = self.mean
        if mean is None or self.clusters < 2:
            return None
        spread = self.squares - 2 * mean * self.products + mean * mean * self.count_squares
        variance = self.clusters / (self.clusters - 1) * max(spread, 0.0) / self.count**2
        return student_quantile(_UPPER, self.clusters - 1) * sqrt(variance)
