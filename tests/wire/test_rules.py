"""Rules survive the way over the wire, and impossible ones do not come in."""

import pytest
from hypothesis import given
from tests.rules.variants import mixtures, presets

from kiery.rules import preset
from kiery.v1 import rules_pb2
from kiery.wire import WireError, rules_from_message, rules_to_message

CHOICES = [
    field.name
    for field in rules_pb2.Rules.DESCRIPTOR.fields
    if field.enum_type and field.name != "bonus_card"
]


@given(presets() | mixtures())
def test_rules_arrive_as_they_were_sent(rules) -> None:
    data = rules_to_message(rules).SerializeToString()

    assert rules_from_message(rules_pb2.Rules.FromString(data)) == rules


def hearts(**fields) -> rules_pb2.Rules:
    message = rules_pb2.Rules()
    message.CopyFrom(rules_to_message(preset("hearts", 4)))
    message.MergeFrom(rules_pb2.Rules(**fields))
    return message


@pytest.mark.parametrize("field", [one for one in CHOICES if one not in {"pass_cycle", "cancelled_trick"}])
def test_a_choice_that_is_unset_or_newer_is_refused(field) -> None:
    for number in (0, 99):
        message = hearts()
        setattr(message, field, number)

        with pytest.raises(WireError, match=field):
            rules_from_message(message)


@pytest.mark.parametrize(
    "fields",
    [
        {"pass_cycle": [99]},
        {"removed_cards": b"\x35"},
        {"point_cards": b"\1"},
        {"point_cards": b"\0", "card_points": [1]},
        {"bonus_card": 53},
        {"seat_count": 12},
        {"first_dealer": 4},
        {"deck_count": 3},
    ],
    ids=str,
)
def test_what_makes_no_game_is_refused(fields) -> None:
    with pytest.raises(WireError):
        rules_from_message(hearts(**fields))


def test_equal_rules_share_one_message() -> None:
    assert rules_to_message(preset("hearts", 4)) is rules_to_message(preset("hearts", 4))
