"""What a bot's method returned, as an answer: checked, explained to its author, and sent in any case.

The server is the judge. What is wrong here costs a fault there, so the author should hear of it twice.
"""

import logging
from typing import Any, Final, cast

from kiery.cards import CARDS
from kiery.rules import MoonChoice
from kiery.terms import DeclineReason
from kiery.view import Action, DecisionKind, judge_answer
from kiery_client.table import Turn

__all__ = ["METHODS", "READY", "answer_of", "answer_of_broken"]

logger = logging.getLogger("kiery_client")

METHODS: Final = {
    DecisionKind.READY: "ready",
    DecisionKind.PASS: "pass_cards",
    DecisionKind.PLAY: "play",
    DecisionKind.MOON_CHOICE: "choose_moon",
}
"""The names of the methods that decide."""

READY: Final = Action()
"""Ready for a match; for a moon: what the rules choose."""

_MOST_CARDS: Final = 104
"""Cards in two packs. Nothing longer is sent: it could not be an answer, nor fit in a message."""

# Made once: nearly every answer is one of these.
_PLAYS: Final = (READY, *(Action(cards=bytes((card,))) for card in CARDS))
_PLAY: Final = DecisionKind.PLAY


def answer_of(turn: Turn, result: object) -> Action:
    """Returns a method's result as the answer to a turn's decision; logs it when the server will reject it.

    Raises:
        TypeError: It is nothing that the method may return.
        ValueError: A number in it is none of a byte, or there are more cards than exist.
    """
    decision = turn.decision
    if turn.kind is _PLAY and decision is not None:
        if not isinstance(result, int):
            raise TypeError(f"play returned {result!r}: expected a Card of observation.legal")
        if 0 < result < len(_PLAYS) and decision.legal >> result & 1:
            return _PLAYS[result]
        return _judged(turn, Action(cards=bytes((result,))))
    match turn.kind:
        case DecisionKind.PASS:
            return _judged(turn, Action(cards=_cards(result)))
        case DecisionKind.MOON_CHOICE:
            if result is not None and not isinstance(result, MoonChoice):
                raise TypeError(f"choose_moon returned {result!r}: expected a MoonChoice, or None")
            return Action(moon=result)
        case _:
            if result is not None and not isinstance(result, DeclineReason):
                raise TypeError(f"ready returned {result!r}: expected None to play, or a DeclineReason")
            return Action(decline=result)


def answer_of_broken(kind: DecisionKind | None) -> Action | None:
    """Returns what is sent for a bot that raised: at once, so that the others at the table need not wait.

    No cards are a wrong answer, which the server rejects; it asks again, as its fault policy says. A moon is
    left to the rules, and a bot that cannot get ready declines. Nothing here plays in the bot's place.
    """
    match kind:
        case None:
            return None
        case DecisionKind.READY:
            return Action(decline=DeclineReason.OTHER)
        case _:
            return Action()


def _cards(result: object) -> bytes:
    # Any: what an author returned; bytes() refuses what is no number.
    cards = tuple(cast("Any", result))
    if len(cards) > _MOST_CARDS:
        raise ValueError(f"pass_cards returned {len(cards)} cards: expected observation.choose_count")
    return bytes(cards)


def _judged(turn: Turn, action: Action) -> Action:
    if turn.decision is not None and turn.kind is not None:
        hand = turn.observation.hand_mask if turn.observation is not None else None
        illegality = judge_answer(turn.decision, action, hand=hand)
        if illegality is not None:
            logger.warning(
                "%s returned an illegal answer: %s (%s)", METHODS[turn.kind], illegality.message, turn.table
            )
    return action
