"""Updates survive the way over the wire, and nothing out of range comes in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rules.variants import mixtures, presets
from tests.wire.values import COUNTS, decisions, plays, updates

from kiery.cards import mask_of
from kiery.rules import preset
from kiery.terms import ActionCause
from kiery.v1 import play_pb2, terms_pb2
from kiery.view import Decision, DecisionKind, Update
from kiery.wire import WireError, fill_turn, fill_update, update_from_message

RULES = preset("hearts", 4)


def sent(update: Update, table: int = 9) -> play_pb2.TableUpdate:
    """Returns what arrives: the message after its way as bytes."""
    message = play_pb2.TableUpdate()
    fill_update(message, table, update)
    return play_pb2.TableUpdate.FromString(message.SerializeToString())


@given(st.data(), presets() | mixtures())
def test_an_update_arrives_as_it_was_sent(data, rules) -> None:
    seat = data.draw(st.integers(0, rules.num_players - 1))
    update = data.draw(updates(rules, seat))

    arrived = sent(update)

    assert arrived.table == 9
    assert update_from_message(arrived, rules, seat) == update


def test_plays_travel_as_bytes() -> None:
    message = sent(Update(sequence=5, seats=b"\1\2\3\0", cards=b"\x0d\x02\x03\x04", winners=b"\1"), table=3)

    assert message == play_pb2.TableUpdate(
        table=3, sequence=5, seats=b"\1\2\3\0", cards=b"\x0d\x02\x03\x04", winners=b"\1"
    )


def test_an_unknown_kind_of_decision_is_no_decision() -> None:
    message = sent(
        Update(
            sequence=1, decision_id=4, decision=Decision(kind=DecisionKind.PLAY, legal=mask_of([5]), count=1)
        )
    )
    message.kind = 99

    update = update_from_message(message, RULES, 0)

    assert (update.decision_id, update.decision) == (0, None)


def test_an_unknown_cause_of_an_own_play_counts_as_the_substitutes() -> None:
    message = play_pb2.TableUpdate(seats=b"\0", cards=b"\5", own_causes=b"\x63")

    assert update_from_message(message, RULES, 0).own_causes == [ActionCause.SUBSTITUTE]


def test_an_update_without_known_rules_is_refused() -> None:
    with pytest.raises(WireError, match="not announced"):
        update_from_message(play_pb2.TableUpdate(table=1, sequence=3), None, 0)


@pytest.mark.parametrize(
    "message",
    [
        play_pb2.TableUpdate(seats=b"\0\1", cards=b"\5"),
        play_pb2.TableUpdate(seats=b"\0"),
        play_pb2.TableUpdate(seats=b"\4", cards=b"\5"),
        play_pb2.TableUpdate(seats=b"\0", cards=b"\0"),
        play_pb2.TableUpdate(seats=b"\0", cards=b"\x35"),
        play_pb2.TableUpdate(seats=b"\0\1\2\3", cards=b"\1\2\3\4", winners=b"\4"),
        play_pb2.TableUpdate(decision=1, kind=terms_pb2.DECISION_KIND_PLAY, legal=b"\x35"),
        play_pb2.TableUpdate(decision=1, kind=terms_pb2.DECISION_KIND_PLAY, legal=b"\5\5\5"),
    ],
    ids=[
        "more seats than cards",
        "a seat without a card",
        "a fifth seat",
        "card zero",
        "card 53",
        "a trick for a fifth seat",
        "a legal card 53",
        "a legal card three times",
    ],
)
def test_what_is_out_of_range_is_refused(message) -> None:
    with pytest.raises(WireError):
        update_from_message(message, RULES, 0)


@given(plays(RULES), decisions().filter(lambda one: one.legal), st.tuples(*[COUNTS] * 4))
def test_a_turn_is_an_update_with_nothing_else(played, decision, numbers) -> None:
    sequence, decision_id, time_ms, bank_ms = numbers
    turn = play_pb2.TableUpdate()

    fill_turn(turn, 9, sequence, *played, decision_id, decision, time_ms, bank_ms)

    seats, cards, winners = played
    assert turn == sent(
        Update(
            sequence=sequence,
            seats=seats,
            cards=cards,
            winners=winners,
            decision_id=decision_id,
            decision=decision,
            time_ms=time_ms,
            bank_ms=bank_ms,
        )
    )
