"""A search for base tables whose shifts let every pair of points meet about equally often.

Shifting a table by 1 modulo N turns every ordered difference of its points into N pairs, so a design
over Z_N is balanced when every difference other than 0 occurs equally often. The search changes one
point at a time, downhill with a little chance, over differences only: its cost does not grow with the
number of tables. The same stream gives the same tables. Source: docs/fairness.md, "Schedules".
"""

from collections.abc import Iterable
from math import ceil, exp, floor
from typing import Final

from kiery.engine import Stream

__all__ = ["search_base_tables"]

_TEMPERATURES: Final = (1.0, 0.7, 0.4, 0.2)
_STEPS: Final = 12_000
"""Changes tried at each temperature."""
_SCALE: Final = 1 << 16
_TRIES: Final = 6
"""Numbers of base tables tried before the bounds are widened."""
_TOLERANCES: Final = (1.0, 1.5, 2.5)
"""How far a pair may be from the mean: tried in this order."""


def search_base_tables(points: int, size: int, counts: Iterable[int], stream: Stream) -> list[list[int]]:
    """Returns base tables over Z_points, every difference as often as the mean within 1 (rarely 1.5).

    Args:
        points: The modulus, greater than `size`.
        size: Points at a table.
        counts: Numbers of base tables to try, best first.
        stream: The chance of the search.
    """
    candidates = sorted(counts, key=lambda count: (_is_awkward(points, size, count), count))[:_TRIES]
    best: list[list[int]] = []
    for tolerance in _TOLERANCES:
        for count in candidates:
            search = _Search(points, size, count, tolerance, stream)
            search.run()
            best = search.tables
            if not search.cost:
                return best
    return best


def _is_awkward(points: int, size: int, count: int) -> bool:
    """Tells whether the mean is just beside a whole number, so that hardly any table may deviate."""
    mean = count * size * (size - 1) / (points - 1)
    return mean > 1 and not 0.1 <= mean % 1 <= 0.8 and bool(mean % 1)


class _Search:
    """The state of one search: tables, how often each difference occurs, and the cost of that."""

    def __init__(self, points: int, size: int, count: int, tolerance: float, stream: Stream) -> None:
        self._points = points
        self._size = size
        self._stream = stream
        mean = count * size * (size - 1) / (points - 1)
        low, high = ceil(mean - tolerance - 1e-9), floor(mean + tolerance + 1e-9)
        self._price = [
            max(low - times, 0, times - high) ** 2 for times in range(count * size * (size - 1) + 1)
        ]
        self.tables = [self._random_table() for _ in range(count)]
        self._times = [0] * points
        for table in self.tables:
            for one in table:
                for other in table:
                    self._times[(one - other) % points] += one != other
        self.cost = sum(self._price[times] for times in self._times[1:])

    def _random_table(self) -> list[int]:
        table: list[int] = []
        while len(table) < self._size:
            point = self._stream.below(self._points)
            if point not in table:
                table.append(point)
        return table

    def run(self) -> None:
        """Changes points until the cost is 0 or the budget is spent."""
        below = self._stream.below
        places = len(self.tables) * self._size
        for temperature in _TEMPERATURES:
            # Chances as whole numbers of 65536: the same on every machine.
            chances = [int(_SCALE * exp(-rise / temperature)) for rise in range(10)]
            for _ in range(_STEPS):
                if not self.cost:
                    return
                number, place = divmod(below(places), self._size)
                table = self.tables[number]
                point = below(self._points)
                if point in table:
                    continue
                rise = self._change(table, place, point)
                if rise <= 0 or (rise < len(chances) and below(_SCALE) < chances[rise]):
                    self.cost += rise
                    table[place] = point
                else:
                    self._change(table, place, table[place], was=point)

    def _change(self, table: list[int], place: int, point: int, was: int | None = None) -> int:
        """Counts the differences as if `point` stood at a place, and returns how the cost changes."""
        points, times, price = self._points, self._times, self._price
        old = table[place] if was is None else was
        rise = 0
        for index, other in enumerate(table):
            if index == place:
                continue
            for difference in ((old - other) % points, (other - old) % points):
                rise += price[times[difference] - 1] - price[times[difference]]
                times[difference] -= 1
            for difference in ((point - other) % points, (other - point) % points):
                rise += price[times[difference] + 1] - price[times[difference]]
                times[difference] += 1
        return rise
