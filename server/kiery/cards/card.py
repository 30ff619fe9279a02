"""One playing card: a number from 1 to 52, its suit and rank, and its two-letter text.

The number is the same everywhere: in a mask, in a record, on the wire (`proto/kiery/v1/card.proto`).
Zero is no card. The order is clubs, diamonds, spades, hearts, and 2 to ace within a suit.
"""

from enum import IntEnum
from typing import Final

from kiery.errors import KieryError

__all__ = ["CARDS", "NO_CARD", "RANKS", "Card", "CardTextError", "Rank", "Suit", "parse_card"]

RANKS: Final = 13
"""Ranks in a suit."""

NO_CARD: Final = 0
"""The number that names no card."""

_SUIT_TEXT: Final = "CDSH"
_RANK_TEXT: Final = "23456789TJQKA"


class Suit(IntEnum):
    """The four suits in the order of the card numbers."""

    CLUBS = 0
    DIAMONDS = 1
    SPADES = 2
    HEARTS = 3

    def __str__(self) -> str:
        """Returns the letter used in card text, for example `S`."""
        return _SUIT_TEXT[self]


class Rank(IntEnum):
    """The thirteen ranks, two low and ace high."""

    TWO = 0
    THREE = 1
    FOUR = 2
    FIVE = 3
    SIX = 4
    SEVEN = 5
    EIGHT = 6
    NINE = 7
    TEN = 8
    JACK = 9
    QUEEN = 10
    KING = 11
    ACE = 12

    def __str__(self) -> str:
        """Returns the letter or digit used in card text, for example `T`."""
        return _RANK_TEXT[self]


class CardTextError(KieryError):
    """A text that names no card."""

    reason = "CARD_TEXT"


class Card(int):
    """A card as its number, 1 (two of clubs) to 52 (ace of hearts): 13 · suit + rank + 1.

    `str(card)` is its text (`QS`, `TH`, `2C`) and the inverse of `parse_card`.
    The 52 values exist once, in `CARDS`.
    """

    __slots__ = ()

    @classmethod
    def of(cls, rank: Rank, suit: Suit) -> "Card":
        """Returns the card of a rank and a suit."""
        return CARDS[RANKS * suit + rank]

    @property
    def suit(self) -> Suit:
        """The card's suit."""
        return Suit((self - 1) // RANKS)

    @property
    def rank(self) -> Rank:
        """The card's rank."""
        return Rank((self - 1) % RANKS)

    def __str__(self) -> str:
        """Returns the two-letter text, rank first."""
        return _RANK_TEXT[(self - 1) % RANKS] + _SUIT_TEXT[(self - 1) // RANKS]

    def __repr__(self) -> str:
        """Returns the text as well: a list of cards reads as cards."""
        return str(self)


CARDS: Final[tuple[Card, ...]] = tuple(Card(number) for number in range(1, 53))
"""The 52 cards of one pack, ascending by number: `CARDS[number - 1]`."""

_BY_TEXT: Final = {str(card): card for card in CARDS}


def parse_card(text: str) -> Card:
    """Returns the card that a two-letter text names.

    Raises:
        CardTextError: The text is not a rank (`23456789TJQKA`) followed by a suit (`CDSH`).
    """
    card = _BY_TEXT.get(text)
    if card is None:
        shown = ascii(text[:12])
        raise CardTextError(f"{shown} is no card: expected a rank 23456789TJQKA and a suit CDSH, like QS")
    return card
