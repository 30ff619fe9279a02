"""The fit: net points per deal by least squares over the field, with a variance clustered by unit.

With units c, y_c the nets of a unit's bots and P_c = I - J/b on them, summed over its plays:

    M = Σ P_c,  θ = M⁺ Σ y_c,  e_c = y_c - P_c θ,  V = C/(C-1) · M⁺ (Σ e_c e_cᵀ) M⁺

Source: docs/fairness.md, "Standings". What is not here: charges for forfeits, places (`standings`).
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kiery.tournament.tally import Pattern

__all__ = ["Fit", "fit"]

Floats = NDArray[np.float64]

_ZERO_EIGENVALUE: Final = 1e-10
"""Relative to the largest: M counts plays, so its smallest true eigenvalue is far above rounding."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fit:
    """Estimates by parameter; parameters without data have 0 everywhere."""

    theta: Floats
    """Net points per deal; the mean over the ranked of each field (see `field`) is 0."""
    covariance: Floats
    """Of theta, with the same centring; 0 where there is one unit only."""
    units: NDArray[np.int64]
    """Units of each parameter."""
    unit_count: int
    """All units, C."""
    freedom: int
    """Degrees of freedom, C minus the parameters with data; not positive: no interval can be given."""
    field: NDArray[np.int64]
    """Parameters with the same number have met, directly or through others; -1: no data. Only theirs
    can be compared."""


def fit(patterns: Collection[Pattern], size: int, ranked: int) -> Fit:
    """Returns the fit of what was tallied.

    Args:
        patterns: All units.
        size: Parameters.
        ranked: How many of the first parameters the centre is taken over.
    """
    informative = [pattern for pattern in patterns if len(pattern.bots) > 1]
    matrix, total = np.zeros((size, size)), np.zeros(size)
    units = np.zeros(size, dtype=np.int64)
    for pattern in informative:
        at = np.array(pattern.bots)
        matrix[np.ix_(at, at)] += pattern.count * pattern.projection
        total[at] += pattern.total
        units[at] += pattern.count
    inverse = np.linalg.pinv(matrix, rcond=_ZERO_EIGENVALUE, hermitian=True)
    theta = inverse @ total
    unit_count = sum(pattern.count for pattern in informative)
    covariance = np.zeros((size, size))
    if unit_count > 1:
        meat = _residual_squares(informative, theta)
        covariance = unit_count / (unit_count - 1) * (inverse @ meat @ inverse)
    fields = _fields(matrix, units)
    centre = _centring(fields, ranked)
    return Fit(
        theta=centre @ theta,
        covariance=centre @ covariance @ centre.T,
        units=units,
        unit_count=unit_count,
        freedom=unit_count - int((units > 0).sum()),
        field=fields,
    )


def _residual_squares(patterns: Sequence[Pattern], theta: Floats) -> Floats:
    """Returns Σ e eᵀ over all units.

    A pattern of n units with s = Σ y contributes Σ y yᵀ - s mᵀ - m sᵀ + n m mᵀ, where m = P θ.
    """
    meat = np.zeros((len(theta), len(theta)))
    by_size: defaultdict[int, list[Pattern]] = defaultdict(list)
    for pattern in patterns:
        by_size[len(pattern.bots)].append(pattern)
    for group in by_size.values():
        bots = np.array([pattern.bots for pattern in group])
        counts = np.array([pattern.count for pattern in group])
        totals = np.stack([pattern.total for pattern in group])
        means = np.einsum("gij,gj->gi", np.stack([pattern.projection for pattern in group]), theta[bots])
        cross = totals[:, :, None] * means[:, None, :]
        squares = np.stack([pattern.squares for pattern in group]) - cross - cross.transpose(0, 2, 1)
        squares += counts[:, None, None] * means[:, :, None] * means[:, None, :]
        np.add.at(meat, (bots[:, :, None], bots[:, None, :]), squares)
    return meat


def _fields(matrix: Floats, units: NDArray[np.int64]) -> NDArray[np.int64]:
    """Numbers the connected parts of the field, from 0, by whom M says to have met."""
    fields = np.full(len(units), -1, dtype=np.int64)
    met = matrix < -_ZERO_EIGENVALUE
    number = 0
    for start in np.flatnonzero(units):
        if fields[start] >= 0:
            continue
        fields[start] = number
        border = [int(start)]
        while border:
            reached = np.flatnonzero(met[border.pop()] & (fields < 0))
            fields[reached] = number
            border += reached.tolist()
        number += 1
    return fields


def _centring(fields: NDArray[np.int64], ranked: int) -> Floats:
    """Returns the matrix that subtracts the mean over the ranked of each field.

    House bots and the substitute play too, but the estimate of a substitute that sat in one deal must
    not shift everybody's.
    """
    centre = np.eye(len(fields))
    for number in range(int(fields.max(initial=-1)) + 1):
        members = np.flatnonzero(fields == number)
        anchors = members[members < ranked]
        if len(anchors):
            centre[np.ix_(members, anchors)] -= 1 / len(anchors)
    return centre
