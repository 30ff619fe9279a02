"""To whom cards are passed.

Source: docs/rules.md, "Passing". A hold deal and a pass of no cards are the same thing.
"""

from collections.abc import Sequence

from kiery.cards import CardMask, join_cards, without_cards
from kiery.rules.choices import PassDirection
from kiery.rules.rules import Rules

__all__ = ["exchange", "pass_direction", "pass_offset"]


def pass_direction(rules: Rules, board_number: int) -> PassDirection:
    """Returns the direction of a board, counted from 1; the cycle repeats."""
    if not rules.pass_count:
        return PassDirection.HOLD
    return rules.pass_cycle[(board_number - 1) % len(rules.pass_cycle)]


def pass_offset(rules: Rules, board_number: int) -> int:
    """Returns how many seats clockwise cards are passed, 0 (nobody passes) to players - 1."""
    match pass_direction(rules, board_number):
        case PassDirection.LEFT:
            return 1
        case PassDirection.RIGHT:
            return rules.num_players - 1
        case PassDirection.ACROSS:
            return rules.num_players // 2
        case PassDirection.HOLD:  # pragma: no branch  (the last of all values)
            return 0


def exchange(hands: Sequence[CardMask], passes: Sequence[CardMask], offset: int) -> list[CardMask]:
    """Returns the hands by seat after every seat has passed; all cards change hands at once.

    Args:
        hands: The hands by seat.
        passes: What each seat gives away, all of it in its hand.
        offset: How many seats clockwise the cards go.
    """
    after = [without_cards(hand, passed) for hand, passed in zip(hands, passes, strict=True)]
    for seat, passed in enumerate(passes):
        taker = (seat + offset) % len(hands)
        after[taker] = join_cards(after[taker], passed)
    return after
