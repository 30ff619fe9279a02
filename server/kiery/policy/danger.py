"""How much a seat wants to be rid of a card."""

from kiery.cards import Card
from kiery.rules import Rules

__all__ = ["danger"]


def danger(rules: Rules, card: Card) -> tuple[int, int, int]:
    """Returns a key that orders cards by danger: points first, then rank; the number decides ties.

    A card with a bonus is the last that anybody gives away.
    """
    points = rules.point_table[card]
    if card == rules.bonus_card:
        points += rules.bonus_points
    return points, card.rank, card
