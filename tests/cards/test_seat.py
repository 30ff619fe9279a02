"""Seats go clockwise."""

import pytest

from kiery.cards import left_of, seat_at


@pytest.mark.parametrize("players", range(3, 12))
def test_left_is_the_next_number_and_comes_round(players: int) -> None:
    seats = [0]
    for _ in range(players):
        seats.append(left_of(seats[-1], players))

    assert seats == [*range(players), 0]


def test_offsets_name_left_right_and_across() -> None:
    assert [seat_at(0, offset, 4) for offset in (1, -1, 2)] == [1, 3, 2]
    assert [seat_at(5, offset, 6) for offset in (1, -1, 3)] == [0, 4, 2]
