"""Sums over deals, from which standings are computed at any time.

Nothing here grows with the number of deals but what shared boards leave open: a unit's nets are kept
until its last play. The fit needs Σ e eᵀ of residuals e = y - P θ whose θ is not known yet; P depends
only on who sat at the unit's table, so for all units with the same plays (a pattern) the number of
units, Σ y and Σ y yᵀ are enough, and exact. What is not here: the fit itself (`fit`), places (`standings`).
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kiery.tournament.results import DealRow
from kiery.tournament.schedule import Schedule
from kiery.tournament.spec import Sharing

__all__ = ["Columns", "Pattern", "Tally"]

Floats = NDArray[np.float64]

_Play = tuple[int, ...]
"""The parameters that sat at one play, ascending, each once."""


class Pattern:
    """All units with the same plays."""

    __slots__ = ("bots", "count", "projection", "squares", "total")

    def __init__(self, plays: tuple[_Play, ...]) -> None:
        """Starts without units; the projection is Σ (I - J/b) over the plays, each on its b bots."""
        self.bots: Final = tuple(sorted({bot for play in plays for bot in play}))
        """The parameters in it, ascending."""
        size = len(self.bots)
        place = {bot: index for index, bot in enumerate(self.bots)}
        self.projection: Floats = np.zeros((size, size))
        """P of each of its units."""
        for play in plays:
            at = np.array([place[bot] for bot in play])
            self.projection[np.ix_(at, at)] += np.eye(len(at)) - 1 / len(at)
        self.count = 0
        """Units."""
        self.total: Floats = np.zeros(size)
        """Σ y."""
        self.squares: Floats = np.zeros((size, size))
        """Σ y yᵀ."""

    def add(self, nets: Floats, sign: int) -> None:
        """Adds a unit's nets, or takes them out again."""
        self.count += sign
        self.total += sign * nets
        self.squares += sign * np.outer(nets, nets)


@dataclass(slots=True)
class Columns:
    """What the leaderboard shows of one bot besides the fit."""

    places: list[int]
    """Deals by place, the first entry for place 1; a forfeit counts as charged."""
    deals: int = 0
    """Deals, forfeited ones included."""
    forfeits: int = 0
    """Forfeited deals."""
    points: float = 0.0
    """Sum of points, forfeited deals as charged."""
    excess: float = 0.0
    """Over forfeited deals: sum of the charge minus the table's mean."""
    queens: int = 0
    """Deals, not forfeited, in which it took a queen of spades."""
    moons_for: int = 0
    """Moons that it shot; a substitute's do not count."""
    moons_against: int = 0
    """Moons that others shot at its tables."""
    think_ms: Counter[int] = field(default_factory=Counter)
    """How often it took so many milliseconds for an answer."""

    @property
    def honest(self) -> int:
        """Deals that it did not forfeit."""
        return self.deals - self.forfeits


@dataclass(slots=True)
class _OpenUnit:
    plays: tuple[_Play, ...] = ()
    nets: dict[int, float] = field(default_factory=dict)


