"""What the largest tournaments cost: figures that must not depend on how many deals were played."""

import random
import time
from collections.abc import Callable, Sequence

import pytest
from tests.tournament.specs import schedule

from kiery.tournament import DealRow, Schedule, Tally, check_schedule, compute_standings

pytestmark = pytest.mark.slow


def seconds(call: Callable[[], object]) -> float:
    """Returns the shortest of three runs, as time of this thread: others may use the machine, too."""
    times = []
    for _ in range(3):
        start = time.thread_time()
        call()
        times.append(time.thread_time() - start)
    return min(times)


def tell(figures: str) -> None:
    print(figures)  # noqa: T201  (shown with -s)


def filled(made: Schedule, deals: int) -> Tally:
    """Returns the tally of so many deals by chance, spread over the tables of a schedule."""
    chance = random.Random(1)
    points = [(13, 13, 0, 0), (26, 0, 0, 0), (4, 5, 8, 9), (20, 3, 2, 1), (14, 6, 6, 0)]
    tally = Tally.of_schedule(made)
    for number in range(deals):
        fixture = made.fixtures[number % len(made.fixtures)]
        tally.add(row(fixture.seats, chance.choice(points), number))
    return tally


def row(seats: Sequence[int], points: tuple[int, ...], number: int) -> DealRow:
    return DealRow(
        fixture=0,
        set_index=0,
        unit=str(number),
        seats=tuple(seats),
        points=points,
        pack_points=26,
        think_ms=dict.fromkeys(range(4), (number % 1000, 3)),
    )


def standings_figures(deals: int) -> tuple[float, float]:
    """Returns seconds of the standings of 100 entrants, and of taking in the deal before them."""
    made = schedule(100)
    tally = filled(made, deals)
    names = [f"b{index}" for index in range(100)]
    update = seconds(lambda: compute_standings(tally, names))
    add = seconds(lambda: tally.add(row(made.fixtures[0].seats, (4, 5, 8, 9), -1)))
    tell(
        f"100 entrants, {deals} deals, {len(tally.patterns)} tables: standings in {update * 1000:.0f} ms,"
        f" {add * 1e6:.0f} µs to add a deal"
    )
    return update, add


def test_standings_of_a_hundred_entrants_do_not_get_slower_with_the_deals() -> None:
    few, _ = standings_figures(10_000)
    many, _ = standings_figures(60_000)

    # A million deals are the same sums over the same tables.
    assert many < 2 * few + 0.05


@pytest.mark.parametrize("fields", [{"deals_per_bot": 1}, {}], ids=["one set each", "a whole design"])
def test_schedule_of_four_hundred_entrants_takes_seconds(fields: dict[str, int]) -> None:
    start = time.thread_time()
    made = schedule(400, **fields)
    built = time.thread_time() - start
    check = check_schedule(made)
    whole = time.thread_time() - start

    tell(
        f"400 entrants: {len(made.fixtures)} fixtures built in {built:.1f} s, checked in"
        f" {whole - built:.1f} s; meetings {check.meetings}, tables {check.tables}"
    )
    assert check.tables.most - check.tables.fewest <= 1
    assert check.meetings.most - check.meetings.fewest <= 2
    assert whole < 60


if __name__ == "__main__":
    standings_figures(1_000_000)
