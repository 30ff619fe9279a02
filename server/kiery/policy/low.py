"""The lowest safe card: low when it must follow or lead, the most dangerous one when it may discard."""

from kiery.cards import Card
from kiery.policy.danger import danger
from kiery.view import Observation

__all__ = ["low_pass", "low_play"]


def low_pass(observation: Observation) -> tuple[Card, ...]:
    """Returns the most dangerous cards of the hand."""
    ranked = sorted(observation.legal, key=lambda card: danger(observation.rules, card), reverse=True)
    return tuple(ranked[: observation.choose_count])


def low_play(observation: Observation) -> Card:
    """Returns the lowest card without points if there is one, or the most dangerous card when discarding."""
    legal = observation.legal
    led = observation.led_suit
    if led is not None and legal[0].suit is not led:
        return max(legal, key=lambda card: danger(observation.rules, card))
    points = observation.rules.point_table
    return min(legal, key=lambda card: (points[card], card.rank, card))
