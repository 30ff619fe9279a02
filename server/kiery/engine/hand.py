"""A hand as four small integers, one a suit: what the engine counts with at every card.

Bit r of a suit is the card of rank r, bit 13 + r its twin, set only beside the first one's. Small
integers are what makes the play of a card cheap in Python; everywhere else a hand is one `CardMask`.
"""

from typing import Final

from kiery.cards import PACK, RANKS, TWIN_SHIFT, CardMask, Suit

__all__ = ["RANK_BITS", "SUITS", "SuitedHand", "join_suits", "low_cards", "split_suits"]

SuitedHand = list[int]
"""Clubs, diamonds, spades, hearts."""

_SUIT_BITS: Final = (1 << RANKS) - 1
_SHIFTS: Final = tuple(RANKS * suit + 1 for suit in Suit)

# A byte from anywhere indexes these: what is no card has no bit, so it is in no hand.
_UNUSED: Final = 256 - 53
SUITS: Final = (0, *((card - 1) // RANKS for card in range(1, 53)), *(0,) * _UNUSED)
"""The suit of a card number, 256 entries; 0 where the number is no card."""
RANK_BITS: Final = (0, *(1 << (card - 1) % RANKS for card in range(1, 53)), *(0,) * _UNUSED)
"""The bit of a card number within its suit, 256 entries; 0 where the number is no card."""


def split_suits(hand: CardMask) -> SuitedHand:
    """Returns a hand by suit."""
    twins = hand >> TWIN_SHIFT
    return [hand >> shift & _SUIT_BITS | (twins >> shift & _SUIT_BITS) << RANKS for shift in _SHIFTS]


def low_cards(suited: int, suit: int) -> CardMask:
    """Returns the cards of one suit of a hand, each once, as a mask."""
    return (suited & _SUIT_BITS) << _SHIFTS[suit]


def join_suits(hand: SuitedHand) -> CardMask:
    """Returns a hand as one mask; inverse of `split_suits`."""
    mask = 0
    for suited, shift in zip(hand, _SHIFTS, strict=True):
        mask |= (suited & _SUIT_BITS) << shift | (suited >> RANKS) << (shift + TWIN_SHIFT)
    return mask & (PACK | PACK << TWIN_SHIFT)
