"""A bot's answers: `Action` to and from `kiery.v1.Answer`."""

from collections.abc import Mapping
from typing import Final

from kiery.rules import MoonChoice
from kiery.terms import DeclineReason
from kiery.v1 import play_pb2, terms_pb2
from kiery.view import Action

__all__ = ["action_from_message", "answer_to_message", "fill_answer"]

_MOON: Final = {
    MoonChoice.ADD: terms_pb2.MOON_CHOICE_ADD,
    MoonChoice.SUBTRACT: terms_pb2.MOON_CHOICE_SUBTRACT,
}
_MOON_BACK: Final = {number: choice for choice, number in _MOON.items()}
_DECLINES: Final[Mapping[int, DeclineReason]] = {reason.value: reason for reason in DeclineReason}


def answer_to_message(table: int, decision_id: int, action: Action) -> play_pb2.Answer:
    """Returns the message that answers a decision at a table (its handle on this stream)."""
    message = play_pb2.Answer()
    fill_answer(message, table, decision_id, action)
    return message


def fill_answer(message: play_pb2.Answer, table: int, decision_id: int, action: Action) -> None:
    """Writes the answer to a decision at a table into an empty message, usually just added to a request."""
    message.table = table
    message.decision = decision_id
    if action.cards:
        message.cards = action.cards
    if action.moon is not None:
        message.moon_choice = _MOON[action.moon]
    if action.decline is not None:
        message.decline = terms_pb2.DeclineReason.ValueType(action.decline)


def action_from_message(message: play_pb2.Answer) -> Action:
    """Returns what a bot answered. Whether it may do that is not judged here.

    An unknown moon choice counts as the default, an unknown reason to decline as `OTHER`.
    """
    moon, decline = message.moon_choice, message.decline
    if not moon and not decline:
        return Action(cards=message.cards)
    return Action(
        cards=message.cards,
        moon=_MOON_BACK.get(moon),
        decline=_DECLINES.get(decline, DeclineReason.OTHER) if decline else None,
    )
