"""Gauntlets and budgets: tables for which no design of a round robin is played."""

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from tests.tournament.formats import DERIVATION
from tests.tournament.specs import schedule, spec

from kiery.engine import Derivation
from kiery.tournament import ScheduleError, SpecError, check_schedule, opening_of
from kiery.tournament.anneal import anneal_tables


def meetings(made) -> Counter:
    """Returns how many sets each pair shares."""
    tables = {fixture.set_index: tuple(sorted(fixture.seats)) for fixture in made.fixtures}
    return Counter(pair for table in tables.values() for pair in combinations(table, 2))


@pytest.mark.parametrize(("entrants", "challengers"), [(4, 1), (5, 1), (9, 1), (9, 3), (12, 2), (20, 1)])
def test_each_challenger_meets_all_of_the_field_equally_often(entrants, challengers):
    made = opening_of(spec(entrants, format="gauntlet", challengers=challengers), DERIVATION)
    met = meetings(made)
    field = range(challengers, entrants)

    for fixture in made.fixtures:
        assert sum(bot < challengers for bot in fixture.seats) == 1
    across = {met[challenger, bot] for challenger in range(challengers) for bot in field}
    assert max(across) - min(across) <= made.sets_per_table
    within = {met[pair] for pair in combinations(field, 2)}
    assert max(within) - min(within) <= made.sets_per_table * challengers


def test_house_bots_fill_a_field_that_is_too_small():
    made = opening_of(spec(2, format="gauntlet"), DERIVATION)

    assert made.house_count == 2
    assert {tuple(sorted(fixture.seats)) for fixture in made.fixtures} == {(0, 1, 2, 3)}


def test_the_length_of_a_gauntlet_is_that_of_its_challengers():
    made = opening_of(spec(9, format="gauntlet", challengers=2, deals_per_bot=500), DERIVATION)
    played = Counter(bot for fixture in made.fixtures for bot in fixture.seats)

    assert played[0] == played[1]
    assert 500 <= 4 * played[0] < 500 + 4 * 4 * made.table_count


def test_two_challengers_at_one_table_are_found():
    made = opening_of(spec(6, format="gauntlet", challengers=2, deals_per_bot=1), DERIVATION)
    sets = {fixture.set_index for fixture in made.fixtures if 2 in fixture.seats and 0 in fixture.seats}
    broken = tuple(
        replace(each, seats=tuple(1 if bot == 2 else bot for bot in each.seats))
        if each.set_index in sets
        else each
        for each in made.fixtures
    )

    with pytest.raises(ScheduleError, match=r"two challengers|tables more"):
        check_schedule(replace(made, fixtures=broken))


@pytest.mark.parametrize(
    ("entrants", "budget"), [(5, 7), (9, 18), (9, 25), (10, 15), (13, 40), (14, 31), (30, 145), (40, 520)]
)
def test_a_budget_is_kept_with_pairs_within_one_of_the_mean(entrants, budget):
    made = schedule(entrants, tables_budget=budget, deals_per_bot=1)
    met = meetings(made)
    mean = budget * 6 / (entrants * (entrants - 1) / 2)
    played = Counter(bot for fixture in made.fixtures for bot in fixture.seats)

    assert made.table_count == budget
    assert all(abs(met[pair] - round(mean)) <= 1 for pair in combinations(range(entrants), 2))
    assert max(played.values()) - min(played.values()) <= 4


def test_a_budget_that_is_a_whole_design_is_that_design():
    met = meetings(schedule(9, tables_budget=36, deals_per_bot=1))

    assert set(met.values()) == {6}


def test_a_budget_too_small_to_seat_everybody_is_refused():
    with pytest.raises(SpecError, match="expected a tables_budget of 4 at least"):
        schedule(14, tables_budget=3)


def test_a_budget_keeps_owners_apart():
    entrants = [{"name": f"b{index}", "owner": f"o{index // 2}"} for index in range(12)]

    made = schedule(entrants, tables_budget=20, separate_owners=True)

    for fixture in made.fixtures:
        assert len({bot // 2 for bot in fixture.seats}) == 4


@pytest.mark.slow
@pytest.mark.parametrize("budget", [400, 1000, 4000])
def test_four_hundred_entrants_are_annealed_within_seconds(budget):
    met = meetings(schedule(400, tables_budget=budget, deals_per_bot=1))

    assert max(met.values()) <= 1 + budget * 6 / 79_800


def test_annealed_tables_give_everybody_its_number_and_make_up_for_what_was():
    stream = Derivation(bytes(32)).stream("t/schedule/1")
    quotas = [6, 6, 6, 6, 3, 3, 3, 3]
    met = {(0, 1): 40}

    tables = anneal_tables(quotas, 4, stream, met=met, weight=4)

    assert Counter(point for table in tables for point in table) == Counter(dict(enumerate(quotas)))
    assert all(len(set(table)) == 4 for table in tables)
    together = Counter(pair for table in tables for pair in combinations(sorted(table), 2))
    assert together[0, 1] == min(together[pair] for pair in combinations(range(4), 2))


@pytest.mark.parametrize("quotas", [[1, 1, 1], [4, 1, 1, 1, 1], []])
def test_numbers_that_fill_no_tables_are_refused(quotas):
    with pytest.raises(ValueError, match="no tables of 4"):
        anneal_tables(quotas, 4, Derivation(bytes(32)).stream("t/schedule/1"))
