"""`News` to and from `kiery.v1.TableNews`: everything that does not happen with every card."""

from typing import Final, TypeVar

from kiery.cards import card_numbers
from kiery.rules import MoonChoice
from kiery.terms import (
    CloseCause,
    FaultPolicy,
    ForcedActions,
    MatchCause,
    RejectReason,
    SeatCause,
    SubstitutionScope,
    TimeControl,
)
from kiery.v1 import play_pb2, terms_pb2
from kiery.view import (
    CardsExchanged,
    DealScored,
    DealStarted,
    DecisionClosed,
    Illegality,
    KittyTaken,
    MatchEnded,
    MatchStarted,
    MoonShot,
    News,
    Rejection,
    SeatSubstituted,
)
from kiery.wire.cards import mask_from_bytes, one_each, ranged_seat
from kiery.wire.rules import rules_from_message, rules_to_message

__all__ = ["news_from_message", "news_to_message"]

_MOON: Final = {
    MoonChoice.ADD: terms_pb2.MOON_CHOICE_ADD,
    MoonChoice.SUBTRACT: terms_pb2.MOON_CHOICE_SUBTRACT,
}

_Cause = TypeVar("_Cause", CloseCause, ForcedActions, MatchCause, RejectReason, SeatCause, SubstitutionScope)


def _known(kind: type[_Cause], number: int, other: _Cause) -> _Cause:
    """Returns an enum's member, or a stand-in for one that this side does not know yet."""
    try:
        return kind(number)
    except ValueError:
        return other


def news_to_message(news: News, message: play_pb2.TableNews) -> None:
    """Writes news into an empty message."""
    if news.match_started is not None:
        _started_to_message(news.match_started, message.match_started)
    if news.deal_started is not None:
        deal = news.deal_started
        message.deal_started.deal_number = deal.deal_number
        message.deal_started.dealer = deal.dealer
        message.deal_started.hand = card_numbers(deal.hand)
        message.deal_started.pass_offset = deal.pass_offset
        message.deal_started.key_hash = deal.key_hash
    if news.cards_exchanged is not None:
        message.cards_exchanged.passed = card_numbers(news.cards_exchanged.passed)
        message.cards_exchanged.received = card_numbers(news.cards_exchanged.received)
    for substitution in news.substitutions:
        message.substitutions.add(
            seat=substitution.seat,
            cause=terms_pb2.SeatEndCause.ValueType(substitution.cause or 0),
            scope=terms_pb2.SubstitutionScope.ValueType(substitution.scope),
        )
    _endings_to_message(news, message)
    for closed in news.closed:
        message.closed.add(
            decision=closed.decision_id, cause=terms_pb2.DecisionClosedCause.ValueType(closed.cause)
        )
    for rejection in news.rejections:
        message.rejections.add(
            decision=rejection.decision_id,
            reason=terms_pb2.RejectReason.ValueType(rejection.illegality.reason),
            message=rejection.illegality.message,
            retries_left=rejection.retries_left,
            fault=rejection.fault,
        )
    message.pass_accepted = news.pass_accepted
    message.faults = news.faults


def _endings_to_message(news: News, message: play_pb2.TableNews) -> None:
    if news.kitty_taken is not None:
        message.kitty_taken.seat = news.kitty_taken.seat
        message.kitty_taken.cards = card_numbers(news.kitty_taken.cards)
    if news.moon_shot is not None:
        message.moon_shot.seat = news.moon_shot.seat
        message.moon_shot.choice = _MOON[news.moon_shot.choice]
    if news.deal_scored is not None:
        message.deal_scored.points.extend(news.deal_scored.points)
        message.deal_scored.scores.extend(news.deal_scored.scores)
    if news.match_ended is not None:
        ended = news.match_ended
        message.match_ended.cause = terms_pb2.MatchEndCause.ValueType(ended.cause)
        message.match_ended.placements = bytes(ended.placements)
        message.match_ended.scores.extend(ended.scores)
        message.match_ended.seat_causes.extend(
            terms_pb2.SeatEndCause.ValueType(cause) for cause in ended.seat_causes
        )
        message.match_ended.digest = ended.digest


def _started_to_message(started: MatchStarted, message: play_pb2.MatchStarted) -> None:
    message.match_id = started.match_id
    message.seat = started.seat
    message.names.extend(started.names)
    message.rules.CopyFrom(rules_to_message(started.rules))
    message.deal_limit = started.deal_limit
    clocks, policy = started.time_control, started.fault_policy
    message.time_control.ready_ms = clocks.ready_ms
    message.time_control.decision_ms = clocks.decision_ms
    message.time_control.bank_ms = clocks.bank_ms
    message.time_control.ceiling_ms = clocks.ceiling_ms
    message.time_control.grace_ms = clocks.grace_ms
    message.fault_policy.retries = policy.retries
    message.fault_policy.faults_per_deal = policy.faults_per_deal
    message.fault_policy.substitute = policy.substitute
    message.forced_actions = terms_pb2.ForcedActions.ValueType(started.forced_actions)
    message.tournament_id = started.tournament_id
    message.commitment = started.commitment
    message.after = started.after


