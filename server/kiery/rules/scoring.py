"""Points of a deal: cards, bonus, moon. Low is good; penalty points are positive.

Source: docs/rules.md, "Scoring" and "Moon".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kiery.rules.choices import Moon, MoonChoice
from kiery.rules.rules import Rules

__all__ = ["DealTaken", "deal_points", "deal_totals", "is_settled", "moon_shooter"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DealTaken:
    """What each seat took in one deal; every tuple has one entry a seat."""

    points: tuple[int, ...]
    """Penalty points of the cards taken, before bonuses and moon."""
    bonus_cards: tuple[int, ...]
    """Copies of the bonus card taken."""
    tricks: tuple[int, ...]
    """Tricks taken, carried ones included."""


def moon_shooter(rules: Rules, taken: DealTaken) -> int | None:
    """Returns the seat that took every penalty card of the deck, if one did and the moon counts.

    The points taken before bonuses are compared with the whole deck's, never a net score.
    """
    if rules.moon is Moon.OFF:
        return None
    for seat, points in enumerate(taken.points):
        if points == rules.pack_points:
            lacks_bonus = rules.bonus_required_for_moon and taken.bonus_cards[seat] < rules.bonus_copies
            return None if lacks_bonus else seat
    return None


def is_settled(rules: Rules, taken: DealTaken) -> bool:
    """Tells whether no card still to be played can change a score: where `early_end` stops a deal."""
    return (
        sum(taken.points) == rules.pack_points
        and sum(taken.bonus_cards) == rules.bonus_copies
        and (not rules.no_trick_bonus or all(taken.tricks))
    )


def deal_points(rules: Rules, taken: DealTaken, choice: MoonChoice | None) -> tuple[int, ...]:
    """Returns the points awarded to each seat for a complete deal.

    Args:
        rules: The variant.
        taken: What each seat took.
        choice: How a moon is awarded; used only if there is a shooter, and then not none.

    Raises:
        ValueError: There is a shooter and no choice.
    """
    shooter = moon_shooter(rules, taken)
    if shooter is None:
        points = [
            card_points + (0 if tricks else rules.no_trick_bonus)
            for card_points, tricks in zip(taken.points, taken.tricks, strict=True)
        ]
    elif choice is MoonChoice.ADD:
        points = [rules.moon_points] * rules.num_players
        points[shooter] = 0
    elif choice is MoonChoice.SUBTRACT:
        points = [0] * rules.num_players
        points[shooter] = -rules.moon_points
    else:
        raise ValueError("a moon is awarded by a choice: expected add or subtract")
    # The bonus card is paid to its taker independently of the moon.
    return tuple(points[seat] + rules.bonus_points * copies for seat, copies in enumerate(taken.bonus_cards))


def deal_totals(rules: Rules, totals: Sequence[int], points: Sequence[int]) -> tuple[int, ...]:
    """Returns the totals after a deal, floored at 0 where negative totals are not allowed."""
    sums = [total + scored for total, scored in zip(totals, points, strict=True)]
    return tuple(sums if rules.allow_negative else [max(0, total) for total in sums])
