"""Specs, schedules and simulated results to test with."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

from kiery.engine import Derivation
from kiery.tournament import (
    DealRow,
    Fixture,
    Schedule,
    TournamentSpec,
    build_schedule,
    label,
    spec_from_values,
)

SECRET = bytes(range(32))


def spec(entrants: int | list[dict[str, Any]] = 5, players: int = 4, **fields) -> TournamentSpec:
    """Returns a spec of the entrants given, or of so many built-in bots b0, b1, …"""
    if isinstance(entrants, int):
        entrants = [{"name": f"b{index}", "builtin": "low"} for index in range(entrants)]
    values = {
        "name": "t1",
        "rules": {"preset": "hearts" if players < 8 else "cancellation", "players": players},
        "entrants": entrants,
    }
    return spec_from_values(values | fields)


def schedule(
    entrants: int | list[dict[str, Any]] = 5, players: int = 4, secret: bytes = SECRET, **fields
) -> Schedule:
    """Returns the schedule of such a spec."""
    made = spec(entrants, players, **fields)
    return build_schedule(made, Derivation(secret, made.entropy.encode()))


def deal(seats: Sequence[int], points: Sequence[int], unit: str = "t1/f0/1", **fields) -> DealRow:
    """Returns a deal of fixture 0 with 26 points in the pack."""
    return DealRow(
        fixture=0,
        set_index=0,
        unit=unit,
        seats=tuple(seats),
        points=tuple(points),
        **{"pack_points": 26} | fields,
    )


def played(
    made: Schedule, fixture: Fixture, chance: random.Random, skill: Sequence[float]
) -> Iterator[DealRow]:
    """Yields a fixture's deals: noise, a board's own and each seat's, less the bot's skill."""
    for number in range(1, (fixture.deal_count or 1) + 1):
        unit = label(made.tournament, fixture.stream, 1, number)
        board = random.Random(unit)
        yield DealRow(
            fixture=fixture.index,
            set_index=fixture.set_index,
            unit=unit,
            seats=fixture.seats,
            points=tuple(
                round(1000 * (6.5 - skill[bot] + board.gauss(0, 3) + chance.gauss(0, 5)))
                for bot in fixture.seats
            ),
            pack_points=26_000,
        )
