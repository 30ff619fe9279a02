"""Boards of given cards are accepted only if they are what the rules deal."""

import pytest
from tests.engine.play import deal

from kiery.cards import EMPTY, mask_of, parse_card, parse_cards
from kiery.engine import BoardError, board_from_hands
from kiery.rules import Leftover, Rules, preset

HANDS = (
    "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC / 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD"
    " / 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS / 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"
)


def test_even_deal_of_the_whole_pack_is_a_board() -> None:
    board = board_from_hands(preset("hearts", 4), 3, deal(HANDS))

    assert (board.number, board.hands, board.kitty) == (3, tuple(deal(HANDS)), EMPTY)
    assert (board.label, board.key_hash) == ("", b"")


def test_kitty_belongs_to_the_deck() -> None:
    rules = Rules(
        preset="hearts",
        num_players=3,
        leftover=Leftover.KITTY_FIRST_TRICK,
        card_points=preset("hearts", 4).card_points,
    )
    cards = [card for hand in HANDS.split("/") for card in map(parse_card, hand.split())]
    hands = [mask_of(cards[start : start + 17]) for start in (0, 17, 34)]

    board = board_from_hands(rules, 1, hands, parse_cards("AH"))

    assert board.kitty == parse_cards("AH")
    with pytest.raises(BoardError, match="are not the deck"):
        board_from_hands(rules, 1, hands)


@pytest.mark.parametrize(
    ("hands", "message"),
    [
        (HANDS.rsplit("/", 1)[0], "3 hands: expected 4"),
        (HANDS.replace("2C ", "", 1), "seat 0 has 12 cards: expected 13"),
        (HANDS.replace("2D", "2D 2C", 1), "seat 1 has 14 cards: expected 13"),
        (HANDS.replace("2D", "2C", 1), "the hands and the kitty are not the deck of these rules"),
        (
            HANDS.replace("2D", "2C", 1).replace("2S", "2C", 1),
            "the hands are no deck: 2C is there twice already",
        ),
    ],
)
def test_hands_that_the_rules_do_not_deal_are_refused(hands: str, message: str) -> None:
    with pytest.raises(BoardError) as caught:
        board_from_hands(preset("hearts", 4), 1, deal(hands))

    assert str(caught.value) == message
    assert caught.value.reason == "INVALID_BOARD"
