import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.tournament.reference import reference
from tests.tournament.specs import deal, played, schedule

from kiery.tournament import DealRow, Standings, Tally, compute_standings
from kiery.tournament.standings import _order_keys


def standings(
    rows: list[DealRow], entrants: int = 4, house_bots: int = 0, plays_per_unit: int = 1
) -> Standings:
    tally = Tally(
        entrants=entrants,
        house_bots=house_bots,
        players=len(rows[0].seats) if rows else 4,
        plays_per_unit=plays_per_unit,
    )
    for row in rows:
        tally.add(row)
    return compute_standings(tally, [f"b{index}" for index in range(entrants)])


def by_entrant(made: Standings):
    return sorted(made.rows, key=lambda row: row.entrant)


def simulated(seed: int, entrants: int, skill=None, players: int = 4, **fields):
    """Returns a schedule and its deals, a few of them forfeited."""
    made = schedule(entrants, players, **fields)
    chance = random.Random(seed)
    skills = skill or [chance.gauss(0, 1) for _ in range(entrants + made.house_count)]
    rows = [row for fixture in made.fixtures for row in played(made, fixture, chance, skills)]
    return made, rows


def forfeits(rows: list[DealRow], every: int) -> list[DealRow]:
    chance = random.Random(every)
    return [
        deal(
            row.seats,
            row.points,
            row.unit,
            pack_points=row.pack_points,
            forfeited=frozenset(chance.sample(range(4), 2)),
        )
        if index % every == 0
        else row
        for index, row in enumerate(rows)
    ]


@pytest.mark.parametrize("sharing", ["independent", "laps"])
@pytest.mark.parametrize("entrants", [2, 4, 5, 9, 14])
@pytest.mark.parametrize("every", [10**6, 7])
def test_the_fit_agrees_with_a_dense_reference(sharing, entrants, every):
    made, rows = simulated(entrants, entrants, sharing=sharing, deals_per_bot=50)
    rows = forfeits(rows, every)
    bots = entrants + made.house_count
    tally = Tally.of_schedule(made)
    for row in rows:
        tally.add(row)

    result = compute_standings(tally, [f"b{index}" for index in range(entrants)])

    expected = reference(rows, entrants, bots)
    honest = np.array([1 - row.forfeits / row.deals for row in by_entrant(result)])
    excess = np.zeros(entrants)
    for row in rows:
        for seat in row.forfeited:
            if row.seats[seat] < entrants:
                excess[row.seats[seat]] += max(row.points[seat], 13_000) - sum(row.points) / 4
    deals = np.array([row.deals for row in by_entrant(result)])
    nets = honest * expected.theta[:entrants] - excess / deals
    assert [row.net for row in by_entrant(result)] == pytest.approx(nets, abs=1e-6)
    covariance = np.outer(honest, honest) * expected.covariance[:entrants, :entrants]
    quantile = stats.t.ppf(0.975, expected.freedom)
    assert [row.half_width for row in by_entrant(result)] == pytest.approx(
        quantile * np.sqrt(np.diag(covariance)), rel=1e-6
    )
    for one in range(entrants):
        for other in range(one):
            spread = covariance[one, one] + covariance[other, other] - 2 * covariance[one, other]
            pair = result.pair(one, other)
            assert pair.net == pytest.approx(nets[one] - nets[other], abs=1e-6)
            assert pair.half_width == pytest.approx(quantile * np.sqrt(spread), rel=1e-6)


@settings(max_examples=6)
@given(st.randoms(use_true_random=False))
def test_the_order_of_deals_does_not_matter(chance):
    _, rows = simulated(1, 5, sharing="laps", deals_per_bot=16)
    rows = forfeits(rows, 9)
    shuffled = chance.sample(rows, len(rows))

    before, after = standings(rows, 5, plays_per_unit=4), standings(shuffled, 5, plays_per_unit=4)

    assert [row.net for row in before.rows] == pytest.approx([row.net for row in after.rows], abs=1e-6)
    assert [row.half_width for row in before.rows] == pytest.approx([row.half_width for row in after.rows])


def test_nets_of_the_field_sum_to_nothing():
    _, rows = simulated(3, 9)

    assert sum(row.net for row in standings(rows, 9).rows) == pytest.approx(0, abs=1e-6)


def test_memory_does_not_grow_with_the_deals():
    tally = Tally(entrants=4, house_bots=0, players=4)

    for number in range(200):
        tally.add(deal((0, 1, 2, 3), (26, number % 5, 0, 0), f"t1/f{number}/1"))

    assert len(tally.patterns) == 1
    assert tally.unit_count == 200


def test_shared_boards_are_one_unit():
    rows = [
        deal((0, 1, 2, 3), (13, 5, 5, 3)),
        deal((1, 2, 3, 0), (13, 5, 5, 3)),
        deal((2, 3, 0, 1), (6, 6, 6, 8), "other"),
    ]

    made = standings(rows, plays_per_unit=4)

    assert made.unit_count == 2
    assert made.deal_count == 3


