"""Snapshots survive the way over the wire, and nothing out of range comes in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rules.variants import mixtures, presets
from tests.wire.values import observations

from kiery.rules import preset
from kiery.v1 import play_pb2
from kiery.wire import WireError, observation_from_message, observation_to_message

RULES = preset("hearts", 4)


def message(**fields) -> play_pb2.Observation:
    valid = {"deal_number": 1, "phase": 2, "points": [0] * 4, "scores": [0] * 4}
    return play_pb2.Observation(**valid | fields)


@given(st.data(), presets() | mixtures())
def test_a_snapshot_arrives_as_it_was_sent(data, rules) -> None:
    seat = data.draw(st.integers(0, rules.num_players - 1))
    observation = data.draw(observations(rules, seat))

    data = observation_to_message(observation).SerializeToString()

    assert observation_from_message(play_pb2.Observation.FromString(data), rules, seat) == observation


def test_seat_zero_is_not_an_absent_seat() -> None:
    without = observation_from_message(message(), RULES, 0)
    zero = observation_from_message(message(leader=0, kitty_seat=0), RULES, 0)

    assert (without.leader, without.kitty_seat) == (None, None)
    assert (zero.leader, zero.kitty_seat) == (0, 0)


@pytest.mark.parametrize(
    "fields",
    [
        {"phase": 0},
        {"phase": 9},
        {"dealer": 4},
        {"pass_offset": 4},
        {"hand": b"\x35"},
        {"passed": b"\0"},
        {"received": b"\1\1\1"},
        {"seats": b"\4", "cards": b"\1", "trick_size": 1},
        {"seats": b"\1", "cards": b"\x40", "trick_size": 1},
        {"seats": b"\1", "cards": b"\1", "trick_size": 0},
        {"winners": b"\1"},
        {"leader": 4},
        {"points": [0] * 3},
        {"scores": [0] * 5},
        {"kitty": b"\0"},
        {"kitty_seat": 9},
        {"substituted": b"\4"},
        {"substituted_for_match": b"\7"},
    ],
    ids=str,
)
def test_what_is_out_of_range_is_refused(fields) -> None:
    with pytest.raises(WireError):
        observation_from_message(message(**fields), RULES, 0)
