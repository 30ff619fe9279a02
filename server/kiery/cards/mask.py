"""Sets and multisets of cards as one integer.

Bit c stands for the card with number c (1…52); bit 52 + c for its twin, the second copy of the same
card in a game with two packs. A mask is always normalised: a twin's bit is set only beside the first
one's, so equal multisets are equal integers. `mask & DISTINCT` has each card once.
"""

from collections.abc import Iterable
from typing import Final

from kiery.cards.card import CARDS, RANKS, Card, parse_card

__all__ = [
    "DISTINCT",
    "EMPTY",
    "PACK",
    "RANK_MASKS",
    "SUIT_MASKS",
    "SUIT_NUMBERS",
    "TWIN_SHIFT",
    "CardMask",
    "add_card",
    "card_numbers",
    "cards_in",
    "count_cards",
    "format_cards",
    "has_cards",
    "join_cards",
    "mask_of",
    "parse_cards",
    "remove_card",
    "without_cards",
]

CardMask = int
"""A normalised multiset of cards with at most two of each."""

EMPTY: Final[CardMask] = 0
"""No cards."""

TWIN_SHIFT: Final = 52
"""Distance in bits between a card and its twin."""

PACK: Final[CardMask] = (1 << 53) - 2
"""One whole pack: bits 1 to 52."""

DISTINCT: Final[CardMask] = PACK
"""Keeps each card once, twins dropped."""

_SUIT_BITS: Final = (1 << RANKS) - 1

SUIT_MASKS: Final[tuple[CardMask, ...]] = tuple(_SUIT_BITS << (RANKS * suit + 1) for suit in range(4))
"""All cards of a suit, once each, indexed by `Suit`."""

RANK_MASKS: Final[tuple[CardMask, ...]] = tuple(
    sum(1 << (RANKS * suit + rank + 1) for suit in range(4)) for rank in range(RANKS)
)
"""All cards of a rank, once each, indexed by `Rank`."""


def _suit_numbers(suit: int) -> tuple[bytes, ...]:
    first = RANKS * suit + 1
    return tuple(
        bytes(first + rank for rank in range(RANKS) if bits >> rank & 1) for bits in range(1 << RANKS)
    )


# A legal set is listed for every decision: four look-ups and three joins instead of a loop over bits.
SUIT_NUMBERS: Final[tuple[tuple[bytes, ...], ...]] = tuple(_suit_numbers(suit) for suit in range(4))
"""By suit and by 13 bits, one a rank: the numbers of these cards, ascending, one a byte."""
_CLUBS, _DIAMONDS, _SPADES, _HEARTS = SUIT_NUMBERS


def card_numbers(mask: CardMask) -> bytes:
    """Returns the card numbers in a mask, one a byte, ascending, twins repeated."""
    numbers = (
        _CLUBS[mask >> 1 & 8191]
        + _DIAMONDS[mask >> 14 & 8191]
        + _SPADES[mask >> 27 & 8191]
        + _HEARTS[mask >> 40 & 8191]
    )
    twins = mask >> TWIN_SHIFT & PACK
    return bytes(sorted(numbers + card_numbers(twins))) if twins else numbers


def cards_in(mask: CardMask) -> tuple[Card, ...]:
    """Returns the cards of a mask, ascending by number, twins repeated."""
    return tuple([CARDS[number - 1] for number in card_numbers(mask)])


def count_cards(mask: CardMask) -> int:
    """Returns how many cards a mask holds, twins counted twice."""
    return mask.bit_count()


def add_card(mask: CardMask, card: int) -> CardMask:
    """Returns the mask with one more copy of a card.

    Raises:
        ValueError: Both copies are in the mask already, or the number is not 1…52.
    """
    if not 1 <= card <= TWIN_SHIFT:
        raise ValueError(f"{card} is no card number: expected 1 to 52")
    bit = 1 << card
    if not mask & bit:
        return mask | bit
    twin = bit << TWIN_SHIFT
    if mask & twin:
        raise ValueError(f"{CARDS[card - 1]} is there twice already")
    return mask | twin


def remove_card(mask: CardMask, card: int) -> CardMask:
    """Returns the mask with one copy of a card less.

    Raises:
        ValueError: The card is not in the mask.
    """
    if not 1 <= card <= TWIN_SHIFT or not mask >> card & 1:
        raise ValueError(f"card {card} is not there")
    bit = 1 << card
    twin = bit << TWIN_SHIFT
    return mask ^ twin if mask & twin else mask ^ bit


def join_cards(mask: CardMask, part: CardMask) -> CardMask:
    """Returns the multiset of all cards of both masks.

    Raises:
        ValueError: A card would be there a third time.
    """
    for card in card_numbers(part):
        mask = add_card(mask, card)
    return mask


def without_cards(mask: CardMask, part: CardMask) -> CardMask:
    """Returns the mask with every card of another one taken out, copy by copy.

    Raises:
        ValueError: A card of `part` is not in the mask.
    """
    for card in card_numbers(part):
        mask = remove_card(mask, card)
    return mask


def mask_of(cards: Iterable[int]) -> CardMask:
    """Returns the multiset of some cards (their numbers, in any order).

    Raises:
        ValueError: A number is not 1…52, or a card comes a third time.
    """
    numbers = cards if isinstance(cards, bytes) else tuple(cards)
    mask = EMPTY
    for number in numbers:
        # A number that is no card makes a bit outside the pack, or none at all.
        mask |= 1 << number if number > 0 else 1
    if mask & ~PACK == 0 and mask.bit_count() == len(numbers):
        return mask
    # Twins, or something wrong: card by card.
    mask = EMPTY
    for number in numbers:
        mask = add_card(mask, number)
    return mask


def has_cards(mask: CardMask, part: CardMask) -> bool:
    """Tells whether a mask holds every card of another one, twins counted."""
    return mask & part == part


def format_cards(mask: CardMask) -> str:
    """Returns the cards as text, ascending, separated by blanks: `2C 9C QH`."""
    return " ".join([str(card) for card in cards_in(mask)])


def parse_cards(text: str) -> CardMask:
    """Returns the multiset that a text of cards separated by blanks names; inverse of `format_cards`.

    Raises:
        CardTextError: A word names no card.
        ValueError: A card comes a third time.
    """
    return mask_of(parse_card(word) for word in text.split())