def test_without_deals_nobody_has_a_net():
    made = standings([])

    assert [(row.place, row.net, row.half_width, row.points) for row in made.rows] == [
        (1, None, None, None)
    ] * 4
    assert [(row.best_place, row.worst_place) for row in made.rows] == [(1, 4)] * 4
    assert list(made.pairs()) == []


def test_a_single_deal_gives_nets_without_intervals():
    made = standings([deal((0, 1, 2, 3), (0, 6, 7, 13))])

    assert [row.net for row in made.rows] == pytest.approx([6.5, 0.5, -0.5, -6.5])
    assert {row.half_width for row in made.rows} == {None}
    assert {(row.best_place, row.worst_place) for row in made.rows} == {(1, 4)}
    assert {pair.half_width for pair in made.pairs()} == {None}


def test_a_single_entrant_is_first_without_an_interval():
    rows = [
        deal((0, 1, 2, 3), (number % 7, 13, 6, 7 - number % 7), f"t1/f{number}/1") for number in range(20)
    ]

    made = standings(rows, entrants=1, house_bots=3)

    assert [(row.place, row.best_place, row.worst_place) for row in made.rows] == [(1, 1, 1)]
    assert made.rows[0].half_width is None


def test_who_has_hardly_played_is_given_no_narrow_interval():
    _, rows = simulated(2, 5)
    rare = [row for row in rows if 4 not in row.seats]
    first = next(row for row in rows if 4 in row.seats)

    made = by_entrant(standings([*rare, first], 5))

    assert made[4].half_width is None
    assert (made[4].best_place, made[4].worst_place) == (1, 5)
    assert made[0].half_width is not None


def test_fields_that_never_met_are_not_compared():
    rows = [deal((0, 1, 2, 3), (number, 5, 6, 15 - number), f"a/{number}") for number in range(10)]
    rows += [deal((4, 5, 6, 7), (number, 5, 6, 15 - number), f"b/{number}") for number in range(10)]

    made = standings(rows, entrants=8)

    assert made.pair(0, 4) is None
    assert made.pair(0, 1) is not None
    assert {row.half_width for row in made.rows} == {None}


def test_columns_count_what_happened():
    queen = frozenset({0})
    rows = [
        deal(
            (0, 1, 2, 3),
            (0, 26, 26, 26),
            "a",
            shooter=0,
            queen_seats=queen,
            think_ms={0: (5, 1), 1: (9,)},
        ),
        deal((1, 0, 2, 3), (13, 0, 7, 6), "b", queen_seats=queen, think_ms={1: (3, 100)}),
    ]

    made = by_entrant(standings(rows))

    assert (made[0].moons_for, made[0].moons_against) == (1, 0)
    assert (made[1].moons_for, made[1].moons_against) == (0, 1)
    assert made[0].place_shares == (1.0, 0.0, 0.0, 0.0)
    assert made[1].place_shares == (0.0, 0.5, 0.0, 0.5)
    assert (made[0].queen_share, made[1].queen_share, made[2].queen_share) == (0.5, 0.5, 0.0)
    assert (made[0].median_think_ms, made[0].max_think_ms) == (4.0, 100)
    assert (made[1].median_think_ms, made[2].median_think_ms) == (9.0, None)
    assert made[1].points == 19.5


def test_a_forfeit_is_charged_half_the_pack_at_least():
    made = by_entrant(standings([deal((0, 1, 2, 3), (2, 10, 7, 7), forfeited=frozenset({0}))]))

    assert made[0].points == 13
    assert made[0].net == 6.5 - 13
    assert made[0].forfeits == 1
    assert made[0].place_shares == (0.0, 0.0, 0.0, 1.0)
    assert made[0].unreliable
    assert made[1].points == 10


def test_a_forfeit_is_charged_its_points_if_they_are_more():
    made = by_entrant(standings([deal((0, 1, 2, 3), (20, 6, 0, 0), forfeited=frozenset({0}))]))

    assert made[0].points == 20
    assert made[0].net == 6.5 - 20


def test_a_substitutes_moon_does_not_count_for_the_entrant():
    row = deal((0, 1, 2, 3), (0, 26, 26, 26), shooter=0, forfeited=frozenset({0}))

    made = by_entrant(standings([row]))

    assert (made[0].moons_for, made[0].points, made[0].queen_share) == (0, 13, 0.0)
    assert made[0].net == pytest.approx(19.5 - 13)
    assert made[1].moons_against == 1


def test_giving_up_is_never_better_than_the_substitutes_points():
    for points in ((0, 26, 0, 0), (13, 13, 0, 0), (26, 0, 0, 0)):
        forfeit, honest = (
            by_entrant(standings([deal((0, 1, 2, 3), points, forfeited=seats)]))[0]
            for seats in (frozenset({0}), frozenset())
        )
        assert forfeit.net <= honest.net


