"""Tables by annealing: so many for each entrant, every pair as evenly together as can be found.

For numbers of tables that no design has: a budget, or what is left after a late entry. Two entrants change
places between tables, downhill with a little chance, so everybody keeps the number of tables. The same
stream gives the same tables. Source: docs/fairness.md, "Schedules".
"""

from collections.abc import Mapping, Sequence
from math import exp
from typing import Final

from kiery.engine import Stream

__all__ = ["anneal_tables"]

_TEMPERATURES: Final = (1.0, 0.5, 0.25, 0.12, 0.06)
_STEPS: Final = 12_000
"""Exchanges tried at each temperature, and `_STEPS_PER_PLACE` more for each place at a table."""
_STEPS_PER_PLACE: Final = 8
_SMALL: Final = 2000
"""Up to so many places the whole course is run; beyond, it ends once every pair is near the mean."""
_TAIL: Final = 2
"""Times that the last temperature may be repeated while a pair is far from the mean."""
_SCALE: Final = 1 << 16
_NEAR: Final = 1.3
"""Tables from the mean that a pair may be: one from the whole numbers around it, as far as they are near."""
_FAR: Final = 8.0
"""Weight of what a pair is more than one table away from the mean."""


def anneal_tables(
    quotas: Sequence[int],
    size: int,
    stream: Stream,
    *,
    met: Mapping[tuple[int, int], int] | None = None,
    weight: int = 1,
) -> list[tuple[int, ...]]:
    """Returns tables at which point i sits `quotas[i]` times.

    Args:
        quotas: Tables of each point; together a multiple of `size`, none more than there are tables.
        size: Points at a table.
        stream: The chance of the search.
        met: How often a pair (ascending) has met before, in units of which a table counts `weight`.
        weight: See there.
    """
    count = sum(quotas) // size
    if not count or sum(quotas) % size or max(quotas) > count:
        raise ValueError(f"no tables of {size} give every point its number: {list(quotas)}")
    order = list(range(len(quotas)))
    stream.shuffle(order)
    tables: list[list[int]] = [[] for _ in range(count)]
    place = 0
    for point in order:
        # Neighbours in a row go to different tables, and nobody has more places than there are tables.
        for _ in range(quotas[point]):
            tables[place % count].append(point)
            place += 1
    annealing = _Annealing(tables, len(quotas), stream, met or {}, weight)
    annealing.run()
    return [tuple(table) for table in annealing.tables]


class _Annealing:
    """Tables under exchange, how often each pair meets, and what that costs."""

    def __init__(
        self,
        tables: list[list[int]],
        points: int,
        stream: Stream,
        met: Mapping[tuple[int, int], int],
        weight: int,
    ) -> None:
        self.tables = tables
        self._stream = stream
        self._weight = weight
        self._met = [[0] * points for _ in range(points)]
        for (one, other), times in met.items():
            self._met[one][other] = self._met[other][one] = times
        for table in tables:
            for one in table:
                for other in table:
                    if one != other:
                        self._met[one][other] += weight
        pairs = [self._met[one][other] for one in range(points) for other in range(one)]
        mean = sum(pairs) / max(1, len(pairs)) / weight
        most = max(pairs, default=0) + len(tables) * weight
        # Prices in sixteenths, as whole numbers: the same on every machine.
        self._price = [round(16 * _cost(times / weight - mean)) for times in range(most + 1)]
        self._near = [abs(times / weight - mean) <= _NEAR for times in range(most + 1)]
        self._points = points

    def run(self) -> None:
        places = len(self.tables) * len(self.tables[0])
        steps = _STEPS + _STEPS_PER_PLACE * places
        for temperature in (*_TEMPERATURES, *[_TEMPERATURES[-1]] * _TAIL):
            tail = temperature == _TEMPERATURES[-1]
            if (tail or places > _SMALL) and self._all_near():
                return
            self._cool(steps, temperature)

    def _all_near(self) -> bool:
        near = self._near
        return all(near[self._met[one][other]] for one in range(self._points) for other in range(one))

    def _cool(self, steps: int, temperature: float) -> None:
        """Tries exchanges at one temperature."""
        below, tables = self._stream.below, self.tables
        count, size = len(tables), len(tables[0])
        chances = [int(_SCALE * exp(-rise / (16 * temperature))) for rise in range(int(160 * temperature))]
        for _ in range(steps):
            left, one = divmod(below(count * size), size)
            right, other = divmod(below(count * size), size)
            leaving, coming = tables[left][one], tables[right][other]
            if left == right or leaving in tables[right] or coming in tables[left]:
                continue
            rise = self._exchange(left, one, right, other)
            if rise > 0 and not (rise < len(chances) and below(_SCALE) < chances[rise]):
                self._exchange(left, one, right, other)

    def _exchange(self, left: int, one: int, right: int, other: int) -> int:
        """Exchanges two points and returns how much the cost rises; twice changes nothing."""
        met, price, weight = self._met, self._price, self._weight
        first, second = self.tables[left], self.tables[right]
        leaving, coming = first[one], second[other]
        rise = 0
        for table, place, old, new in ((first, one, leaving, coming), (second, other, coming, leaving)):
            of_old, of_new = met[old], met[new]
            for index, mate in enumerate(table):
                if index != place:
                    before, after = of_old[mate], of_new[mate]
                    rise += price[before - weight] - price[before] + price[after + weight] - price[after]
                    of_old[mate] = met[mate][old] = before - weight
                    of_new[mate] = met[mate][new] = after + weight
        first[one], second[other] = coming, leaving
        return rise


def _cost(off: float) -> float:
    """Returns what it costs that a pair is so many tables off the mean."""
    return off * off + _FAR * max(0.0, abs(off) - 1) ** 2
