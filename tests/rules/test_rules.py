"""Parameters that make no game are refused when they are made."""

from typing import Any

import pytest

from kiery.cards import CARDS, card_numbers, format_cards, parse_card, parse_cards
from kiery.rules import (
    QUEEN_OF_SPADES,
    Breaks,
    FirstTrickBan,
    Leftover,
    Moon,
    OpeningLead,
    Rules,
    RulesError,
    preset,
)

POINTS = preset("hearts", 4).card_points
DIAMONDS = tuple(card for card in CARDS if str(card).endswith("D"))
CLUBS = tuple(card for card in CARDS if str(card).endswith("C"))
KITTY = Leftover.KITTY_FIRST_TRICK


def made(**changes: Any) -> Rules:
    return Rules(**{"preset": "hearts", "num_players": 4, "card_points": POINTS, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_players": 2}, "2 players: expected 3 to 11"),
        ({"num_players": 12}, "12 players: expected 3 to 11"),
        ({"num_decks": 0}, "num_decks is 0: expected 1 or 2"),
        ({"num_decks": 3}, "num_decks is 3: expected 1 or 2"),
        ({"removed_cards": (CARDS[0],) * 3}, "removed_cards: 2C is there twice already"),
        ({"removed_cards": (CARDS[0],) * 2}, "removed_cards names a card more often than the pack has it"),
        (
            {"removed_cards": CARDS[:50], "leftover": KITTY},
            "too many cards are removed: nobody would get one",
        ),
        (
            {"num_players": 5},
            "52 cards cannot be dealt evenly to 5 players: remove cards or choose a leftover rule",
        ),
        (
            {"num_decks": 2},
            "the lowest club has two holders with two packs: expected opening_lead dealer_left",
        ),
        (
            {"removed_cards": CLUBS, "num_players": 3},
            "a club to open with may not be dealt: remove fewer clubs, or choose opening_lead dealer_left",
        ),
        (
            {"removed_cards": CLUBS[:11], "num_players": 3, "leftover": KITTY},
            "a club to open with may not be dealt: remove fewer clubs, or choose opening_lead dealer_left",
        ),
        ({"first_dealer": 4}, "first_dealer is 4: expected a seat from 0 to 3"),
        ({"first_dealer": -1}, "first_dealer is -1: expected a seat from 0 to 3"),
        ({"pass_count": -1}, "pass_count is -1: expected 0 to 13, the hand size"),
        ({"pass_count": 14}, "pass_count is 14: expected 0 to 13, the hand size"),
        ({"pass_cycle": ()}, "pass_cycle is empty: expected at least one direction, such as hold"),
        (
            {"card_points": POINTS[::-1]},
            "card_points must name each card once, in ascending order",
        ),
        (
            {"card_points": (POINTS[0], POINTS[0])},
            "card_points must name each card once, in ascending order",
        ),
        ({"card_points": ((CARDS[0], 0),)}, "card_points must be 1 to 1000 for each card named"),
        ({"card_points": ((CARDS[0], 1001),)}, "card_points must be 1 to 1000 for each card named"),
        ({"bonus_points": -10}, "bonus_points without a bonus_card: expected both or neither"),
        (
            {"bonus_card": CARDS[0], "bonus_points": -1001},
            "bonus_points and moon_points go up to 1000",
        ),
        ({"moon": Moon.CHOICE, "moon_points": 1001}, "bonus_points and moon_points go up to 1000"),
        ({"moon": Moon.CHOICE, "moon_points": -1}, "bonus_points and moon_points go up to 1000"),
        ({"no_trick_bonus": 5}, "no_trick_bonus is 5: expected 0 or less"),
        ({"no_trick_bonus": -1001}, "no_trick_bonus is -1001: expected 0 or less"),
        ({"moon_points": 26}, "moon_points must be 0 where moon is off, and at least 1 elsewhere"),
        ({"moon": Moon.CHOICE}, "moon_points must be 0 where moon is off, and at least 1 elsewhere"),
        (
            {"card_points": (), "moon": Moon.CHOICE, "moon_points": 26},
            "a moon needs penalty cards: expected moon off where no card has points",
        ),
        (
            {
                "card_points": ((CLUBS[0], 1),),
                "removed_cards": CLUBS[:4],
                "moon": Moon.CHOICE,
                "moon_points": 1,
            },
            "a moon needs penalty cards: expected moon off where no card has points",
        ),
        ({"target_score": 0}, "target_score is 0: expected at least 1"),
        ({"max_deals": 0}, "max_deals is 0: expected at least 1, or none"),
    ],
)
def test_parameters_that_make_no_game_are_refused_in_one_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError) as caught:
        made(**changes)

    assert str(caught.value) == message
    assert caught.value.reason == "INVALID_RULES"