def test_one_forfeited_deal_does_not_shift_the_others():
    _, rows = simulated(4, 9)
    hit = deal(rows[0].seats, (26_000, 0, 0, 0), "extra", pack_points=26_000, forfeited=frozenset({0}))

    before, after = (by_entrant(standings(some, 9)) for some in (rows, [*rows, hit]))

    untouched = [entrant for entrant in range(9) if entrant not in rows[0].seats]
    for entrant in untouched:
        assert after[entrant].net == pytest.approx(before[entrant].net, abs=150)


def tied(*, firsts: bool = False) -> list[DealRow]:
    """Returns deals in which b0 and b1 have the same net, and the same first places unless told otherwise."""
    rows = [deal((0, 1, 2, 3), (5, 5, 8, 8), "a"), deal((1, 0, 3, 2), (5, 5, 8, 8), "b")]
    if firsts:
        rows += [deal((0, 1, 2, 3), (0, 4, 11, 11), "c"), deal((0, 1, 2, 3), (5, 1, 0, 20), "d")]
    return rows


def test_equal_entrants_share_a_place_and_stand_by_name():
    made = standings(tied())

    assert [(row.name, row.place) for row in made.rows] == [("b0", 1), ("b1", 1), ("b2", 3), ("b3", 3)]


def test_more_first_places_break_a_tie():
    made = standings(tied(firsts=True))

    assert [(row.name, row.place) for row in made.rows[:2]] == [("b0", 1), ("b1", 2)]


def test_the_net_where_the_tied_met_breaks_a_tie_before_anything_else():
    # Where b0 and b1 met, b1 was better.
    rows = [
        deal((0, 1, 2, 3), (10, 6, 5, 5), "a"),
        deal((0, 4, 2, 3), (3, 9, 7, 7), "b"),
        deal((1, 4, 2, 3), (7, 5, 7, 7), "c"),
    ]
    tally = Tally(entrants=5, house_bots=0, players=4)
    for row in rows:
        tally.add(row)

    keys = _order_keys(tally, np.array([1.00001, 1.00002, 0, -1, -1]))

    assert keys[1] < keys[0]


def test_fewer_forfeits_break_a_tie_before_first_places():
    tally = Tally(entrants=2, house_bots=2, players=4)
    tally.add(deal((0, 1, 2, 3), (0, 5, 8, 13), "a", forfeited=frozenset({1})))
    tally.columns[1].places[0] = 9

    keys = _order_keys(tally, np.array([1.0, 1.0]))

    assert keys[0] < keys[1]


def test_a_better_bot_is_found_and_ranges_hold_every_place():
    _, rows = simulated(5, 5, skill=[4, 0, 0, 0, 0], deals_per_bot=400)

    made = standings(rows, 5)

    assert (made.rows[0].entrant, made.rows[0].best_place, made.rows[0].worst_place) == (0, 1, 1)
    assert [row.winner_group for row in made.rows] == [True, False, False, False, False]
    assert all(row.best_place <= row.place <= row.worst_place for row in made.rows)
    assert made.pair(0, 1).significant
    assert made.pair(1, 0).net == -made.pair(0, 1).net


def coverage(tournaments: int, seed: int, entrants: int = 5) -> tuple[float, float]:
    """Returns how often intervals of pairs held the truth, and how often equal bots were told apart."""
    chance = np.random.default_rng(seed)
    made = schedule(entrants, deals_per_bot=1)
    held = false = 0
    skill = np.linspace(-1, 1, entrants)
    for _ in range(tournaments):
        tallies = [Tally.of_schedule(made) for _ in range(2)]
        for fixture in made.fixtures:
            for number in range(1, 5):
                noise = chance.exponential(6, size=4)
                for tally, skills in zip(tallies, (skill, 0 * skill), strict=True):
                    points = tuple((noise - skills[list(fixture.seats)]).tolist())
                    tally.add(deal(fixture.seats, points, f"{fixture.stream}/{number}"))
        names = [str(index) for index in range(entrants)]
        unequal, equal = (compute_standings(tally, names) for tally in tallies)
        held += sum(
            abs(pair.net - (skill[pair.entrant] - skill[pair.opponent])) <= pair.half_width
            for pair in unequal.pairs()
        )
        false += any(pair.significant for pair in equal.pairs())
    return held / (tournaments * entrants * (entrants - 1)), false / tournaments


def test_intervals_hold_the_truth_as_often_as_they_say():
    held, _ = coverage(30, seed=1)

    assert 0.91 <= held <= 0.99


@pytest.mark.slow
def test_intervals_hold_the_truth_in_a_thousand_tournaments():
    held, false = coverage(1000, seed=2)

    assert 0.93 <= held <= 0.97
    assert false <= 0.065  # 5 % and three standard errors
