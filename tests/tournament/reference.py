"""The standings once more, written from docs/fairness.md on dense matrices, one matrix a unit.

Shares nothing with the product but the rows of results.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg, stats

from kiery.tournament import DealRow


@dataclass
class Reference:
    theta: np.ndarray
    covariance: np.ndarray
    freedom: int

    def half_width(self, one: int, other: int) -> float:
        contrast = np.zeros(len(self.theta))
        contrast[one], contrast[other] = 1, -1
        return stats.t.ppf(0.975, self.freedom) * np.sqrt(contrast @ self.covariance @ contrast)


def reference(rows: Sequence[DealRow], entrants: int, bots: int) -> Reference:
    """Returns the fit; the parameter `bots` is the substitute; centred over the first `entrants`."""
    size = bots + 1
    units: dict[str, list[DealRow]] = defaultdict(list)
    for row in rows:
        units[row.unit].append(row)
    projections, nets = [], []
    for plays in units.values():
        p, y = np.zeros((size, size)), np.zeros(size)
        for row in plays:
            # Row s of A averages the seats of parameter s.
            a = np.zeros((size, len(row.seats)))
            for seat, bot in enumerate(row.seats):
                a[bots if seat in row.forfeited else bot, seat] = 1
            here = a.sum(axis=1) > 0
            a[here] /= a[here].sum(axis=1, keepdims=True)
            projection = np.diag(here.astype(float)) - np.outer(here, here) / here.sum()
            p += projection
            y += -projection @ a @ np.array(row.points, dtype=float)
        projections.append(p)
        nets.append(y)
    inverse = linalg.pinvh(sum(projections))
    theta = inverse @ sum(nets)
    residuals = np.array([y - p @ theta for p, y in zip(projections, nets, strict=True)])
    count = len(units)
    covariance = count / (count - 1) * inverse @ residuals.T @ residuals @ inverse
    seen = sum(np.diag(p) > 0 for p in projections) > 0
    centre = np.eye(size)
    centre[:, :entrants] -= 1 / entrants
    return Reference(centre @ theta, centre @ covariance @ centre.T, count - int(seen.sum()))
