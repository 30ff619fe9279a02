"""Student's t distribution without scipy: two-sided tail probabilities and quantiles.

Up to 1000 degrees of freedom the regularised incomplete beta function by its continued fraction
(Abramowitz & Stegun 26.5.8, evaluated by Lentz's method); beyond, expansions around the normal
distribution, exact to 1e-9 there.
"""

from functools import lru_cache
from math import erfc, exp, inf, lgamma, log, log1p, sqrt
from statistics import NormalDist
from typing import Final

__all__ = ["student_quantile", "student_tail"]

_LARGE: Final = 1000
_NORMAL: Final = NormalDist()
_TINY: Final = 1e-300
_PRECISION: Final = 1e-15


def _fraction(a: float, b: float, x: float) -> float:
    """Returns the continued fraction of I_x(a, b), which converges fast for x < (a+1)/(a+b+2)."""
    c, d = 1.0, 1.0 / max(1.0 - (a + b) * x / (a + 1), _TINY)
    result = d
    for m in range(1, 500):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for step in (even, odd):
            d = 1.0 / _away_from_zero(1.0 + step * d)
            c = _away_from_zero(1.0 + step / c)
            result *= c * d
        if abs(c * d - 1.0) < _PRECISION:
            break
    return result


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def _beta(a: float, b: float, x: float, rest: float) -> float:
    """Returns I_x(a, b); `rest` is 1 - x, given apart because it may be tiny."""
    if x <= 0.0:
        return 0.0
    if rest <= 0.0:
        return 1.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, rest) / b


def student_tail(t: float, freedom: int) -> float:
    """Returns the probability that |T| is at least |t|.

    Args:
        t: May be infinite.
        freedom: Degrees of freedom, at least 1.
    """
    if t in {inf, -inf}:
        return 0.0
    square = t * t
    if freedom > _LARGE:
        # Hill, CACM algorithm 395: t as a normal deviate.
        shifted = freedom - 0.5
        z2 = shifted * log1p(square / freedom)
        scale = 48 * shifted * shifted
        correction = ((-0.4 * z2 - 3.3) * z2 - 24) * z2 - 85.5
        z = sqrt(z2) * (1 + (z2 + 3 + correction / (0.8 * z2 * z2 + 100 + scale)) / scale)
        return erfc(z / sqrt(2))
    total = freedom + square
    return _beta(freedom / 2, 0.5, freedom / total, square / total)


@lru_cache(maxsize=4096)
def student_quantile(probability: float, freedom: int) -> float:
    """Returns t with P(T <= t) = probability.

    Args:
        probability: 0.5 to below 1.
        freedom: Degrees of freedom, at least 1.
    """
    z = _NORMAL.inv_cdf(probability)
    if freedom > _LARGE:
        # Cornish–Fisher, A&S 26.7.5.
        g1 = (z**3 + z) / 4
        g2 = (5 * z**5 + 16 * z**3 + 3 * z) / 96
        g3 = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
        return z + g1 / freedom + g2 / freedom**2 + g3 / freedom**3
    low, high = 0.0, 1.0
    while student_tail(high, freedom) > 2 * (1 - probability):
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if middle in {low, high}:
            break
        if student_tail(middle, freedom) > 2 * (1 - probability):
            low = middle
        else:
            high = middle
    return (low + high) / 2
