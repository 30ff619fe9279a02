"""All cards of a deal as one number: it unpacks to the same cards; other bytes are refused or unpack too."""

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.record.matches import header_of, played_match, record_of

from kiery.record import MalformedRecordError, seats_round
from kiery.record.packing import PackedCards, pack_cards, unpack_cards
from kiery.rules import NOBODY, PRESETS, pass_offset, preset

VARIANTS = [(preset.name, players) for preset in PRESETS.values() for players in preset.players]
RULES = preset("hearts", 4)


def packed_deals(name="hearts", players=4, *, stop=None):
    """Returns rules, pass offset and cards of every deal of a match."""
    rules = preset(name, players)
    header = header_of(rules, deal_limit=3)
    for deal in record_of(header, played_match(header, stop_after_plays=stop)).deals:
        cards = {field: getattr(deal, field) for field in PackedCards.__slots__}
        yield rules, pass_offset(rules, deal.board_number), PackedCards(**cards)


@pytest.mark.parametrize(("name", "players"), VARIANTS)
def test_every_deal_unpacks_to_the_same_cards(name, players):
    for rules, offset, cards in packed_deals(name, players):
        assert unpack_cards(rules, offset, pack_cards(rules, offset, cards)) == cards


@pytest.mark.parametrize("stop", [0, 1, 3, 4, 51, 52, 53, 77])
def test_a_deal_broken_off_anywhere_unpacks_to_the_same_cards(stop):
    for rules, offset, cards in packed_deals(stop=stop):
        assert unpack_cards(rules, offset, pack_cards(rules, offset, cards)) == cards


def test_a_deal_of_four_takes_less_than_forty_bytes():
    assert all(len(pack_cards(*deal)) < 42 for deal in packed_deals())


def test_seats_go_round_from_whoever_took_the_trick():
    assert seats_round(2, bytes([1, NOBODY]), 7, 3) == bytes([2, 0, 1, 1, 2, 0, 1])


def test_a_trick_without_a_winner_is_refused():
    with pytest.raises(MalformedRecordError, match="no winner"):
        seats_round(0, b"", 4, 3)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"hands": (2, 2, 2, 2)}, "not the deck"),
        ({"kitty": 2}, "not the deck"),
        ({"cards": bytes(52)}, "did not hold"),
        ({"seats": bytes(52)}, "round the table"),
        ({"winners": b""}, "round the table"),
        ({"winners": bytes([9] * 13)}, "round the table"),
        ({"passes": (14, 14, 14, 14)}, "did not hold"),
    ],
)
def test_cards_that_are_no_deal_cannot_be_packed(changes, what):
    rules, offset, cards = next(packed_deals())

    with pytest.raises(MalformedRecordError, match=what):
        pack_cards(rules, offset, replace(cards, **changes))


def test_passes_where_nobody_passes_cannot_be_packed():
    rules, _, cards = next(packed_deals())

    with pytest.raises(MalformedRecordError, match="nobody passes"):
        pack_cards(rules, 0, cards)


@given(st.binary(max_size=250), st.integers(0, 3))
def test_any_bytes_are_refused_or_unpack_to_cards_that_can_be_packed(data, offset):
    """Not to the same bytes: the places of passed cards may come in any order."""
    with suppress(MalformedRecordError):
        cards = unpack_cards(RULES, offset, data)
        with suppress(MalformedRecordError):
            assert unpack_cards(RULES, offset, pack_cards(RULES, offset, cards)) == cards
