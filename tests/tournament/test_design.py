import json
from importlib import resources

import pytest

from kiery.engine import Stream
from kiery.tournament import DesignError, DesignSource
from kiery.tournament.design import Design, _checked, balanced_design, complete_design, pair_counts

SHIPPED = json.loads(resources.files("kiery.tournament").joinpath("starters.json").read_text())


def design(points: int, size: int, **fields):
    return balanced_design(points, size, Stream(bytes(32)), **fields)


@pytest.mark.parametrize(("size", "points"), [(int(k), int(n)) for k in SHIPPED for n in SHIPPED[k]])
def test_a_shipped_design_lets_every_pair_meet_equally_often(size, points):
    made = design(points, size)

    assert len(set(pair_counts(points, made.tables).values())) == 1
    assert made.source in {DesignSource.SHIPPED, DesignSource.COMPLETE}


def test_a_damaged_design_is_refused():
    good = design(13, 4)
    tables = ((0, 1, 2, 4), *good.tables[1:])

    with pytest.raises(DesignError):
        _checked(Design(points=13, size=4, tables=tables, source=DesignSource.SHIPPED))


@pytest.mark.parametrize("points", [8, 12, 16, 20, 40, 5, 9, 13, 17, 41])
def test_whist_rounds_seat_everybody_and_each_pair_three_times(points):
    made = design(points, 4)

    assert set(pair_counts(points, made.tables).values()) == {3}
    if points % 4 == 0:
        rounds = [
            made.tables[start : start + points // 4] for start in range(0, len(made.tables), points // 4)
        ]
        assert len(rounds) == points - 1
        assert all(len({point for table in round_ for point in table}) == points for round_ in rounds)


@pytest.mark.parametrize(
    ("points", "size"), [(53, 4), (61, 5), (37, 3), (17, 8), (19, 9), (31, 10), (23, 11)]
)
def test_a_prime_field_gives_a_design_by_cosets(points, size):
    made = design(points, size)

    assert made.source is DesignSource.COSETS
    assert set(pair_counts(points, made.tables).values()) == {size - 1}


@pytest.mark.parametrize(
    ("points", "size", "tables"), [(4, 4, 1), (5, 4, 5), (6, 4, 15), (7, 4, 7), (7, 6, 7)]
)
def test_small_fields_play_the_smallest_exact_design(points, size, tables):
    assert len(design(points, size).tables) == tables


@pytest.mark.parametrize(("size", "most"), [(3, 40), (4, 40), (5, 40), (6, 30), (7, 22)])
def test_pairs_meet_within_one_of_the_mean_for_every_field(size, most):
    for points in range(size, most + 1):
        made = design(points, size)
        counts = pair_counts(points, made.tables)
        mean = sum(counts.values()) / len(counts)

        assert all(abs(count - mean) <= 1 for count in counts.values()), points
        assert {sum(point in table for table in made.tables) for point in range(points)} == {made.appearances}
        assert all(len(set(table)) == size for table in made.tables)
        if points > size and made.source is DesignSource.SEARCHED:
            assert min(counts.values()) >= 1, points


@pytest.mark.parametrize("size", range(8, 12))
@pytest.mark.parametrize("points", [12, 14, 20, 33])
def test_larger_tables_are_balanced_too(points, size):
    counts = pair_counts(points, design(points, size).tables)
    mean = sum(counts.values()) / len(counts)

    assert all(abs(count - mean) <= 1.5 for count in counts.values())


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 4, 6, 8, 11])
@pytest.mark.parametrize("points", [101, 400])
def test_large_fields_are_balanced_within_seconds(points, size):
    made = design(points, size)
    counts = pair_counts(points, made.tables)
    mean = sum(counts.values()) / len(counts)
    tolerance = 1 if size <= 6 else 1.5

    assert all(abs(count - mean) <= tolerance for count in counts.values())


def test_a_searched_design_may_be_shorter_than_a_round():
    made = design(400, 4, least_appearances=8)

    assert made.appearances == 8
    assert set(pair_counts(400, made.tables).values()) == {0, 1}


def test_an_exact_design_is_played_whole():
    assert design(16, 4, least_appearances=1).appearances == 15


def test_the_complete_design_has_every_combination():
    made = complete_design(9, 4, 126)

    assert len(set(made.tables)) == len(made.tables) == 126


def test_too_many_combinations_are_refused():
    with pytest.raises(DesignError, match="126 combinations"):
        complete_design(9, 4, 125)
