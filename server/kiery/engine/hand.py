"""A hand as four small integers, one a suit: what the engine counts with at every card.

Bit r of a suit is the card of rank r, bit 13 + r its twin, set only beside the first one's. Small
integers are what makes the play of a card cheap in Python; everywhere else a hand is one `CardMask`.
"""

from typing import Final

from kiery.cards import RANKS, SUIT_NUMBERS, TWIN_SHIFT, CardMask, Suit

__all__ = [
    "RANK_BITS",
    "SUITS",
    "SuitedHand",
    "hand_numbers",
    "join_suits",
    "split_suits",
    "suit_numbers",
]

SuitedHand = list[int]
"""Clubs, diamonds, spades, hearts."""

_SUIT_BITS: Final = (1 << RANKS) - 1
_SHIFTS: Final = tuple(RANKS * suit + 1 for suit in Suit)
_CLUBS, _DIAMONDS, _SPADES, _HEARTS = SUIT_NUMBERS

# A byte from anywhere indexes these: what is no card has no bit, so it is in no hand.
_UNUSED: Final = 256 - 53
SUITS: Final = (0, *((card - 1) // RANKS for card in range(1, 53)), *bytes(_UNUSED))
"""The suit of a card number, 256 entries; 0 where the number is no card."""
RANK_BITS: Final = (0, *(1 << (card - 1) % RANKS for card in range(1, 53)), *bytes(_UNUSED))
"""The bit of a card number within its suit, 256 entries; 0 where the number is no card."""


def split_suits(hand: CardMask) -> SuitedHand:
    """Returns a hand by suit."""
    twins = hand >> TWIN_SHIFT
    return [hand >> shift & _SUIT_BITS | (twins >> shift & _SUIT_BITS) << RANKS for shift in _SHIFTS]


def suit_numbers(suited: int, suit: int) -> bytes:
    """Returns the card numbers of one suit of a hand, each once, ascending, one a byte."""
    return SUIT_NUMBERS[suit][suited & _SUIT_BITS]


def join_suits(hand: SuitedHand) -> CardMask:
    """Returns a hand as one mask; inverse of `split_suits`."""
    clubs, diamonds, spades, hearts = hand
    if (clubs | diamonds | spades | hearts) <= _SUIT_BITS:
        # The shifts of `_SHIFTS`, written out: no twins.
        return clubs << 1 | diamonds << 14 | spades << 27 | hearts << 40
    mask = 0
    for suited, shift in zip(hand, _SHIFTS, strict=True):
        mask |= (suited & _SUIT_BITS) << shift | (suited >> RANKS) << (shift + TWIN_SHIFT)
    return mask


def hand_numbers(hand: SuitedHand) -> bytes:
    """Returns the card numbers of a hand, each once, ascending, one a byte."""
    clubs, diamonds, spades, hearts = hand
    return (
        _CLUBS[clubs & _SUIT_BITS]
        + _DIAMONDS[diamonds & _SUIT_BITS]
        + _SPADES[spades & _SUIT_BITS]
        + _HEARTS[hearts & _SUIT_BITS]
    )
