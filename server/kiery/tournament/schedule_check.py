"""The check of a schedule before its first deal: what it promises, counted from its fixtures alone.

It shares nothing with the construction but the finished `Schedule`, so that a fault there shows here.
"""

from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kiery.errors import KieryError
from kiery.tournament.schedule import Schedule
from kiery.tournament.seatplan import neighbour_cycle
from kiery.tournament.spec import Sharing

__all__ = ["ScheduleCheck", "ScheduleError", "Spread", "check_schedule"]

_Counts = NDArray[np.int64]

_MEETING_TOLERANCE: Final = 2.5
"""How far from the mean a pair's tables may be; a search aims at 1, see `search`."""


class ScheduleError(KieryError):
    """A schedule that breaks its promises: nothing may be played by it."""

    reason = "BROKEN_SCHEDULE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The smallest and the largest of some counts."""

    fewest: int
    """The smallest."""
    most: int
    """The largest."""

    def __str__(self) -> str:
        """Returns `4`, or `3 to 5`."""
        return str(self.fewest) if self.fewest == self.most else f"{self.fewest} to {self.most}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleCheck:
    """What was counted; house bots are counted too, except where a field says otherwise."""

    entrants: int
    """Ranked entrants."""
    house_bots: int
    """Bots of the house that fill seats."""
    fixtures: int
    """Fixtures."""
    sets: int
    """Sets."""
    tables: Spread
    """Tables of each bot."""
    meetings: Spread
    """Tables that each pair shares."""
    fixtures_per_bot: Spread
    """Fixtures of each bot."""
    fixtures_per_seat: Spread
    """Fixtures of each bot in each seat."""
    left_neighbours: Spread
    """Fixtures with one at the other's left, over ordered pairs that meet."""
    deals_per_bot: Spread | None
    """Deals of each bot; none: matches are played to a target."""
    board_exposure: Spread
    """How often a bot meets each of its boards: once, or with shared boards once a lap."""

    def rows(self) -> list[tuple[str, str]]:
        """Returns name and value of each figure as text, in a fixed order."""
        return [
            (field.name.replace("_", " "), "-" if value is None else str(value))
            for field in fields(self)
            for value in [getattr(self, field.name)]
        ]


def check_schedule(schedule: Schedule) -> ScheduleCheck:
    """Counts a schedule and refuses one that is broken.

    Raises:
        ScheduleError: Says which promise does not hold.
    """
    bots, players = schedule.entrant_count + schedule.house_count, schedule.players
    fixtures = schedule.fixtures
    _require(len(fixtures) == schedule.set_count * players, "the number of fixtures is not sets × seats")
    seats = np.array([fixture.seats for fixture in fixtures], dtype=np.int64)
    sets = np.array([fixture.set_index for fixture in fixtures], dtype=np.int64)
    _require(seats.shape == (len(fixtures), players), "a fixture has a wrong number of seats")
    _require(bool((seats >= 0).all() and (seats < bots).all()), "a seat holds nobody who is entered")
    ordered = np.sort(seats, axis=1)
    _require(bool((ordered[:, 1:] != ordered[:, :-1]).all()), "a bot sits twice at one table")
    _check_streams(schedule)
    by_set = _check_sets(seats, sets, schedule)

    per_seat = np.zeros((bots, players), dtype=np.int64)
    left: _Counts = np.zeros((bots, bots), dtype=np.int64)
    for seat in range(players):
        np.add.at(per_seat[:, seat], seats[:, seat], 1)
        np.add.at(left, (seats[:, (seat + 1) % players], seats[:, seat]), 1)
    met = _pairs(by_set, bots)
    _check_balance(schedule, per_seat, left, met)

    others = ~np.eye(bots, dtype=np.bool_)
    totals = per_seat.sum(axis=1)
    fixtures_per_bot = _spread(totals)
    return ScheduleCheck(
        entrants=schedule.entrant_count,
        house_bots=schedule.house_count,
        fixtures=len(fixtures),
        sets=schedule.set_count,
        tables=_spread(totals // (players * schedule.sets_per_table)),
        meetings=_spread(met[others] // schedule.sets_per_table),
        fixtures_per_bot=fixtures_per_bot,
        fixtures_per_seat=_spread(per_seat),
        left_neighbours=_spread(left[others & (met > 0)]),
        deals_per_bot=None if schedule.deal_count is None else _spread(totals * schedule.deal_count),
        board_exposure=Spread(fewest=1, most=1)
        if schedule.sharing is Sharing.INDEPENDENT
        else Spread(fewest=players, most=players),
    )


def _require(condition: bool, message: str) -> None:  # noqa: FBT001  (reads as a sentence)
    if not condition:
        raise ScheduleError(f"the schedule is broken: {message}")


def _spread(counts: _Counts) -> Spread:
    return Spread(fewest=int(counts.min()), most=int(counts.max()))


def _check_streams(schedule: Schedule) -> None:
    """Each fixture, or with shared boards each set, has boards of its own; laps do not overlap."""
    fixtures = schedule.fixtures
    shared = schedule.sharing is Sharing.LAPS
    for index, fixture in enumerate(fixtures):
        _require(fixture.index == index, f"fixture {index} has the number {fixture.index}")
        expected = f"s{fixture.set_index}" if shared else f"f{index}"
        _require(fixture.stream == expected, f"fixture {index} has the boards of {fixture.stream}")
        _require(fixture.deal_count == schedule.deal_count, f"fixture {index} has another length")
        in_lap = not shared or fixture.arrangement == index // schedule.set_count
        _require(in_lap, f"fixture {index} is not in its lap")


def _check_sets(seats: _Counts, sets: _Counts, schedule: Schedule) -> _Counts:
    """Returns the bots of each set, after checking that each of them holds every seat of it once."""
    players, count = schedule.players, schedule.set_count
    order = np.argsort(sets, kind="stable")
    _require(bool((sets[order] == np.repeat(np.arange(count), players)).all()), "a set is not complete")
    squares = seats[order].reshape(count, players, players)
    rows, columns = np.sort(squares, axis=2), np.sort(squares, axis=1)
    same_bots = (rows == rows[:, :1, :]).all() and (columns == rows[:, :1, :].transpose(0, 2, 1)).all()
    _require(bool(same_bots), "a bot does not hold every seat of its set once")
    bots: _Counts = rows[:, 0, :]
    return bots


def _pairs(by_set: _Counts, bots: int) -> _Counts:
    """Returns in how many sets each pair meets, both ways."""
    met: _Counts = np.zeros((bots, bots), dtype=np.int64)
    for one in range(by_set.shape[1]):
        for other in range(by_set.shape[1]):
            if one != other:
                np.add.at(met, (by_set[:, one], by_set[:, other]), 1)
    return met


def _check_balance(schedule: Schedule, per_seat: _Counts, left: _Counts, met: _Counts) -> None:
    bots, players = len(per_seat), schedule.players
    _require(len(set(per_seat.ravel().tolist())) == 1, "the bots do not hold all seats equally often")
    tables = met[~np.eye(bots, dtype=np.bool_)] / schedule.sets_per_table
    off = np.abs(tables - tables.mean()).max()
    _require(
        schedule.separated_owners or bool(off <= _MEETING_TOLERANCE),
        f"a pair shares {off:.1f} tables more or fewer than the mean",
    )
    cycle = neighbour_cycle(players)
    if cycle is not None and schedule.sets_per_table % cycle == 0:
        # In each set a pair shares n fixtures, and 1 of the n - 1 others sits to one's left.
        even = bool((left * (players - 1) == met * players).all())
        _require(even, "neighbours are not balanced over whole cycles of sets")
