"""Tournaments played in memory: planners fed with simulated results, in order or not."""

import random
from collections.abc import Callable, Sequence

from tests.tournament.specs import SECRET, played

from kiery.engine import Derivation
from kiery.tournament import Amendment, DealRow, Fixture, Planner, TournamentSpec, planner_of
from kiery.tournament.formats import amended_opening

DERIVATION = Derivation(SECRET)


def rows_of(planner: Planner, fixture: Fixture, skill: Sequence[float]) -> list[DealRow]:
    """Returns the deals of a fixture: always the same, whenever it is played."""
    return list(played(planner.schedule, fixture, random.Random(fixture.index), skill))


def planned(spec: TournamentSpec, amendments: Sequence[Amendment] = ()) -> Planner:
    """Returns a planner that knows no result."""
    spec, schedule = amended_opening(spec, DERIVATION, amendments)
    planner = planner_of(spec, DERIVATION, schedule, amendments)
    assert planner is not None
    return planner


def play_out(
    planner: Planner,
    skill: Sequence[float],
    *,
    seed: int | None = None,
    at_a_time: int = 8,
    stop_after: int | None = None,
    rows: Callable[[Planner, Fixture, Sequence[float]], Sequence[DealRow]] = rows_of,
) -> set[int]:
    """Plays until nothing is left, or so many fixtures are, and returns which were played.

    Args:
        planner: Knows no result yet.
        skill: Points a deal by which each bot is better.
        seed: Results come in an order by chance; none: in that of the fixtures.
        at_a_time: Tables in play.
        stop_after: Fixtures after which to stop; none: at the end.
        rows: The results of a fixture.
    """
    chance = random.Random(seed)
    waiting = list(planner.fixtures)
    done: set[int] = set()
    while waiting and (stop_after is None or len(done) < stop_after):
        fixture = waiting.pop(0 if seed is None else chance.randrange(min(at_a_time, len(waiting))))
        if fixture.dropped:
            continue
        planner.add(fixture.index, rows(planner, fixture, skill))
        done.add(fixture.index)
        waiting += planner.plan_on()
    return done
