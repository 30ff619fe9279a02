"""`Observation` to and from `kiery.v1.Observation`: a snapshot, without rules and decision."""

from kiery.cards import card_numbers
from kiery.rules import Rules
from kiery.v1 import play_pb2
from kiery.view import Observation, Phase
from kiery.wire.cards import (
    check_plays,
    check_winners,
    mask_from_bytes,
    one_each,
    ranged_seat,
    seats_from_bytes,
)
from kiery.wire.errors import WireError

__all__ = ["observation_from_message", "observation_to_message"]


def observation_to_message(observation: Observation) -> play_pb2.Observation:
    """Returns the snapshot message."""
    return play_pb2.Observation(
        deal_number=observation.deal_number,
        phase=play_pb2.Phase.ValueType(observation.phase),
        dealer=observation.dealer,
        pass_offset=observation.pass_offset,
        hand=card_numbers(observation.hand_mask),
        passed=card_numbers(observation.passed_mask),
        received=card_numbers(observation.received_mask),
        seats=observation.seats,
        cards=observation.cards,
        winners=observation.winners,
        trick_size=observation.trick_size,
        leader=observation.leader,
        points=observation.points,
        scores=observation.scores,
        broken=observation.broken,
        kitty=card_numbers(observation.kitty_mask),
        kitty_seat=observation.kitty_seat,
        substituted=bytes(observation.substituted),
        substituted_for_match=bytes(observation.substituted_for_match),
        faults=observation.faults,
        grace_ms=observation.grace_ms,
    )


def observation_from_message(message: play_pb2.Observation, rules: Rules, seat: int) -> Observation:
    """Returns the snapshot as a seat's view of a match with these rules.

    Raises:
        WireError: A card, seat or phase is out of range, or a list has not one entry a seat.
    """
    players = rules.num_players
    try:
        phase = Phase(message.phase)
    except ValueError:
        raise WireError(f"observation: unknown phase {message.phase}") from None
    check_plays(message.seats, message.cards, players)
    check_winners(message.winners, players)
    if message.trick_size != len(message.cards) - len(message.winners) * players:
        raise WireError(
            f"observation: {message.trick_size} cards on the table do not fit"
            f" {len(message.cards)} plays and {len(message.winners)} tricks"
        )
    return Observation(
        rules=rules,
        seat=seat,
        deal_number=message.deal_number,
        phase=phase,
        dealer=ranged_seat(message.dealer, players),
        pass_offset=ranged_seat(message.pass_offset, players),
        hand_mask=mask_from_bytes(message.hand),
        passed_mask=mask_from_bytes(message.passed),
        received_mask=mask_from_bytes(message.received),
        seats=message.seats,
        cards=message.cards,
        winners=message.winners,
        trick_size=message.trick_size,
        leader=ranged_seat(message.leader, players) if message.HasField("leader") else None,
        points=one_each(message.points, players, "observation.points"),
        scores=one_each(message.scores, players, "observation.scores"),
        broken=message.broken,
        kitty_mask=mask_from_bytes(message.kitty),
        kitty_seat=ranged_seat(message.kitty_seat, players) if message.HasField("kitty_seat") else None,
        substituted=seats_from_bytes(message.substituted, players),
        substituted_for_match=seats_from_bytes(message.substituted_for_match, players),
        faults=message.faults,
        grace_ms=message.grace_ms,
    )
