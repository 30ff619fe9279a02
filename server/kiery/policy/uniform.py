"""Any legal action, each equally likely."""

from typing import TYPE_CHECKING

from kiery.cards import Card
from kiery.view import Observation

if TYPE_CHECKING:
    from kiery.policy.builtin import Chance

__all__ = ["uniform_pass", "uniform_play"]


def uniform_pass(observation: Observation, chance: "Chance") -> tuple[Card, ...]:
    """Returns a random part of the hand."""
    hand = list(observation.legal)
    return tuple(hand.pop(chance.below(len(hand))) for _ in range(observation.choose_count))


def uniform_play(observation: Observation, chance: "Chance") -> Card:
    """Returns a random legal card."""
    legal = observation.legal
    return legal[chance.below(len(legal))]
