"""Rare events: what is out of range is refused, what is newer than this side is given a stand-in."""

import pytest
from tests.wire.test_update import RULES, sent

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
from kiery.v1 import play_pb2
from kiery.view import MatchStarted, News, Update
from kiery.wire import WireError, update_from_message


def news(**fields) -> play_pb2.TableUpdate:
    return play_pb2.TableUpdate(news=play_pb2.TableNews(**fields))


def announcement() -> play_pb2.TableUpdate:
    started = MatchStarted(
        match_id="m1",
        seat=2,
        names=("a", "b", "c", "d"),
        rules=RULES,
        deal_limit=4,
        time_control=TimeControl(),
        fault_policy=FaultPolicy(),
        forced_actions=ForcedActions.AUTO,
        tournament_id="",
        commitment=b"",
        after=0,
    )
    return sent(Update(sequence=0, news=News(match_started=started)))


def test_an_announcement_brings_the_rules_by_which_its_own_update_is_read() -> None:
    message = announcement()
    message.seats, message.cards = b"\3", b"\5"

    update = update_from_message(message, None, 0)

    assert update.news is not None
    assert update.news.match_started is not None
    assert update.news.match_started.rules == RULES


@pytest.mark.parametrize(
    "message",
    [
        news(deal_started=play_pb2.DealStarted(deal_number=1, dealer=4)),
        news(deal_started=play_pb2.DealStarted(deal_number=1, hand=b"\0")),
        news(deal_started=play_pb2.DealStarted(deal_number=1, pass_offset=4)),
        news(cards_exchanged=play_pb2.CardsExchanged(passed=b"\x35")),
        news(cards_exchanged=play_pb2.CardsExchanged(received=b"\2\2\2")),
        news(substitutions=[play_pb2.SeatSubstituted(seat=4, scope=1)]),
        news(kitty_taken=play_pb2.KittyTaken(seat=4)),
        news(kitty_taken=play_pb2.KittyTaken(cards=b"\xff")),
        news(moon_shot=play_pb2.MoonShot(seat=4)),
        news(deal_scored=play_pb2.DealScored(points=[0, 0, 26], scores=[0, 0, 0, 26])),
        news(deal_scored=play_pb2.DealScored(points=[0, 0, 0, 26], scores=[])),
    ],
)
def test_what_is_out_of_range_is_refused(message) -> None:
    with pytest.raises(WireError):
        update_from_message(message, RULES, 0)


def test_a_seat_that_the_match_does_not_have_is_refused() -> None:
    message = announcement()
    message.news.match_started.seat = 4

    with pytest.raises(WireError, match="seat 4"):
        update_from_message(message, None, 0)


def test_enum_values_of_the_future_get_a_stand_in() -> None:
    message = news(
        substitutions=[play_pb2.SeatSubstituted(seat=1, cause=99, scope=99)],
        closed=[play_pb2.DecisionClosed(decision=3, cause=99)],
        rejections=[play_pb2.ActionRejected(decision=3, reason=99)],
        match_ended=play_pb2.MatchEnded(cause=99, seat_causes=[99, 1, 1, 1]),
    )
    message.news.match_started.CopyFrom(announcement().news.match_started)
    message.news.match_started.forced_actions = 99

    read = update_from_message(message, RULES, 0).news

    assert read is not None
    assert read.match_started is not None
    assert read.match_started.forced_actions is ForcedActions.ASK
    assert [(one.cause, one.scope) for one in read.substitutions] == [
        (SeatCause.DISCONNECTED, SubstitutionScope.DEAL)
    ]
    assert [one.cause for one in read.closed] == [CloseCause.TIMEOUT]
    assert [one.illegality.reason for one in read.rejections] == [RejectReason.MALFORMED]
    assert read.match_ended is not None
    assert read.match_ended.cause is MatchCause.CANCELLED
    assert read.match_ended.seat_causes[0] is SeatCause.COMPLETED


def test_unknown_fields_are_ignored() -> None:
    # Field 400, a varint.
    data = announcement().SerializeToString() + b"\x80\x19\x07"

    update = update_from_message(play_pb2.TableUpdate.FromString(data), None, 0)

    assert update == update_from_message(announcement(), None, 0)
