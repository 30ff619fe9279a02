"""Par: what a board's seats are worth to bots of the house, from which follows who was dealt good cards.

A board is played `PAR_PLAYS` times by the substitute at all seats, which plays at random in one of
`PAR_RANDOM_ONE_IN` decisions. The policy, the number and the formula were fixed before any tournament:
whoever tunes them on its results can make them say anything. Par is shown beside the standings and
changes none of them. Source: docs/fairness.md, "Luck".
"""

from typing import Final

from kiery.cards import mask_of
from kiery.engine import Board, Match
from kiery.policy import POLICIES, SUBSTITUTE, Chance, act
from kiery.rules import MatchLength, Rules
from kiery.view import Action, Decision, DecisionKind, Phase

__all__ = ["PAR_METHOD", "PAR_PLAYS", "PAR_RANDOM_ONE_IN", "board_par", "luck_of", "par_label"]

PAR_VERSION: Final = 1
"""Raised when par comes out differently for the same board."""

PAR_PLAYS: Final = 16
"""Plays of each board: 64 would say hardly more."""

PAR_RANDOM_ONE_IN: Final = 10
"""One decision in so many is a random one, so that sixteen plays are not the same play."""

PAR_METHOD: Final = f"par-{PAR_VERSION} ({SUBSTITUTE}, {PAR_PLAYS} plays, 1 in {PAR_RANDOM_ONE_IN} random)"
"""What stands beside every figure that rests on par."""

_ONE_DEAL: Final = MatchLength(deal_limit=1)
_UNIFORM: Final = POLICIES["random"]


def par_label(board_label: str) -> str:
    """Returns the label of a board's chance: `t1/f12/3` has `t1/house-f12/3`."""
    tournament, stream, number = board_label.split("/")
    return f"{tournament}/house-{stream}/{number}"


def board_par(rules: Rules, board: Board, chance: Chance) -> tuple[float, ...]:
    """Returns the mean points of each seat over all plays.

    Args:
        rules: What is played.
        board: The cards.
        chance: The number stream of `par_label`, at its start.
    """
    sums = [0] * rules.num_players
    for _ in range(PAR_PLAYS):
        for seat, points in enumerate(_play(rules, board, chance)):
            sums[seat] += points
    return tuple(points / PAR_PLAYS for points in sums)


def luck_of(par: tuple[float, ...], seat: int) -> float:
    """Returns how many points a deal the cards of a seat were better than the table's: high is lucky."""
    return sum(par) / len(par) - par[seat]


def _play(rules: Rules, board: Board, chance: Chance) -> tuple[int, ...]:
    match = Match(rules, _ONE_DEAL, lambda _: board)
    match.start_deal()
    deal = match.deal
    if deal.phase is Phase.PASSING:
        passes = [
            _choose(
                match,
                seat,
                Decision(kind=DecisionKind.PASS, legal=deal.hands[seat], count=rules.pass_count),
                chance,
            )
            for seat in range(rules.num_players)
        ]
        for seat, action in enumerate(passes):
            match.choose_pass(seat, mask_of(action.cards))
    while deal.phase is Phase.PLAYING:
        legal = deal.legal_numbers()
        if len(legal) == 1:
            match.play(legal[0])
            continue
        decision = Decision(kind=DecisionKind.PLAY, legal=deal.legal, count=1)
        match.play(_choose(match, deal.turn, decision, chance).cards[0])
    if deal.phase is Phase.MOON_CHOICE:
        match.choose_moon(None)
    return deal.awarded or ()


def _choose(match: Match, seat: int, decision: Decision, chance: Chance) -> Action:
    policy = SUBSTITUTE if chance.below(PAR_RANDOM_ONE_IN) else _UNIFORM
    return act(policy, match.observe(seat, decision=decision), chance)