def news_from_message(message: play_pb2.TableNews, players: int) -> News:
    """Returns the news in a message.

    Args:
        message: What the server sent.
        players: Seats at the table; ignored where the news announces it.

    Raises:
        WireError: A value is out of range, a list has not one entry a seat, or the rules cannot be used.
    """
    news = News(pass_accepted=message.pass_accepted, faults=message.faults)
    if message.HasField("match_started"):
        news.match_started = _started_from_message(message.match_started)
        players = news.match_started.rules.num_players
    if message.HasField("deal_started"):
        deal = message.deal_started
        news.deal_started = DealStarted(
            deal_number=deal.deal_number,
            dealer=ranged_seat(deal.dealer, players),
            hand=mask_from_bytes(deal.hand),
            pass_offset=ranged_seat(deal.pass_offset, players),
            key_hash=deal.key_hash,
        )
    if message.HasField("cards_exchanged"):
        news.cards_exchanged = CardsExchanged(
            passed=mask_from_bytes(message.cards_exchanged.passed),
            received=mask_from_bytes(message.cards_exchanged.received),
        )
    news.substitutions = [
        SeatSubstituted(
            seat=ranged_seat(item.seat, players),
            cause=_known(SeatCause, item.cause, SeatCause.DISCONNECTED) if item.cause else None,
            scope=_known(SubstitutionScope, item.scope, SubstitutionScope.DEAL),
        )
        for item in message.substitutions
    ]
    _endings_from_message(message, news, players)
    news.closed = [
        DecisionClosed(decision_id=item.decision, cause=_known(CloseCause, item.cause, CloseCause.TIMEOUT))
        for item in message.closed
    ]
    news.rejections = [
        Rejection(
            decision_id=item.decision,
            illegality=Illegality(
                reason=_known(RejectReason, item.reason, RejectReason.MALFORMED), message=item.message
            ),
            retries_left=item.retries_left,
            fault=item.fault,
        )
        for item in message.rejections
    ]
    return news


def _endings_from_message(message: play_pb2.TableNews, news: News, players: int) -> None:
    if message.HasField("kitty_taken"):
        taken = message.kitty_taken
        news.kitty_taken = KittyTaken(
            seat=ranged_seat(taken.seat, players), cards=mask_from_bytes(taken.cards)
        )
    if message.HasField("moon_shot"):
        subtracted = message.moon_shot.choice == terms_pb2.MOON_CHOICE_SUBTRACT
        news.moon_shot = MoonShot(
            seat=ranged_seat(message.moon_shot.seat, players),
            choice=MoonChoice.SUBTRACT if subtracted else MoonChoice.ADD,
        )
    if message.HasField("deal_scored"):
        scored = message.deal_scored
        news.deal_scored = DealScored(
            points=one_each(scored.points, players, "deal_scored.points"),
            scores=one_each(scored.scores, players, "deal_scored.scores"),
        )
    if message.HasField("match_ended"):
        ended = message.match_ended
        news.match_ended = MatchEnded(
            cause=_known(MatchCause, ended.cause, MatchCause.CANCELLED),
            placements=tuple(ended.placements),
            scores=tuple(ended.scores),
            seat_causes=tuple(_known(SeatCause, cause, SeatCause.COMPLETED) for cause in ended.seat_causes),
            digest=ended.digest,
        )


def _started_from_message(message: play_pb2.MatchStarted) -> MatchStarted:
    rules = rules_from_message(message.rules)
    clocks, policy = message.time_control, message.fault_policy
    return MatchStarted(
        match_id=message.match_id,
        seat=ranged_seat(message.seat, rules.num_players),
        names=tuple(message.names),
        rules=rules,
        deal_limit=message.deal_limit,
        time_control=TimeControl(
            ready_ms=clocks.ready_ms,
            decision_ms=clocks.decision_ms,
            bank_ms=clocks.bank_ms,
            ceiling_ms=clocks.ceiling_ms,
            grace_ms=clocks.grace_ms,
        ),
        fault_policy=FaultPolicy(
            retries=policy.retries, faults_per_deal=policy.faults_per_deal, substitute=policy.substitute
        ),
        forced_actions=_known(ForcedActions, message.forced_actions, ForcedActions.ASK),
        tournament_id=message.tournament_id,
        commitment=message.commitment,
        after=message.after,
    )
