"""Masks behave as multisets with at most two of each card."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiery.cards import (
    CARDS,
    DISTINCT,
    EMPTY,
    PACK,
    RANK_MASKS,
    SUIT_MASKS,
    TWIN_SHIFT,
    CardTextError,
    Rank,
    Suit,
    add_card,
    card_numbers,
    cards_in,
    count_cards,
    format_cards,
    has_cards,
    join_cards,
    mask_of,
    parse_card,
    parse_cards,
    remove_card,
    without_cards,
)

DOUBLE_PACK = [*CARDS, *CARDS]
NO_CARDS = [0, 53, 54, 104, 105, 255]

multisets = st.permutations(DOUBLE_PACK).flatmap(
    lambda cards: st.integers(0, len(cards)).map(lambda size: cards[:size])
)


@given(multisets)
def test_mask_lists_exactly_the_cards_it_was_made_of(cards: list[int]) -> None:
    mask = mask_of(cards)

    assert list(card_numbers(mask)) == sorted(cards)
    assert list(cards_in(mask)) == sorted(cards)
    assert count_cards(mask) == len(cards)


@given(multisets)
def test_order_of_adding_does_not_matter(cards: list[int]) -> None:
    assert mask_of(cards) == mask_of(reversed(cards)) == mask_of(sorted(cards))


@given(multisets)
def test_twin_is_there_only_beside_the_first(cards: list[int]) -> None:
    mask = mask_of(cards)

    assert mask >> TWIN_SHIFT & ~mask & PACK == 0
    assert set(card_numbers(mask & DISTINCT)) == set(cards)


@given(multisets, multisets)
def test_a_part_is_held_when_every_card_is_there_often_enough(whole: list[int], part: list[int]) -> None:
    held, wanted = Counter(whole), Counter(part[:6])

    assert has_cards(mask_of(whole), mask_of(part[:6])) == (wanted <= held)


@given(multisets, st.integers(0, 104))
def test_taking_away_undoes_joining(cards: list[int], cut: int) -> None:
    first, second = mask_of(cards[:cut]), mask_of(cards[cut:])
    both = join_cards(first, second)

    assert both == mask_of(cards)
    assert without_cards(both, second) == first
    assert without_cards(both, both) == EMPTY


@given(multisets)
def test_text_of_a_mask_reads_back_as_the_mask(cards: list[int]) -> None:
    mask = mask_of(cards)

    assert parse_cards(format_cards(mask)) == mask


def test_text_is_ascending_and_repeats_twins() -> None:
    assert format_cards(parse_cards("QH 2C  9C QH")) == "2C 9C QH QH"
    assert format_cards(EMPTY) == ""
    assert parse_cards(" ") == EMPTY


def test_text_with_a_word_that_is_no_card_is_refused() -> None:
    with pytest.raises(CardTextError, match=r"^'10H' is no card"):
        parse_cards("2C 10H")


def test_third_copy_is_refused_and_named() -> None:
    with pytest.raises(ValueError, match=r"^QS is there twice already$"):
        parse_cards("QS QS QS")
    with pytest.raises(ValueError, match=r"^QS is there twice already$"):
        join_cards(parse_cards("QS QS"), parse_cards("QS"))


@pytest.mark.parametrize("number", NO_CARDS)
def test_number_that_is_no_card_cannot_be_added(number: int) -> None:
    with pytest.raises(ValueError, match=rf"^{number} is no card number: expected 1 to 52$"):
        add_card(EMPTY, number)


@pytest.mark.parametrize("number", [-1, *NO_CARDS])
@pytest.mark.parametrize("cards", ["", "2C", "AH", "2C 2C AH AH"])
def test_number_that_is_no_card_cannot_be_removed(number: int, cards: str) -> None:
    # Bits 52 (AH) and 53 (the twin of 2C) are where zero's twin and card 53 would lie.
    with pytest.raises(ValueError, match=rf"^card {number} is not there$"):
        remove_card(parse_cards(cards), number)


@pytest.mark.parametrize("card", CARDS, ids=str)
def test_every_card_is_removed_copy_by_copy(card: int) -> None:
    both = mask_of(DOUBLE_PACK)

    one = remove_card(both, card)
    none = remove_card(one, card)

    assert (count_cards(one), count_cards(none)) == (103, 102)
    assert has_cards(one, mask_of([card]))
    assert not has_cards(none, mask_of([card]))
    with pytest.raises(ValueError, match="is not there"):
        remove_card(none, card)


def test_suit_and_rank_masks_part_the_pack() -> None:
    for masks, size in ((SUIT_MASKS, 13), (RANK_MASKS, 4)):
        assert [count_cards(mask) for mask in masks] == [size] * len(masks)
        assert sum(masks) == PACK == DISTINCT
    assert {card.suit for card in cards_in(SUIT_MASKS[Suit.SPADES])} == {Suit.SPADES}
    assert {card.rank for card in cards_in(RANK_MASKS[Rank.QUEEN])} == {Rank.QUEEN}
    assert mask_of([parse_card("2C")]) == 2
