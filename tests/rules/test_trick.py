"""Who wins a trick."""

from typing import Any

import pytest

from kiery.cards import parse_card
from kiery.rules import NOBODY, preset, trick_winner


def winner(cards: str, leader: int = 0, name: str = "hearts", **changes: Any) -> int:
    numbers = [parse_card(text) for text in cards.split()]
    return trick_winner(preset(name, len(numbers), **changes), leader, numbers)


def test_highest_card_of_the_suit_led_wins() -> None:
    assert winner("2C 5C KC TC") == 2
    assert winner("2C 5C KC AC") == 3


def test_higher_card_of_another_suit_does_not_win() -> None:
    assert winner("3D KD AH AC") == 1
    assert winner("2C AS AH AD") == 0


@pytest.mark.parametrize("leader", range(4))
def test_seats_count_clockwise_from_the_leader(leader: int) -> None:
    assert winner("2C 5C KC TC", leader) == (leader + 2) % 4


def test_two_identical_cards_cancel_each_other() -> None:
    assert winner("9C KC KC 4C 2D", name="cancellation") == 0
    assert winner("KC KC 4C 9C 2D", 3, name="cancellation") == (3 + 3) % 5


def test_pair_off_suit_changes_nothing() -> None:
    assert winner("9C AD AD 4C 2D", name="cancellation") == 0


def test_trick_whose_suit_is_all_cancelled_has_no_winner() -> None:
    assert winner("9C 9C AD KH 2D", name="cancellation") == NOBODY
    assert winner("9C KC 9C KC AD", name="cancellation") == NOBODY


def test_same_rank_of_another_suit_cancels_nothing() -> None:
    assert winner("9C 9D 9S 9H 3C", name="cancellation") == 0


def test_two_packs_without_cancellation_give_the_trick_to_the_first_of_two() -> None:
    assert winner("9C KC KC 4C 2D", name="cancellation", cancellation=False) == 1


def test_nobody_is_no_seat() -> None:
    assert NOBODY == 127
