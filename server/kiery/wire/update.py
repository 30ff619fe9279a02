"""`Update` to and from `kiery.v1.TableUpdate`: the message of the hot path.

Only fields that are set are written, one attribute each; everything rare goes through `wire.news`.
"""

from kiery.rules import Rules
from kiery.terms import ActionCause
from kiery.v1 import play_pb2, terms_pb2
from kiery.view import Decision, DecisionKind, Update
from kiery.wire.cards import check_plays, check_winners, mask_from_bytes
from kiery.wire.errors import WireError
from kiery.wire.news import news_from_message, news_to_message
from kiery.wire.observation import observation_from_message, observation_to_message

__all__ = ["fill_turn", "fill_update", "update_from_message"]

_KINDS = {kind.value: kind for kind in DecisionKind}
_CAUSES = {cause.value: cause for cause in ActionCause}


def fill_update(message: play_pb2.TableUpdate, table: int, update: Update) -> None:
    """Writes an update into an empty message.

    Args:
        message: A new message, usually just added to a response.
        table: The seat's handle on this stream.
        update: What to tell it.
    """
    message.table = table
    message.sequence = update.sequence
    if update.cards:
        message.seats = update.seats
        message.cards = update.cards
        if update.winners:
            message.winners = update.winners
        if update.own_causes:
            message.own_causes = bytes(update.own_causes)
    decision = update.decision
    if decision is not None:
        message.decision = update.decision_id
        message.kind = terms_pb2.DecisionKind.ValueType(decision.kind)
        if decision.numbers:
            message.legal = decision.numbers
            message.choose_count = decision.count
        message.time_ms = update.time_ms
        message.bank_ms = update.bank_ms
    if update.news is not None:
        news_to_message(update.news, message.news)
    if update.observation is not None:
        message.observation.CopyFrom(observation_to_message(update.observation))


def fill_turn(
    message: play_pb2.TableUpdate,
    table: int,
    sequence: int,
    seats: bytes,
    cards: bytes,
    winners: bytes,
    decision_id: int,
    decision: Decision,
    time_ms: int,
    bank_ms: int,
) -> None:
    """Writes plays and a decision into an empty message: `fill_update` for an update with nothing else."""
    message.table = table
    message.sequence = sequence
    if cards:
        message.seats = seats
        message.cards = cards
        if winners:
            message.winners = winners
    message.decision = decision_id
    # The numbers are the schema's.
    message.kind = decision.kind  # type: ignore[assignment]
    message.legal = decision.numbers
    message.choose_count = decision.count
    message.time_ms = time_ms
    message.bank_ms = bank_ms


def update_from_message(message: play_pb2.TableUpdate, rules: Rules | None, seat: int) -> Update:
    """Returns an update as the bot's side reads it.

    Args:
        message: What the server sent.
        rules: The rules of the match; none if this update announces it.
        seat: The seat at the table; ignored where the update announces it.

    Raises:
        WireError: A value is out of range, or there are no rules to read it by.
    """
    update = Update(
        sequence=message.sequence,
        seats=message.seats,
        cards=message.cards,
        winners=message.winners,
    )
    if message.HasField("news"):
        update.news = news_from_message(message.news, rules.num_players if rules is not None else 0)
        if update.news.match_started is not None:
            rules, seat = update.news.match_started.rules, update.news.match_started.seat
    if rules is None:
        raise WireError("an update of a table that was not announced")
    players = rules.num_players
    if update.cards or update.seats:
        check_plays(update.seats, update.cards, players)
    if update.winners:
        check_winners(update.winners, players)
    if message.own_causes:
        update.own_causes = [_CAUSES.get(cause, ActionCause.SUBSTITUTE) for cause in message.own_causes]
    kind = _KINDS.get(message.kind)
    # A kind of decision that this client does not know is settled by the server's default.
    if message.decision and kind is not None:
        legal = message.legal
        update.decision_id = message.decision
        if legal:
            # Refuses what is no card.
            mask_from_bytes(legal)
        update.decision = Decision(kind, legal, message.choose_count)
        update.time_ms = message.time_ms
        update.bank_ms = message.bank_ms
    if message.HasField("observation"):
        update.observation = observation_from_message(message.observation, rules, seat)
    return update
