import random
from collections import Counter

import numpy as np
import pytest
from tests.tournament.formats import DERIVATION, planned, play_out, rows_of
from tests.tournament.specs import deal, spec

from kiery.tournament import Tally, compute_standings
from kiery.tournament.badge import badges

SKILL = [400 * bot for bot in range(9)]


def ladder(entrants=9, **fields):
    return spec(entrants, format="ladder", deals=1, **{"tables_budget": 40} | fields)


def tables(planner) -> list[tuple[int, ...]]:
    return [tuple(sorted(each.seats)) for each in planner.fixtures if not each.arrangement]


def test_a_ladder_plays_its_budget_in_whole_sets():
    planner = planned(ladder())

    done = play_out(planner, SKILL)

    assert planner.complete
    assert len(done) == 40 * 4
    for number in range(40):
        rows = np.array([each.seats for each in planner.fixtures if each.set_index == number])
        assert all(sorted(rows[:, seat]) == sorted(rows[0]) for seat in range(4))


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_results_decides_nothing(seed):
    ordered, jumbled = planned(ladder()), planned(ladder())

    play_out(ordered, SKILL)
    play_out(jumbled, SKILL, seed=seed)

    assert jumbled.fixtures == ordered.fixtures


def test_other_results_make_other_tables():
    one, other = planned(ladder()), planned(ladder())

    play_out(one, SKILL)
    play_out(other, SKILL[::-1])

    assert one.fixtures[:16] == other.fixtures[:16]  # two rounds of two tables
    assert one.fixtures != other.fixtures


def test_a_ladder_that_was_stopped_goes_on_from_its_results():
    first, second, whole = (planned(ladder()) for _ in range(3))
    play_out(whole, SKILL)
    done = play_out(first, SKILL, seed=4, stop_after=70)
    for fixture in sorted(done):
        second.add(fixture, rows_of(second, second.fixtures[fixture], SKILL))
        second.plan_on()

    assert second.fixtures == first.fixtures == whole.fixtures[: len(first.fixtures)]


def test_bots_that_play_alike_meet_more_often():
    planner = planned(ladder(16, tables_budget=160))
    skill = [0] * 8 + [8000] * 8

    play_out(planner, skill)

    # Without the tables by lot, of which every fourth is one.
    chosen = [table for number, table in enumerate(tables(planner)) if number % 4 < 3][30:]
    pure = sum(len({bot // 8 for bot in table}) == 1 for table in chosen)
    assert pure > len(chosen) / 2
    assert sum(len({bot // 8 for bot in table}) == 1 for table in tables(planner)[3::4]) < 10


def test_everybody_plays_about_as_much():
    planner = planned(ladder(9, tables_budget=90))

    play_out(planner, SKILL)
    played = Counter(bot for table in tables(planner) for bot in table)

    assert min(played.values()) > 0.6 * 40
    assert max(played.values()) < 1.5 * 40


def test_whoever_has_not_played_is_first_while_nobody_is_known():
    planner = planned(ladder(16))
    played: Counter[int] = Counter()

    for table in tables(planner)[:3]:
        assert min(played[bot] for bot in table) == min(played[bot] for bot in range(16))
        played.update(table)


def test_whoever_is_known_worst_comes_first():
    planner = planned(ladder(8, tables_budget=200))
    noisy = random.Random(1)

    def rows(planner, fixture, skill):
        # Bot 5 plays by fits and starts.
        return [
            deal(
                row.seats,
                [
                    points + (round(noisy.gauss(0, 60_000)) if bot == 5 else 0)
                    for bot, points in zip(row.seats, row.points, strict=True)
                ],
                row.unit,
            )
            for row in rows_of(planner, fixture, skill)
        ]

    play_out(planner, [0] * 8, rows=rows)
    played = Counter(bot for table in tables(planner) for bot in table)

    assert played.most_common(1)[0][0] == 5
    assert played[5] > 1.3 * 100


def test_owners_are_kept_apart():
    entrants = [{"name": f"b{index}", "owner": f"o{index // 2}"} for index in range(10)]
    planner = planned(ladder(entrants, separate_owners=True))

    play_out(planner, [*SKILL, 0])

    assert all(len({bot // 2 for bot in table}) == 4 for table in tables(planner))


def test_a_ladder_without_a_budget_has_no_end():
    planner = planned(ladder(tables_budget=None))

    play_out(planner, SKILL, stop_after=300)

    assert not planner.complete
    assert len(planner.fixtures) > 300


@pytest.mark.parametrize(("deals", "sets"), [(100, 57), (1, 3)])
def test_deals_per_bot_are_a_mean_over_the_field(deals, sets):
    planner = planned(ladder(tables_budget=None, deals_per_bot=deals))

    play_out(planner, SKILL)

    assert len(planner.fixtures) == 4 * sets


def test_standings_of_a_ladder_find_the_best():
    planner = planned(ladder(tables_budget=60))
    tally = Tally.of_schedule(planner.schedule)

    def rows(planner, fixture, skill):
        made = rows_of(planner, fixture, skill)
        for row in made:
            tally.add(row)
        return made

    play_out(planner, [4 * value for value in SKILL], rows=rows)
    standings = compute_standings(tally, [f"b{bot}" for bot in range(9)])

    assert standings.rows[0].name == "b8"


def test_badges_follow_places_by_set_and_nothing_else():
    planner = planned(ladder(tables_budget=60))
    rows = []

    def kept(planner, fixture, skill):
        made = rows_of(planner, fixture, skill)
        rows.extend(made)
        return made

    play_out(planner, [10 * value for value in SKILL], rows=kept)
    worn = badges(rows, 9, 4)

    assert worn == badges(rows, 9, 4)
    best = sorted(range(9), key=lambda bot: worn[bot].ordinal)
    assert best[-1] == 8
    assert best[0] == 0
    assert worn[8].mu > 25 > worn[0].mu


def test_a_set_that_is_not_whole_counts_nothing():
    rows = [deal((0, 1, 2, 3), (0, 5, 8, 13))]

    assert {badge.mu for badge in badges(rows, 4, 4)} == {25.0}
    assert badges(rows, 4, 1)[0].mu > 25


def test_a_ladder_takes_its_chance_from_labels_of_its_own():
    planner = planned(ladder())
    order = list(range(9))
    DERIVATION.stream("t1/ladder/4").shuffle(order)

    play_out(planner, SKILL)

    assert tables(planner)[3] == tuple(sorted(order[:4]))
