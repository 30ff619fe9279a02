"""Answers survive the way over the wire."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiery.rules import MoonChoice
from kiery.terms import DeclineReason
from kiery.v1 import play_pb2, terms_pb2
from kiery.view import Action
from kiery.wire import action_from_message, answer_to_message

ACTIONS = st.builds(
    Action,
    cards=st.binary(max_size=20),
    moon=st.none() | st.sampled_from(MoonChoice),
    decline=st.none() | st.sampled_from(DeclineReason),
)


@given(ACTIONS, st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_an_answer_arrives_as_it_was_sent(action, table, decision_id) -> None:
    data = answer_to_message(table, decision_id, action).SerializeToString()

    message = play_pb2.Answer.FromString(data)

    assert (message.table, message.decision) == (table, decision_id)
    assert action_from_message(message) == action


def test_bytes_that_are_no_cards_are_left_to_the_judge() -> None:
    assert action_from_message(play_pb2.Answer(cards=b"\xff\0")) == Action(cards=b"\xff\0")


@pytest.mark.parametrize("choice", [terms_pb2.MOON_CHOICE_DEFAULT, 99])
def test_a_default_or_unknown_moon_choice_leaves_it_to_the_rules(choice) -> None:
    assert action_from_message(play_pb2.Answer(moon_choice=choice)) == Action(moon=None)


def test_an_unknown_reason_to_decline_is_some_other() -> None:
    assert action_from_message(play_pb2.Answer(decline=99)) == Action(decline=DeclineReason.OTHER)
