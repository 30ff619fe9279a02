"""When a match is over, who wins, and what a silent shooter's choice is.

Source: docs/rules.md, "End test". Always judged on the current totals; no flag survives a deal.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kiery.rules.choices import MoonChoice, MoonDefault, TieRule
from kiery.rules.rules import Rules
from kiery.rules.scoring import DealTaken, deal_points, deal_totals

__all__ = ["MatchLength", "default_moon_choice", "is_over", "placements", "winners"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchLength:
    """How long a match lasts."""

    deal_limit: int | None = None
    """A fixed number of deals, at least 1; none: until the target score of the rules.

    In a match of fixed length the last deal is the end: neither the target, nor `max_deals`, nor
    the tie rule, nor a perfect round prolong or shorten it, and ties are shared.
    """


def is_over(
    rules: Rules, length: MatchLength, *, totals: Sequence[int], points: Sequence[int], deals_played: int
) -> bool:
    """Tells whether the match is over after a deal.

    Args:
        rules: The variant.
        length: A fixed number of deals, or to the target.
        totals: Each seat's total after the deal.
        points: Each seat's points awarded in that deal.
        deals_played: Deals played so far, this one included.
    """
    if length.deal_limit is not None:
        return deals_played >= length.deal_limit
    if rules.max_deals is not None and deals_played >= rules.max_deals:
        return True
    if max(totals) < rules.target_score:
        return False
    lowest = min(totals)
    if rules.tie_rule is TieRule.PLAY_ON and list(totals).count(lowest) > 1:
        return False
    prolonged = rules.perfect_round and any(
        scored == 0 and total != lowest for total, scored in zip(totals, points, strict=True)
    )
    return not prolonged


def winners(totals: Sequence[int]) -> tuple[int, ...]:
    """Returns the seats with the lowest total, ascending."""
    lowest = min(totals)
    return tuple(seat for seat, total in enumerate(totals) if total == lowest)


def placements(totals: Sequence[int]) -> tuple[int, ...]:
    """Returns each seat's placement, 1 the best; equal totals share the better one (1, 2, 2, 4)."""
    return tuple(1 + sum(other < total for other in totals) for total in totals)


def default_moon_choice(
    rules: Rules,
    length: MatchLength,
    *,
    shooter: int,
    taken: DealTaken,
    totals_before: Sequence[int],
    deals_played: int,
) -> MoonChoice:
    """Returns the choice made for a shooter that makes none.

    Args:
        rules: The variant; its `moon_default_choice` decides.
        length: Decides whether this deal may be the last.
        shooter: The seat that shot the moon.
        taken: What each seat took in the deal: bonus cards count for the totals.
        totals_before: Totals before this deal.
        deals_played: Deals played so far, this one included.
    """
    match rules.moon_default_choice:
        case MoonDefault.OTHERS_PLUS:
            return MoonChoice.ADD
        case MoonDefault.SHOOTER_MINUS:
            return MoonChoice.SUBTRACT
        case MoonDefault.SAFETY:  # pragma: no branch  (the last of all values)
            points = deal_points(rules, taken, MoonChoice.ADD)
            totals = deal_totals(rules, totals_before, points)
            ends = is_over(rules, length, totals=totals, points=points, deals_played=deals_played)
            return MoonChoice.SUBTRACT if ends and shooter not in winners(totals) else MoonChoice.ADD
