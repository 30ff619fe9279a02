"""The sequential test of a match: which of two entrants is better, told as soon as the deals can tell it.

With x the difference of a deal in points (positive: the first is better), n of them, their mean and variance:

    LLR = n (δ1 - δ0)(2 x̄ - δ0 - δ1) / (2 s²)      bounds  ln(β/(1-α)),  ln((1-β)/α)

Source: docs/fairness.md, "Formats". What is not here: which fixtures are played (`duel`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from math import log, sqrt
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kiery.tournament.entrant import refuse
from kiery.tournament.student import student_quantile

__all__ = ["Differences", "Lineup", "SequentialTest", "TestState", "TestVerdict"]

_CONFIDENCE: Final = 0.95
_NO_DOUBT: Final = 1e6
"""Stands for an infinite LLR, which JSON has no number for."""

_Points = Annotated[float, Field(strict=True, ge=-1000, le=1000, allow_inf_nan=False)]
_ErrorRate = Annotated[float, Field(strict=True, ge=0.0001, le=0.4, allow_inf_nan=False)]


class Lineup(Enum):
    """Who sits at the tables of a match besides A and B."""

    AABB = "aabb"
    """Nobody: each of the two holds half the seats, with a house bot where the number is odd."""
    ABHH = "abhh"
    """House bots in all other seats, for bots of which nobody may hold two seats."""


class TestVerdict(Enum):
    """What a sequential test has come to."""

    __test__ = False

    H0 = "H0"
    """The difference is δ0 rather than δ1."""
    H1 = "H1"
    """The difference is δ1 rather than δ0."""
    INCONCLUSIVE = "inconclusive"
    """Neither bound is crossed (yet)."""


class SequentialTest(BaseModel):
    """Two hypotheses about the difference of two entrants, and how often each may be missed."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    lineup: Lineup = Lineup.AABB
    """Who sits at the tables."""
    delta0: _Points = -0.5
    """Points a deal by which the first is better under H0."""
    delta1: _Points = 0.5
    """Points a deal by which the first is better under H1; more than delta0."""
    alpha: _ErrorRate = 0.05
    """Chance that H1 is accepted though H0 holds."""
    beta: _ErrorRate = 0.05
    """Chance that H0 is accepted though H1 holds."""
    least_units: Annotated[int, Field(strict=True, ge=2, le=1_000_000)] = 12
    """Deals before which nothing is accepted: the variance of fewer is known badly."""

    @model_validator(mode="after")
    def _check(self) -> "SequentialTest":
        if self.delta0 >= self.delta1:
            raise refuse(f"delta0 {self.delta0:g} is not below delta1 {self.delta1:g}: expected it to be")
        return self

    @property
    def lower(self) -> float:
        """The bound of the LLR at which H0 is accepted."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The bound of the LLR at which H1 is accepted."""
        return log((1 - self.beta) / self.alpha)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestState:
    """How a test stands after some deals."""

    __test__ = False

    units: int
    """Deals."""
    mean: float
    """Mean difference, points a deal; positive: the first is better. 0 before a result."""
    half_width: float | None
    """Half the 95 % interval of the mean by Student's t; none below two deals. It knows nothing of when the
    test was stopped, so after an early stop the estimate lies a little too far out."""
    llr: float
    """The log-likelihood ratio of H1 against H0."""
    verdict: TestVerdict
    """What the test has come to, if the deals end here."""


class Differences:
    """The sums that a test needs, added deal by deal in the order of the fixtures."""

    def __init__(self, test: SequentialTest) -> None:
        """Starts without deals."""
        self._test = test
        self._count = 0
        self._mean = 0.0
        self._squares = 0.0

    def add(self, differences: Iterable[float]) -> None:
        """Adds the differences of some deals (Welford: no loss where they are large and alike)."""
        for difference in differences:
            self._count += 1
            off = difference - self._mean
            self._mean += off / self._count
            self._squares += off * (difference - self._mean)

    def state(self) -> TestState:
        """Returns how the test stands."""
        test, count = self._test, self._count
        variance = self._squares / (count - 1) if count > 1 else 0.0
        llr = self._llr(variance)
        verdict = TestVerdict.INCONCLUSIVE
        if count >= test.least_units:
            if llr >= test.upper:
                verdict = TestVerdict.H1
            elif llr <= test.lower:
                verdict = TestVerdict.H0
        half_width = None
        if count > 1:
            half_width = student_quantile((1 + _CONFIDENCE) / 2, count - 1) * sqrt(variance / count)
        return TestState(units=count, mean=self._mean, half_width=half_width, llr=llr, verdict=verdict)

    def _llr(self, variance: float) -> float:
        test = self._test
        lean = 2 * self._mean - test.delta0 - test.delta1
        if not lean or not self._count:
            return 0.0
        if not variance:
            # Two bots that differ by the same in every deal leave no doubt, once there are enough deals.
            return _NO_DOUBT if lean > 0 else -_NO_DOUBT
        return self._count * (test.delta1 - test.delta0) * lean / (2 * variance)
