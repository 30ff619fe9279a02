import random
from collections import Counter
from dataclasses import replace

import pytest
from tests.tournament.formats import DERIVATION, planned, play_out, rows_of
from tests.tournament.specs import deal, schedule, spec

from kiery.tournament import ScheduleError, TestVerdict, check_schedule, opening_of, planner_of
from kiery.tournament.duel import difference, seatings


def duel(players: int = 4, **fields):
    return spec(2, players, format="match", **fields)


# The simulated results have a thousandth of a point as their unit.
WIDE = {"delta0": -500, "delta1": 500}


def test_a_set_of_four_seats_has_the_six_seatings_of_two_and_two():
    made = opening_of(duel(), DERIVATION)

    for number in range(4):
        seats = {fixture.seats for fixture in made.fixtures if fixture.set_index == number}
        assert seats == set(seatings((0, 0, 1, 1)))
        assert len(seats) == made.set_size == 6
    assert made.house_count == 0


@pytest.mark.parametrize(
    ("players", "size", "house"),
    [(3, 6, 1), (4, 6, 0), (5, 30, 1), (6, 20, 0), (7, 14, 1), (8, 16, 0), (9, 18, 1), (11, 22, 1)],
)
def test_the_two_hold_every_seat_equally_often_at_every_table(players, size, house):
    made = opening_of(duel(players, deals=1), DERIVATION)
    held = Counter((bot, seat) for fixture in made.fixtures for seat, bot in enumerate(fixture.seats))

    check = check_schedule(made)

    assert (made.set_size, made.house_count) == (size, house)
    assert len({held[bot, seat] for bot in (0, 1) for seat in range(players)}) == 1
    assert check.fixtures_per_seat.fewest >= 1


def test_house_bots_take_all_other_seats_where_nobody_may_hold_two():
    made = opening_of(duel(test={"lineup": "abhh"}), DERIVATION)

    assert made.house_count == 2
    assert all(sorted(fixture.seats) == [0, 1, 2, 3] for fixture in made.fixtures)
    assert made.set_size == 4


def test_a_seating_that_comes_twice_is_found():
    made = opening_of(duel(), DERIVATION)
    fixtures = (made.fixtures[0], replace(made.fixtures[1], seats=made.fixtures[0].seats), *made.fixtures[2:])

    with pytest.raises(ScheduleError, match="a seating comes twice"):
        check_schedule(replace(made, fixtures=fixtures))


def test_the_difference_of_a_deal_is_that_of_the_means_and_counts_a_forfeit_as_charged():
    assert difference(deal((0, 1, 1, 0), (0, 13, 10, 3))) == 10.0
    assert difference(deal((0, 1, 2, 3), (4, 0, 20, 2))) == -4.0
    assert difference(deal((0, 1, 1, 0), (0, 13, 10, 3), forfeited=frozenset({0}))) == 11.5 - 8.0


@pytest.mark.parametrize(("skill", "verdict"), [((3, 0), TestVerdict.H1), ((0, 3), TestVerdict.H0)])
def test_a_match_ends_soon_after_the_better_bot_is_known(skill, verdict):
    planner = planned(duel(test=WIDE))

    done = play_out(planner, skill)

    assert planner.complete
    assert planner.verdict.verdict is verdict
    assert len(done) == len(planner.fixtures) < 100
    # Three sets more were in play when the test ended.
    assert planner.verdict.units == 4 * (len(planner.fixtures) - 3 * 6)
    assert planner.state.units == 4 * len(planner.fixtures)


def test_a_match_without_a_verdict_ends_with_its_deals():
    planner = planned(duel(deals_per_bot=200))

    play_out(planner, (0.1, 0))

    assert planner.complete
    assert planner.verdict is None
    assert len(planner.fixtures) == 9 * 6  # 200 deals in whole sets of 24
    assert "inconclusive" in planner.report[0]
    assert planner.facts["test"]["deals"] == 216


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_results_decides_nothing(seed):
    ordered, jumbled = planned(duel(test=WIDE)), planned(duel(test=WIDE))

    play_out(ordered, (1, 0))
    play_out(jumbled, (1, 0), seed=seed, at_a_time=30)

    assert jumbled.fixtures == ordered.fixtures
    assert jumbled.facts == ordered.facts


def test_a_match_that_was_stopped_goes_on_from_its_results():
    first, second, whole = (planned(duel(test=WIDE)) for _ in range(3))
    play_out(whole, (0.4, 0))
    done = play_out(first, (0.4, 0), seed=1, stop_after=20)
    for fixture in sorted(done):
        second.add(fixture, rows_of(second, second.fixtures[fixture], (0.4, 0)))
        second.plan_on()

    assert second.fixtures == first.fixtures == whole.fixtures[: len(first.fixtures)]


def test_four_sets_are_planned_before_anything_is_known():
    planner = planned(duel())

    assert len(planner.fixtures) == 4 * 6
    assert planner.plan_on() == []
    assert not planner.complete


def false_verdicts(times: int) -> float:
    """Returns how often two bots of which the second is better by δ0 end with the first accepted."""

    chance = random.Random(5)

    def rows(planner, fixture, skill):
        points = [round(26_000 + chance.gauss(0, 7_000)) - (500 if bot else 0) for bot in fixture.seats]
        return [deal(fixture.seats, points)]

    wrong = 0
    for _ in range(times):
        planner = planned(duel(test=WIDE, deals=1))
        play_out(planner, (0, 0), rows=rows)
        wrong += planner.verdict is not None and planner.verdict.verdict is TestVerdict.H1
    return wrong / times


def test_the_worse_bot_is_seldom_called_better():
    assert false_verdicts(20) <= 0.2


@pytest.mark.slow
def test_the_worse_bot_is_called_better_no_oftener_than_it_may():
    assert false_verdicts(600) <= 0.05 + 3 * (0.05 * 0.95 / 600) ** 0.5


def test_a_round_robin_has_no_planner():
    made = spec(5)

    assert planner_of(made, DERIVATION, schedule(5)) is None
