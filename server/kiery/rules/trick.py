"""Who wins a trick. Source: docs/rules.md, "Trick winner" and "Cancellation Hearts"."""

from collections.abc import Sequence
from typing import Final

from kiery.cards import RANKS
from kiery.rules.rules import Rules

__all__ = ["NOBODY", "trick_winner"]

NOBODY: Final = 127
"""In place of a seat: every card of the suit led was cancelled."""


def trick_winner(rules: Rules, leader: int, cards: Sequence[int]) -> int:
    """Returns the seat that wins a complete trick, or `NOBODY`.

    Args:
        rules: The variant.
        leader: The seat that led.
        cards: Card numbers in play order, one for each seat.

    Returns:
        The seat with the highest card of the suit led; with `cancellation`, cards that are in the
        trick twice do not count.
    """
    led = (cards[0] - 1) // RANKS
    best, best_offset = 0, -1
    for offset, card in enumerate(cards):
        if (card - 1) // RANKS != led or card <= best:
            continue
        if rules.cancellation and cards.count(card) > 1:
            continue
        best, best_offset = card, offset
    return NOBODY if best_offset < 0 else (leader + best_offset) % rules.num_players