@pytest.mark.parametrize(
    "changes",
    [
        {"num_players": 3, "removed_cards": CARDS[:1]},
        {"num_players": 11, "num_decks": 2, "opening_lead": OpeningLead.DEALER_LEFT, "leftover": KITTY},
        {
            "num_decks": 2,
            "opening_lead": OpeningLead.DEALER_LEFT,
            "removed_cards": (CARDS[0],) * 2,
            "leftover": KITTY,
        },
        {"removed_cards": CLUBS[:12], "num_players": 4},
        {"removed_cards": CLUBS, "num_players": 3, "opening_lead": OpeningLead.DEALER_LEFT},
        {"removed_cards": CARDS[:48], "opening_lead": OpeningLead.DEALER_LEFT, "pass_count": 1},
        {"num_players": 5, "leftover": KITTY},
        {"first_dealer": 3},
        {"pass_count": 13},
        {"card_points": ((CARDS[0], 1000),)},
        {"card_points": ()},
        {"target_score": 1, "max_deals": None},
    ],
)
def test_parameters_at_their_bounds_make_a_game(changes: dict[str, Any]) -> None:
    rules = made(**changes)

    assert rules.hand_size >= 1


def test_penalty_cards_table_and_pack_agree() -> None:
    rules = preset("black_maria", 5)

    assert format_cards(rules.penalty_cards) == "QS KS AS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"
    assert [number for number, value in enumerate(rules.point_table) if value] == list(
        card_numbers(rules.penalty_cards)
    )
    assert sum(rules.point_table) == rules.pack_points == 43


def test_removed_penalty_cards_are_not_in_the_pack() -> None:
    rules = made(removed_cards=tuple(parse_card(text) for text in ("QS", "2H", "3H", "4H")))

    assert rules.pack_points == 10


def test_two_packs_have_every_point_twice_but_for_what_is_removed() -> None:
    double = {"num_decks": 2, "opening_lead": OpeningLead.DEALER_LEFT, "leftover": KITTY}

    assert made(**double).pack_points == 52
    assert made(**double, removed_cards=(QUEEN_OF_SPADES,)).pack_points == 39


@pytest.mark.parametrize(
    ("ban", "expected"),
    [(FirstTrickBan.NONE, ""), (FirstTrickBan.QUEEN_ONLY, "QS"), (FirstTrickBan.ALL_POINTS, "7C QS")],
)
def test_ban_covers_cards_with_points_only(ban: FirstTrickBan, expected: str) -> None:
    rules = made(card_points=((parse_card("7C"), 7), (parse_card("QS"), 13)), first_trick_ban=ban)

    assert format_cards(rules.banned_cards) == expected


def test_breaking_cards_are_hearts_and_perhaps_the_queen() -> None:
    hearts = parse_cards(" ".join(f"{rank}H" for rank in "23456789TJQKA"))

    assert made(breaks=Breaks.HEARTS).breaking_cards == hearts
    assert made(breaks=Breaks.HEARTS_AND_QUEEN).breaking_cards == hearts | 1 << QUEEN_OF_SPADES


def test_tables_say_of_every_byte_what_the_masks_say_of_the_cards() -> None:
    rules = preset("klasyk", 4)
    tables = (
        (rules.point_table, rules.penalty_cards),
        (rules.ban_table, rules.banned_cards),
        (rules.breaking_table, rules.breaking_cards),
    )

    for table, mask in tables:
        assert len(table) == 256
        assert bytes(number for number, named in enumerate(table) if named) == card_numbers(mask)


def test_lowest_club_is_the_lowest_that_is_left() -> None:
    assert str(made(removed_cards=CLUBS[:4]).lowest_club) == "6C"
    assert made(opening_lead=OpeningLead.DEALER_LEFT).lowest_club is None


def test_copies_of_the_bonus_card_are_those_of_the_deck() -> None:
    jack = parse_card("JD")
    double = {"num_decks": 2, "opening_lead": OpeningLead.DEALER_LEFT, "leftover": KITTY, "bonus_card": jack}

    assert made(bonus_card=jack, bonus_points=-10).bonus_copies == 1
    assert made(**double).bonus_copies == 2
    assert made(**double, removed_cards=(jack,)).bonus_copies == 1
    assert made().bonus_copies == 0
