"""Block designs: which points share a table, so that every pair does so equally often.

A design is developed from base tables: each is shifted by 1 modulo a number, with one point that may
stand still. Source: docs/fairness.md, "Schedules". What is not here: who the points are, and seats.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import resources
from itertools import combinations
from math import comb
from typing import Final

from kiery.engine import Stream
from kiery.errors import KieryError
from kiery.tournament.search import search_base_tables

__all__ = ["Design", "DesignError", "DesignSource", "balanced_design", "complete_design", "pair_counts"]

Table = tuple[int, ...]
"""The points that share a table."""

_FEW_TABLES: Final = 70
"""All combinations are played when they are no more than these."""

_SMALL_FIELD: Final = 41
"""Up to so many points everybody meets everybody, however few deals are asked for."""

_LARGEST_COSET: Final = 61
"""Beyond so many points whist rounds are longer than a tournament needs, and a search is shorter."""

# Nine points have no cyclic whist rounds. These are the squares and non-squares of GF(9), shifted by
# its nine elements: nine rounds of two tables.
_NINE: Final = "3261 4587 4072 5368 5180 3476 6504 7821 7315 8602 8423 6710 0837 1254 1648 2035 2756 0143"


class DesignError(KieryError):
    """A design that is not what it should be, or would be too large."""

    reason = "INVALID_DESIGN"


class DesignSource(Enum):
    """Where the tables come from."""

    SINGLE = "single"
    """One table seats everybody."""
    SHIPPED = "shipped"
    """Base tables that come with the program: every pair equally often."""
    COSETS = "cosets"
    """Cosets of a subgroup of a prime field: every pair equally often."""
    COMPLETE = "complete"
    """All combinations: every pair equally often."""
    SEARCHED = "searched"
    """Base tables found by a search: every pair equally often within one of the mean."""
    ANNEALED = "annealed"
    """As many tables as were asked for: every pair about equally often."""
    RESULTS = "results"
    """Tables follow from results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Tables of equal size over points 0 … points - 1; every point sits at equally many, within one."""

    points: int
    """How many points."""
    size: int
    """Points at a table."""
    tables: tuple[Table, ...]
    """The tables."""
    source: DesignSource
    """Where they come from."""

    @property
    def appearances(self) -> int:
        """Tables of each point, at least."""
        return len(self.tables) * self.size // self.points


def pair_counts(points: int, tables: Sequence[Table]) -> dict[tuple[int, int], int]:
    """Returns how often each pair shares a table, by ascending pair, those that never do included."""
    counts = dict.fromkeys(combinations(range(points), 2), 0)
    for table in tables:
        for pair in combinations(sorted(table), 2):
            counts[pair] += 1
    return counts


def _develop(base: Sequence[Sequence[int | None]], modulus: int) -> tuple[Table, ...]:
    """Shifts base tables by 0 … modulus - 1; the point that stands still gets the last number."""
    return tuple(
        tuple(modulus if point is None else (point + shift) % modulus for point in table)
        for shift in range(modulus)
        for table in base
    )


def _checked(design: Design) -> Design:
    """Asserts that every pair meets equally often.

    Raises:
        DesignError: It does not.
    """
    counts = set(pair_counts(design.points, design.tables).values())
    if len(counts) != 1 or any(len(set(table)) != design.size for table in design.tables):
        raise DesignError(
            f"the shipped design of {design.points} points at tables of {design.size} is damaged"
        )
    return design


@cache
def _shipped(points: int, size: int) -> Design | None:
    """Returns the design that comes with the program, if there is one."""
    if (points, size) == (9, 4):
        tables = tuple(tuple(map(int, table)) for table in _NINE.split())
    else:
        # Package data: a part of the program, as constants are.
        text = resources.files("kiery.tournament").joinpath("starters.json").read_text("utf-8")
        found = json.loads(text).get(str(size), {}).get(str(points))
        if found is None:
            return None
        tables = _develop(found["tables"], found["mod"])
    return _checked(Design(points=points, size=size, tables=tables, source=DesignSource.SHIPPED))


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def _cosets(points: int, size: int) -> Design | None:
    """Returns the cosets of the subgroup of order `size`, developed, if the points are a fitting prime."""
    if points > _LARGEST_COSET or points % size != 1 or not _is_prime(points):
        return None
    step = (points - 1) // size
    root = next(
        g
        for g in range(2, points)
        if len({pow(g, power, points) for power in range(points - 1)}) == points - 1
    )
    base = [[pow(root, start + step * turn, points) for turn in range(size)] for start in range(step)]
    return _checked(
        Design(points=points, size=size, tables=_develop(base, points), source=DesignSource.COSETS)
    )


def complete_design(points: int, size: int, most: int) -> Design:
    """Returns all combinations.

    Raises:
        DesignError: There are more than `most`.
    """
    count = comb(points, size)
    if count > most:
        raise DesignError(
            f"{points} entrants at tables of {size} make {count} combinations, more than {most}:"
            " expected the balanced schedule"
        )
    source = DesignSource.SINGLE if points == size else DesignSource.COMPLETE
    return Design(points=points, size=size, tables=tuple(combinations(range(points), size)), source=source)


def balanced_design(points: int, size: int, stream: Stream, least_appearances: int | None = None) -> Design:
    """Returns tables at which every pair meets equally often, or within one of it.

    Args:
        points: How many, at least `size`.
        size: Points at a table.
        stream: The chance of the search, if one is needed.
        least_appearances: The tables that each point needs at least; none: enough for all to meet. Only
            a searched design of more than 41 points is shortened for it.
    """
    if points == size:
        return complete_design(points, size, 1)
    exact = _shipped(points, size) or _cosets(points, size)
    if comb(points, size) <= _FEW_TABLES and (exact is None or comb(points, size) <= len(exact.tables)):
        exact = complete_design(points, size, _FEW_TABLES)
    if exact is not None:
        return exact
    meet_all = -(-(points - 1) // (size * (size - 1)))
    wanted = meet_all if least_appearances is None else -(-least_appearances // size)
    if wanted < meet_all and points > _SMALL_FIELD:
        base = search_base_tables(points, size, range(wanted, wanted + 1), stream)
    else:
        base = search_base_tables(points, size, range(meet_all, 3 * meet_all + 3), stream)
    return Design(points=points, size=size, tables=_develop(base, points), source=DesignSource.SEARCHED)
