"""Par follows from the board alone, and says who was dealt good cards."""

import pytest
from tests.engine.play import deal

from kiery.engine import Derivation, board_from_hands, derive_board
from kiery.rules import preset
from kiery.tournament.par import board_par, luck_of, par_label

RULES = preset("hearts", 4)
DERIVATION = Derivation(bytes(32))


def test_par_has_a_label_of_its_own_for_each_board() -> None:
    assert par_label("t1/f12.2/3") == "t1/house-f12.2/3"


def test_the_same_board_has_the_same_par() -> None:
    board = derive_board(RULES, 4, "t1/f0/4", DERIVATION.key("t1/f0/4"))

    pars = [board_par(RULES, board, DERIVATION.stream(par_label(board.label))) for _ in range(2)]

    assert pars[0] == pars[1]
    # Sixteen plays with random moves in them: not the same play sixteen times.
    assert any(points % 1 for points in pars[0])


def test_par_of_cards_that_nobody_can_lose_with_is_good() -> None:
    # Board 4 is a hold: seat 0 has the lowest cards of all suits, seat 1 the hearts.
    hands = deal(
        "2C 3C 4C 5C 2D 3D 4D 5D 2S 3S 4S 5S 6S"
        " / 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"
        " / 6C 7C 8C 9C TC JC QC KC AC 7S 8S 9S TS"
        " / 6D 7D 8D 9D TD JD QD KD AD JS QS KS AS"
    )

    par = board_par(RULES, board_from_hands(RULES, 4, hands), DERIVATION.stream("t1/house-f0/4"))

    assert par[0] == min(par)
    assert luck_of(par, 0) > 0
    assert sum(luck_of(par, seat) for seat in range(4)) == pytest.approx(0)