class Tally:
    """The sums of one tournament. Parameters: entrants, then house bots, then the substitute."""

    def __init__(
        self,
        *,
        entrants: int,
        house_bots: int,
        players: int,
        plays_per_unit: int = 1,
        hidden: Collection[int] = (),
    ) -> None:
        """Starts without deals.

        Args:
            entrants: Ranked entrants.
            house_bots: Bots of the house after them.
            players: Seats at each table.
            plays_per_unit: How often a board is played: once, or with shared boards once a seat.
            hidden: Entrants that are not ranked after all.
        """
        self.entrants = entrants
        """Ranked entrants: parameters 0 … entrants - 1."""
        self.hidden = frozenset(hidden)
        """Entrants that left and are not shown; their deals stay in the fit."""
        self.substitute = entrants + house_bots
        """The parameter to which forfeited seats belong."""
        self.columns = [Columns(places=[0] * players) for _ in range(entrants + house_bots)]
        """By bot, house bots last."""
        self.patterns: dict[tuple[_Play, ...], Pattern] = {}
        """Units by who played them, those that are still open included as far as they are played."""
        self.pair_nets: Floats = np.zeros((entrants + house_bots, entrants + house_bots))
        """Row i, column j: the sum of i's nets in deals in which i and j sat and did not forfeit."""
        self.pair_deals: NDArray[np.int64] = np.zeros(self.pair_nets.shape, dtype=np.int64)
        """The number of those deals."""
        self.deal_count = 0
        """Deals added."""
        self._plays_per_unit = plays_per_unit
        self._open: dict[str, _OpenUnit] = {}

    @classmethod
    def of_schedule(cls, schedule: Schedule) -> "Tally":
        """Returns an empty tally for a schedule."""
        return cls(
            entrants=schedule.entrant_count,
            house_bots=schedule.house_count,
            players=schedule.players,
            plays_per_unit=schedule.players if schedule.sharing is Sharing.LAPS else 1,
            hidden=schedule.hidden,
        )

    @property
    def unit_count(self) -> int:
        """Units that have at least one play."""
        return sum(pattern.count for pattern in self.patterns.values())

    def add(self, row: DealRow) -> None:
        """Adds a deal. The caller adds each deal once; after a void, tally the valid deals anew."""
        self.deal_count += 1
        mean = sum(row.points) / len(row.points)
        for seat, bot in enumerate(row.seats):
            self._add_columns(row, seat, self.columns[bot], mean)
        self._add_pairs(row, mean)
        holders = [self.substitute if seat in row.forfeited else bot for seat, bot in enumerate(row.seats)]
        self._add_unit(row.unit, _nets(holders, row.points))

    def _add_columns(self, row: DealRow, seat: int, columns: Columns, mean: float) -> None:
        charge = row.charge(seat)
        columns.deals += 1
        columns.points += charge
        columns.places[row.place(seat) - 1] += 1
        if row.shooter is not None and row.seats[row.shooter] != row.seats[seat]:
            columns.moons_against += 1
        if seat in row.forfeited:
            columns.forfeits += 1
            columns.excess += charge - mean
        else:
            columns.queens += seat in row.queen_seats
            columns.moons_for += seat == row.shooter
        columns.think_ms.update(row.think_ms.get(seat, ()))

    def _add_pairs(self, row: DealRow, mean: float) -> None:
        honest = [(bot, row.points[seat]) for seat, bot in enumerate(row.seats) if seat not in row.forfeited]
        for bot, points in honest:
            for other, _ in honest:
                if other != bot:
                    self.pair_nets[bot, other] += mean - points
                    self.pair_deals[bot, other] += 1

    def _add_unit(self, name: str, nets: dict[int, float]) -> None:
        unit = self._open.pop(name, None) or _OpenUnit()
        if unit.plays:
            self._count(unit, -1)
        unit.plays = tuple(sorted((*unit.plays, tuple(nets))))
        for bot, net in nets.items():
            unit.nets[bot] = unit.nets.get(bot, 0.0) + net
        self._count(unit, 1)
        if len(unit.plays) < self._plays_per_unit:
            self._open[name] = unit

    def _count(self, unit: _OpenUnit, sign: int) -> None:
        pattern = self.patterns.get(unit.plays)
        if pattern is None:
            pattern = self.patterns[unit.plays] = Pattern(unit.plays)
        pattern.add(np.array([unit.nets[bot] for bot in pattern.bots]), sign)
        if not pattern.count:
            del self.patterns[unit.plays]


def _nets(holders: list[int], points: tuple[int, ...]) -> dict[int, float]:
    """Returns each parameter's net, ascending; one in several seats is averaged over them first."""
    means: dict[int, float] = {}
    for bot in sorted(set(holders)):
        own = [scored for holder, scored in zip(holders, points, strict=True) if holder == bot]
        means[bot] = sum(own) / len(own)
    middle = sum(means.values()) / len(means)
    return {bot: middle - mean for bot, mean in means.items()}
