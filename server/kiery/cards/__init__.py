"""Suits, ranks, cards, sets of cards as masks, seats clockwise, and their text.

What is not here: which cards a variant deals (`rules`), who holds them (`engine`).
"""

from kiery.cards.card import (
    CARDS,
    NO_CARD,
    RANKS,
    Card,
    CardTextError,
    Rank,
    Suit,
    parse_card,
)
from kiery.cards.mask import (
    DISTINCT,
    EMPTY,
    PACK,
    RANK_MASKS,
    SUIT_MASKS,
    TWIN_SHIFT,
    CardMask,
    add_card,
    card_numbers,
    cards_in,
    count_cards,
    format_cards,
    has_cards,
    join_cards,
    mask_of,
    parse_cards,
    remove_card,
    without_cards,
)
from kiery.cards.seat import Seat, left_of, seat_at

__all__ = [
    "CARDS",
    "DISTINCT",
    "EMPTY",
    "NO_CARD",
    "PACK",
    "RANKS",
    "RANK_MASKS",
    "SUIT_MASKS",
    "TWIN_SHIFT",
    "Card",
    "CardMask",
    "CardTextError",
    "Rank",
    "Seat",
    "Suit",
    "add_card",
    "card_numbers",
    "cards_in",
    "count_cards",
    "format_cards",
    "has_cards",
    "join_cards",
    "left_of",
    "mask_of",
    "parse_card",
    "parse_cards",
    "remove_card",
    "seat_at",
    "without_cards",
]
