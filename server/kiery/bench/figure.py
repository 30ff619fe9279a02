"""A measured figure: its value, the floor beside it, and the target that it is held to."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import median

__all__ = ["Figure", "Goal", "Of", "Point", "measured"]


class Of(Enum):
    """What a goal bounds."""

    VALUE = "value"
    """The figure itself."""
    RATIO = "ratio"
    """The figure divided by its floor; for speed-ups and speeds the other way round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A target of docs/performance.md."""

    bound: float
    """The number to reach."""
    of: Of = Of.RATIO
    """What is compared with it."""
    at_least: bool = False
    """Whether more is better."""
    source: str = ""
    """Its name in docs/performance.md, such as P1."""

    def met(self, value: float, ratio: float | None) -> bool | None:
        """Tells whether a measurement reaches the goal; none if what it bounds was not measured."""
        found = value if self.of is Of.VALUE else ratio
        if found is None:
            return None
        return found >= self.bound if self.at_least else found <= self.bound

    def __str__(self) -> str:
        """Returns it for people, such as `ratio ≤ 1.15`."""
        sign = "≥" if self.at_least else "≤"
        return f"{self.of.value} {sign} {self.bound:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One point of a curve."""

    at: float
    """Where: tables, or finished matches."""
    value: float
    """The median there, microseconds of server CPU per decision."""
    low: float
    """The least of the rounds."""
    high: float
    """The greatest of the rounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of the bench."""

    name: str
    """Its name, parts separated by `/`, the most general first."""
    unit: str
    """What it is counted in."""
    value: float
    """The median of the rounds."""
    low: float
    """The least of the rounds."""
    high: float
    """The greatest of the rounds."""
    rounds: int
    """How often it was measured."""
    floor: float | None = None
    """The median of the floor in the same rounds; none: it has no floor, or that could not be measured."""
    floor_name: str = ""
    """What the floor is."""
    ratio: float | None = None
    """The median of the ratios of each round to the floor of the same round."""
    ratio_low: float | None = None
    """The least of these."""
    ratio_high: float | None = None
    """The greatest of these."""
    rate: float | None = None
    """Decisions a second by the wall clock, the median of the rounds; where there are decisions."""
    goal: Goal | None = None
    """What it is held to; none: it stands for itself."""
    note: str = ""
    """What a reader must know to use it."""
    curve: tuple[Point, ...] = ()
    """The course that it sums up, in server CPU per decision."""
    curve_axis: str = ""
    """What `Point.at` counts."""

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; none without a goal, or where it could not be judged."""
        return None if self.goal is None else self.goal.met(self.value, self.ratio)


def measured(
    name: str,
    unit: str,
    values: Sequence[float],
    *,
    floors: Sequence[float] | None = None,
    floor_name: str = "",
    speed_up: bool = False,
    rates: Sequence[float] = (),
    goal: Goal | None = None,
    note: str = "",
    curve: Sequence[Point] = (),
    curve_axis: str = "",
) -> Figure:
    """Returns the figure of some rounds.

    Args:
        name: Its name.
        unit: What it is counted in.
        values: One a round.
        floors: The floor in the same rounds; none: there is none.
        floor_name: What the floor is.
        speed_up: Whether the ratio is floor / value: how many times cheaper the figure is.
        rates: Decisions a second in the same rounds.
        goal: What it is held to.
        note: What a reader must know.
        curve: The course that it sums up.
        curve_axis: What it runs along.

    Raises:
        ValueError: There are no rounds, or not as many floors as values.
    """
    if not values:
        raise ValueError(f"{name}: expected at least one round")
    ratios: list[float] = []
    if floors is not None:
        pairs = zip(values, floors, strict=True)
        ratios = [floor / value if speed_up else value / floor for value, floor in pairs]
    return Figure(
        name=name,
        unit=unit,
        value=median(values),
        low=min(values),
        high=max(values),
        rounds=len(values),
        floor=median(floors) if floors else None,
        floor_name=floor_name if floors else "",
        ratio=median(ratios) if ratios else None,
        ratio_low=min(ratios) if ratios else None,
        ratio_high=max(ratios) if ratios else None,
        rate=median(rates) if rates else None,
        goal=goal,
        note=note,
        curve=tuple(curve),
        curve_axis=curve_axis,
    )
