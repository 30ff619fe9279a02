"""The check of a schedule before its first deal: what it promises, counted from its fixtures alone.

It shares nothing with the construction but the finished `Schedule`, so that a fault there shows here.
"""

from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kiery.errors import KieryError
from kiery.tournament.design import DesignSource
from kiery.tournament.schedule import Schedule
from kiery.tournament.seatplan import neighbour_cycle
from kiery.tournament.spec import Format, Sharing

__all__ = ["ScheduleCheck", "ScheduleError", "Spread", "check_schedule"]

_Counts = NDArray[np.int64]

_ALL_SEATINGS: Final = 6
"""Up to so many seats a set of a match has every seating once."""

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
    fixtures = [fixture for fixture in schedule.fixtures if not fixture.dropped]
    planned = schedule.set_count * schedule.set_size
    _require(
        schedule.amended or len(fixtures) == planned, "the number of fixtures is not sets × fixtures of a set"
    )
    seats = np.array([fixture.seats for fixture in fixtures], dtype=np.int64)
    sets = np.array([fixture.set_index for fixture in fixtures], dtype=np.int64)
    _require(seats.shape == (len(fixtures), players), "a fixture has a wrong number of seats")
    _require(bool((seats >= 0).all() and (seats < bots).all()), "a seat holds nobody who is entered")
    _check_streams(schedule)
    if schedule.set_size == players:
        ordered = np.sort(seats, axis=1)
        _require(bool((ordered[:, 1:] != ordered[:, :-1]).all()), "a bot sits twice at one table")
        # What an amendment leaves of a set need not be whole.
        met = _pairs(seats if schedule.amended else _check_sets(seats, sets, schedule), bots)
    else:
        met = _check_seatings(seats, sets, schedule)

    per_seat = np.zeros((bots, players), dtype=np.int64)
    left: _Counts = np.zeros((bots, bots), dtype=np.int64)
    for seat in range(players):
        np.add.at(per_seat[:, seat], seats[:, seat], 1)
        np.add.at(left, (seats[:, (seat + 1) % players], seats[:, seat]), 1)
    if schedule.amended:
        met //= players
    else:
        _check_balance(schedule, per_seat, left, met)
    meeting = _may_meet(schedule)
    totals = per_seat.sum(axis=1)
    fixtures_per_bot = _spread(totals)
    return ScheduleCheck(
        entrants=schedule.entrant_count,
        house_bots=schedule.house_count,
        fixtures=len(fixtures),
        sets=len(np.unique(sets)),
        tables=_spread(totals // (schedule.set_size * schedule.sets_per_table)),
        meetings=_spread(met[meeting] // schedule.sets_per_table),
        fixtures_per_bot=fixtures_per_bot,
        fixtures_per_seat=_spread(per_seat),
        left_neighbours=_spread(left[meeting & (met > 0)]),
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


def _check_seatings(seats: _Counts, sets: _Counts, schedule: Schedule) -> _Counts:
    """Returns in how many sets each pair meets, after checking that each set has all seatings of a match."""
    bots = schedule.entrant_count + schedule.house_count
    order = np.argsort(sets, kind="stable")
    whole = bool((sets[order] == np.repeat(np.arange(schedule.set_count), schedule.set_size)).all())
    _require(whole, "a set is not complete")
    for each in seats[order].reshape(schedule.set_count, schedule.set_size, schedule.players):
        distinct = len({tuple(row) for row in each.tolist()})
        # A larger set is the turns of one seating, which may look alike.
        whole = distinct == schedule.set_size or schedule.players > _ALL_SEATINGS
        _require(whole, "a seating comes twice in a set")
        held = [(each == bot).sum(axis=0) for bot in range(bots)]
        even = all(len(set(count.tolist())) == 1 for count in held) and (held[0] == held[1]).all()
        _require(bool(even), "the two do not hold every seat of a set equally often")
    met: _Counts = np.full((bots, bots), schedule.set_count, dtype=np.int64)
    np.fill_diagonal(met, 0)
    return met


def _may_meet(schedule: Schedule) -> NDArray[np.bool_]:
    """Returns which two may share a table."""
    bots = schedule.entrant_count + schedule.house_count
    meeting: NDArray[np.bool_] = ~np.eye(bots, dtype=np.bool_)
    meeting[: schedule.challenger_count, : schedule.challenger_count] = False
    return meeting


def _check_balance(schedule: Schedule, per_seat: _Counts, left: _Counts, met: _Counts) -> None:
    players, challengers = schedule.players, schedule.challenger_count
    even_seats = schedule.set_size != players or bool((per_seat == per_seat[:, :1]).all())
    _require(even_seats, "a bot does not hold all seats equally often")
    if schedule.format is not Format.LADDER:
        # Whoever is in the same part of a tournament sits at as many tables, within one of a budget.
        for part in (per_seat[:challengers, 0], per_seat[challengers : schedule.entrant_count, 0]):
            off = int(part.max() - part.min()) // schedule.sets_per_table if len(part) else 0
            slack = 0
            if schedule.source is DesignSource.ANNEALED:
                slack = max(1, challengers)
            _require(off <= slack, f"a bot sits at {off} tables more than another")
        _require(not met[:challengers, :challengers].any(), "two challengers share a table")
        for pairs in _equal_pairs(schedule):
            tables = met[pairs] / schedule.sets_per_table
            off_pairs = np.abs(tables - tables.mean()).max() if len(tables) else 0.0
            _require(
                schedule.separated_owners or bool(off_pairs <= _MEETING_TOLERANCE * max(1, challengers)),
                f"a pair shares {off_pairs:.1f} tables more or fewer than the mean",
            )
    cycle = neighbour_cycle(players)
    if schedule.set_size == players and cycle is not None and schedule.sets_per_table % cycle == 0:
        # In each set a pair shares n fixtures, and 1 of the n - 1 others sits to one's left.
        even = bool((left * (players - 1) == met * players).all())
        _require(even, "neighbours are not balanced over whole cycles of sets")


def _equal_pairs(schedule: Schedule) -> list[NDArray[np.bool_]]:
    """Returns the pairs that should meet equally often: all, or in a gauntlet across and within the field."""
    meeting, challengers = _may_meet(schedule), schedule.challenger_count
    if not challengers:
        return [meeting]
    across, within = meeting.copy(), meeting.copy()
    across[challengers:, challengers:] = False
    within[:challengers] = within[:, :challengers] = False
    return [across, within]
