"""Cards, their numbers and their text, over all 52."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiery.cards import CARDS, NO_CARD, RANKS, Card, CardTextError, Rank, Suit, parse_card


@pytest.mark.parametrize("card", CARDS, ids=str)
def test_text_of_every_card_reads_back_as_the_card(card: Card) -> None:
    assert parse_card(str(card)) is card
    assert repr(card) == str(card)


@pytest.mark.parametrize("card", CARDS, ids=str)
def test_number_of_every_card_follows_from_suit_and_rank(card: Card) -> None:
    assert card == 13 * card.suit + card.rank + 1
    assert Card.of(card.rank, card.suit) is card
    assert str(card) == f"{card.rank}{card.suit}"
    assert CARDS[card - 1] is card


def test_order_of_the_numbers_is_clubs_diamonds_spades_hearts() -> None:
    suits = ["CLUBS", "DIAMONDS", "SPADES", "HEARTS"]

    assert [suit.name for suit in Suit] == suits
    assert list(map(str, CARDS[:13])) == "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC".split()
    assert [str(CARDS[13 * suit]) for suit in Suit] == ["2C", "2D", "2S", "2H"]
    assert [str(rank) for rank in Rank] == list("23456789TJQKA")
    assert (len(CARDS), RANKS, CARDS[-1]) == (52, 13, 52)


def test_zero_is_no_card() -> None:
    assert NO_CARD == 0
    assert NO_CARD not in CARDS


@pytest.mark.parametrize("text", ["", "Q", "SQ", "QSS", "qs", "10H", "1C", "Q♠", " QS", "0", "XX", "QS\n"])
def test_text_that_names_no_card_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(CardTextError) as caught:
        parse_card(text)

    assert caught.value.reason == "CARD_TEXT"
    assert str(caught.value) == (
        f"{text!a} is no card: expected a rank 23456789TJQKA and a suit CDSH, like QS"
    )


def test_long_text_is_shown_only_in_part() -> None:
    with pytest.raises(CardTextError, match=r"^'Q{12}' is no card"):
        parse_card("Q" * 10_000)


@given(st.text())
def test_any_text_is_a_card_or_refused(text: str) -> None:
    try:
        card = parse_card(text)
    except CardTextError:
        return

    assert str(card) == text
