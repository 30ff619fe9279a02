from collections import Counter

import pytest

from kiery.engine import Stream
from kiery.tournament.seatplan import SIX_ORDERS, default_set_count, neighbour_cycle, seat_plan

ALL = range(3, 12)


def plan(seats: int, sets: int):
    return seat_plan([10 * place for place in range(seats)], sets, Stream(bytes(32)))


@pytest.mark.parametrize("seats", ALL)
def test_in_each_set_everybody_holds_every_seat_once(seats):
    for rows in plan(seats, 11):
        assert len(rows) == seats
        assert all(len(set(row)) == seats for row in rows)
        assert all(len(set(column)) == seats for column in zip(*rows, strict=True))


@pytest.mark.parametrize("seats", [3, 4, 5, 6, 7, 11])
def test_over_a_cycle_of_sets_everybody_has_everybody_to_the_left_equally_often(seats):
    cycle = neighbour_cycle(seats)

    for sets in (cycle, 2 * cycle):
        left = Counter(
            (row[seat], row[(seat + 1) % seats])
            for rows in plan(seats, sets)
            for row in rows
            for seat in range(seats)
        )
        assert len(left) == seats * (seats - 1)
        assert set(left.values()) == {sets * seats // (seats - 1)}


@pytest.mark.parametrize("seats", [3, 4, 5, 7, 11])
def test_over_a_cycle_of_sets_every_distance_is_balanced(seats):
    sets = neighbour_cycle(seats)

    for distance in range(1, seats):
        pairs = Counter(
            (row[seat], row[(seat + distance) % seats])
            for rows in plan(seats, sets)
            for row in rows
            for seat in range(seats)
        )
        assert set(pairs.values()) == {sets * seats // (seats - 1)}


def test_four_seats_follow_the_williams_square():
    first, second, third = plan(4, 3)
    name = dict(zip(first[0], "0132", strict=True))

    assert ["".join(name[bot] for bot in row) for row in first] == ["0132", "1203", "2310", "3021"]
    assert ["".join(name[bot] for bot in row) for row in second] == ["0231", "2103", "1320", "3012"]
    assert ["".join(name[bot] for bot in row) for row in third] == ["0123", "1302", "3210", "2031"]


def test_the_ten_circles_of_six_hold_every_ordered_neighbour_twice():
    left = Counter((circle[seat], circle[(seat + 1) % 6]) for circle in SIX_ORDERS for seat in range(6))

    assert len(SIX_ORDERS) == 10
    assert len(left) == 30
    assert set(left.values()) == {2}


def test_a_table_plays_as_many_sets_as_balance_neighbours():
    assert {seats: default_set_count(seats) for seats in ALL} == {
        3: 2, 4: 3, 5: 4, 6: 3, 7: 6, 8: 3, 9: 3, 10: 3, 11: 10,
    }  # fmt: skip
