"""One deal from its board to its points, by small examples that a card player can check."""

from typing import Any

import pytest
from tests.engine.play import deal, deal_of, play_cards, small, state_of

from kiery.cards import CARDS, format_cards, parse_card, parse_cards
from kiery.engine import Deal, IllegalPlayError
from kiery.rules import (
    NOBODY,
    Breaks,
    FinalCancelledTrick,
    FirstTrickBan,
    Leftover,
    Moon,
    MoonChoice,
    OpeningLead,
    PassDirection,
    preset,
)
from kiery.view import Phase

HEARTS = preset("hearts", 4)


# Passing

PASSING = (
    "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC / 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD"
    " / 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS / 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"
)
CHOICES = ["2C 3C 4C", "2D 3D 4D", "2S 3S 4S", "2H 3H 4H"]


def choose_all(current: Deal) -> None:
    for seat, cards in enumerate(CHOICES):
        current.choose_pass(seat, parse_cards(cards))


@pytest.mark.parametrize(
    ("number", "givers"), [(1, [3, 0, 1, 2]), (2, [1, 2, 3, 0]), (3, [2, 3, 0, 1])], ids=["L", "R", "A"]
)
def test_cards_go_left_right_and_across(number: int, givers: list[int]) -> None:
    current = deal_of(HEARTS, deal(PASSING), number=number)

    choose_all(current)

    assert current.phase is Phase.PLAYING
    for seat, giver in enumerate(givers):
        assert format_cards(current.received_by(seat)) == CHOICES[giver]
        assert current.hands[seat] & parse_cards(CHOICES[giver]) == parse_cards(CHOICES[giver])
        assert not current.hands[seat] & parse_cards(CHOICES[seat])


def test_nobody_passes_on_a_hold() -> None:
    current = deal_of(HEARTS, deal(PASSING), number=4)

    assert (current.phase, current.pass_offset, current.turn) == (Phase.PLAYING, 0, 0)
    assert current.received_by(0) == 0
    with pytest.raises(IllegalPlayError, match="seat 0 has no cards to pass now"):
        current.choose_pass(0, parse_cards(CHOICES[0]))


def test_whoever_holds_the_lowest_club_after_the_exchange_leads_it() -> None:
    current = deal_of(HEARTS, deal(PASSING), number=1)

    choose_all(current)

    assert (current.turn, format_cards(current.legal)) == (1, "2C")


def test_hands_change_only_with_the_last_pass() -> None:
    current = deal_of(HEARTS, deal(PASSING))
    before = [*current.hands]

    for seat in (3, 1, 0):
        current.choose_pass(seat, parse_cards(CHOICES[seat]))

    assert [*current.hands] == before
    assert [current.received_by(seat) for seat in range(4)] == [0] * 4
    assert (current.phase, current.turn, current.legal) == (Phase.PASSING, -1, 0)


@pytest.mark.parametrize(
    ("seat", "cards", "message"),
    [
        (0, "2C 3C", "seat 0 passes 2 cards: expected 3"),
        (0, "2C 3C 4C 5C", "seat 0 passes 4 cards: expected 3"),
        (0, "2C 3C 2D", "seat 0 does not hold all of 2C 3C 2D"),
        (0, "2C 2C 3C", "seat 0 does not hold all of 2C 2C 3C"),
        (1, "2D 3D 4D", "seat 1 has no cards to pass now"),
    ],
)
def test_pass_that_is_refused_changes_nothing(seat: int, cards: str, message: str) -> None:
    current = deal_of(HEARTS, deal(PASSING))
    current.choose_pass(1, parse_cards("TD JD QD"))
    before = state_of(current)

    with pytest.raises(IllegalPlayError) as caught:
        current.choose_pass(seat, parse_cards(cards))

    assert str(caught.value) == message
    assert caught.value.reason == "ILLEGAL_PLAY"
    assert state_of(current) == before


def test_received_card_can_be_a_twin_of_ones_own() -> None:
    current = small(
        "2C 3C / 2C 4C / 5C 5C", pass_count=1, pass_cycle=(PassDirection.LEFT,), cancellation=True
    )

    for seat, card in enumerate(["2C", "4C", "5C"]):
        current.choose_pass(seat, parse_cards(card))

    assert [format_cards(hand) for hand in current.hands] == ["3C 5C", "2C 2C", "4C 5C"]


# Opening


@pytest.mark.parametrize(("number", "leader"), [(1, 1), (2, 2), (4, 0), (5, 1)])
def test_dealers_left_leads_and_the_deal_moves_on(number: int, leader: int) -> None:
    current = small("2C / 3C / 4C / 5C", number=number, first_dealer=0)

    assert (current.dealer, current.turn, current.leader()) == ((number - 1) % 4, leader, leader)


def test_first_dealer_is_a_parameter() -> None:
    assert small("2C / 3C / 4C / 5C", first_dealer=2).turn == 3


def test_lowest_club_dealt_opens_where_the_very_lowest_lies_in_the_kitty() -> None:
    current = small("4C 2D / 3C 4D / 5C 5D", "2C", opening_lead=OpeningLead.LOWEST_CLUB_HOLDER)

    assert (current.turn, format_cards(current.legal)) == (1, "3C")


# Play


def test_trick_goes_to_the_highest_card_led_and_its_winner_leads() -> None:
    current = small("2C 9C / KC 3D / 5C QS / AD 4H")

    play_cards(current, "2C KC 5C AD")

    assert (bytes(current.winners), current.turn, current.leader()) == (b"\1", 1, 1)
    assert (current.taken, list(current.tricks)) == ([0, 0, 0, 0], [0, 1, 0, 0])


def test_points_count_for_the_winner_of_their_trick() -> None:
    current = small("2C 9C / KC 3D / 5C QS / AD 4H")

    play_cards(current, "2C KC 5C 4H")
    play_cards(current, "3D QS AD 9C")

    assert current.awarded == (0, 1, 0, 13)
    assert (current.phase, current.turn, current.legal) == (Phase.SCORED, -1, 0)
    assert current.leader() == 3


@pytest.mark.parametrize(
    ("card", "message"),
    [
        ("9C", "seat 1 may not play 9C: expected one of 3C KC"),
        ("3D", "seat 1 may not play 3D: expected one of 3C KC"),
    ],
)
def test_card_that_may_not_be_played_changes_nothing(card: str, message: str) -> None:
    current = small("2C 9C 9D / KC 3C 3D / 5C QS 5D / AD 4H 8C")
    play_cards(current, "2C")
    before = state_of(current)

    with pytest.raises(IllegalPlayError) as caught:
        current.play(parse_card(card))

    assert str(caught.value) == message
    assert state_of(current) == before


@pytest.mark.parametrize("number", [0, 53, 54, 105, 255])
@pytest.mark.parametrize("played", ["", "2C", "2C 3C 4C AH"], ids=["leading", "following", "second-trick"])
def test_number_that_is_no_card_cannot_be_played(number: int, played: str) -> None:
    current = small("2C 2D / 3C 3D / 4C 4D / AH 5D")
    play_cards(current, played)
    before = state_of(current)

    with pytest.raises(IllegalPlayError, match=f"seat . may not play number {number}: expected one of"):
        current.play(number)

    assert state_of(current) == before


@pytest.mark.parametrize("opener", range(4))
def test_nobody_plays_while_cards_are_passed(opener: int) -> None:
    hands = deal(PASSING)
    current = deal_of(HEARTS, [hands[(seat - opener) % 4] for seat in range(4)])
    before = state_of(current)

    for card in CARDS:
        with pytest.raises(IllegalPlayError, match="no card can be played now"):
            current.play(card)

    assert state_of(current) == before


@pytest.mark.parametrize("moon", [Moon.OFF, Moon.CHOICE])
def test_nobody_plays_after_the_last_card(moon: Moon) -> None:
    current = small("AC AS / 2C 3S / 4H QS", moon=moon, moon_points=0 if moon is Moon.OFF else 26)
    play_cards(current, "AC 2C 4H AS 3S QS")
    before = state_of(current)

    for card in CARDS:
        with pytest.raises(IllegalPlayError, match="no card can be played now"):
            current.play(card)

    assert state_of(current) == before


def test_nobody_plays_what_is_left_after_an_early_end() -> None:
    current = small("AC AS 2D / 2C 3S 3D / 4H QS 4D", early_end=True)
    play_cards(current, "AC 2C 4H AS 3S QS")
    before = state_of(current)

    for card in CARDS:
        with pytest.raises(IllegalPlayError, match="no card can be played now"):
            current.play(card)

    assert state_of(current) == before


@pytest.mark.parametrize(("discard", "broken"), [("4H", True), ("QS", True), ("KS", False), ("AD", False)])
def test_hearts_are_broken_by_a_discard_that_breaks_them(discard: str, broken: bool) -> None:
    current = small("2C 9C 3C 4C / 4H QS KS AD / 5D 6D 7D 8D", breaks=Breaks.HEARTS_AND_QUEEN)

    play_cards(current, f"2C {discard}")

    assert current.broken is broken


def test_queen_breaks_nothing_where_only_hearts_do() -> None:
    current = small("2C 9C 3C 4C / 4H QS KS AD / 5D 6D 7D 8D", breaks=Breaks.HEARTS)

    play_cards(current, "2C QS")

    assert not current.broken


def test_following_outranks_the_ban_of_the_first_trick() -> None:
    current = small("2S 9C / QS 4C / 4H 4D", first_trick_ban=FirstTrickBan.ALL_POINTS)

    play_cards(current, "2S")
    assert format_cards(current.legal) == "QS"
    play_cards(current, "QS")

    assert format_cards(current.legal) == "4D"


def test_hearts_are_broken_by_a_lead_and_in_the_first_trick() -> None:
    current = small("4H 2C / 3H 3C / 5H 4C", must_break_hearts=True)
    forced = small("4H / 3H / 5H", must_break_hearts=True)

    assert format_cards(current.legal) == "2C"
    play_cards(forced, "4H")

    assert forced.broken


def test_first_trick_bans_and_later_tricks_do_not() -> None:
    current = small("2C AC / 3D QS / 4D 4H / 5D 5H", first_trick_ban=FirstTrickBan.ALL_POINTS)

    play_cards(current, "2C")
    assert format_cards(current.legal) == "3D"
    play_cards(current, "3D 4D 5D AC")

    assert format_cards(current.legal) == "QS"


# Cancellation


def test_cancelled_trick_is_carried_and_its_leader_leads_again() -> None:
    current = small("9C AC / 9C 3C / AD 4H", cancellation=True)

    play_cards(current, "9C 9C AD")
    assert (bytes(current.winners), current.turn, list(current.tricks)) == (bytes([NOBODY]), 0, [0, 0, 0])
    play_cards(current, "AC 3C 4H")

    assert (bytes(current.winners), list(current.tricks)) == (bytes([NOBODY, 0]), [2, 0, 0])
    assert current.awarded == (1, 0, 0)


def test_carried_points_go_to_the_next_winner() -> None:
    current = small("9C 3C / 9C AC / 2H QS")

    play_cards(current, "9C 9C 2H 3C AC QS")

    assert (current.taken, list(current.tricks)) == ([0, 14, 0], [0, 2, 0])


def test_carried_tricks_accumulate() -> None:
    current = small("9C TC 3C / 9C TC AC / 2H 3H 4H")

    play_cards(current, "9C 9C 2H TC TC 3H")
    assert (bytes(current.winners), current.turn) == (bytes([NOBODY] * 2), 0)
    play_cards(current, "3C AC 4H")

    assert (current.awarded, list(current.tricks)) == ((0, 3, 0), [0, 3, 0])


def test_carried_bonus_card_goes_with_its_trick() -> None:
    jack = {"bonus_card": parse_card("JD"), "bonus_points": -10}
    current = small("9C 3C / 9C AC / JD QS", **jack)

    play_cards(current, "9C 9C JD 3C AC QS")

    assert current.bonus_cards == [0, 1, 0]
    assert current.awarded == (0, 3, 0)


def test_heart_in_a_cancelled_trick_breaks_hearts() -> None:
    current = small("9C AC / 9C 3C / 2H 4H", must_break_hearts=True)

    play_cards(current, "9C 9C 2H")

    assert current.broken


@pytest.mark.parametrize(
    ("value", "winner", "points", "tricks"),
    [
        (FinalCancelledTrick.LEADER, 1, (0, 14, 0), [0, 2, 0]),
        (FinalCancelledTrick.LAST_WINNER, 1, (0, 14, 0), [0, 2, 0]),
        (FinalCancelledTrick.VOID, NOBODY, (0, 1, 0), [0, 1, 0]),
    ],
)
def test_last_trick_that_is_cancelled_goes_where_the_rules_say(
    value: FinalCancelledTrick, winner: int, points: tuple[int, ...], tricks: list[int]
) -> None:
    # Leader and last winner are always the same seat: who wins leads, and a carried trick keeps its leader.
    current = small("3C 9D / KC 9D / 2H QS", final_cancelled_trick=value)

    play_cards(current, "3C KC 2H 9D QS 9D")

    assert (current.winners[-1], list(current.tricks), current.awarded) == (winner, tricks, points)


@pytest.mark.parametrize(
    ("value", "points", "tricks"),
    [
        (FinalCancelledTrick.LEADER, (0, 15, 0), [0, 3, 0]),
        (FinalCancelledTrick.LAST_WINNER, (0, 15, 0), [0, 3, 0]),
        (FinalCancelledTrick.VOID, (0, 1, 0), [0, 1, 0]),
    ],
)
def test_tricks_carried_to_a_cancelled_last_one_go_with_it(
    value: FinalCancelledTrick, points: tuple[int, ...], tricks: list[int]
) -> None:
    current = small("3C 9D TD / KC 9D TD / 2H QS 3H", final_cancelled_trick=value)

    play_cards(current, "3C KC 2H 9D QS 9D TD 3H TD")

    assert (current.awarded, list(current.tricks)) == (points, tricks)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (FinalCancelledTrick.LEADER, (3, 0, 0)),
        (FinalCancelledTrick.LAST_WINNER, (3, 0, 0)),
        (FinalCancelledTrick.VOID, (0, 0, 0)),
    ],
)
def test_deal_of_cancelled_tricks_only_goes_to_the_leader_or_to_nobody(
    value: FinalCancelledTrick, expected: tuple[int, ...]
) -> None:
    current = small("9C TC JC / 9C TC JC / 2H 3H 4H", final_cancelled_trick=value)

    play_cards(current, "9C 9C 2H TC TC 3H JC JC 4H")

    assert current.awarded == expected


def test_two_packs_without_cancellation_give_the_trick_to_the_first_copy() -> None:
    current = small("9C 3C / 9C AC / 2H QS", cancellation=False)

    play_cards(current, "9C 9C 2H 3C AC QS")

    assert current.awarded == (1, 13, 0)


def test_twin_stays_in_the_hand_when_its_copy_is_played() -> None:
    current = small("9C 9C / 3C 4C / 5C 6C")

    play_cards(current, "9C")

    assert format_cards(current.hands[0]) == "9C"


# Kitty


def test_kitty_goes_to_the_winner_of_the_first_trick() -> None:
    current = small("2C 5D / KC 3D / 4C 4D", "QS 2H")

    play_cards(current, "2C KC 4C")

    assert (current.kitty_seat, current.taken) == (1, [0, 14, 0])


def test_kitty_waits_while_the_first_trick_is_carried() -> None:
    current = small("9C 3C / 9C AC / 2D 3D", "QS")

    play_cards(current, "9C 9C 2D")
    assert (current.kitty_seat, current.taken) == (None, [0, 0, 0])
    play_cards(current, "3C AC 3D")

    assert (current.kitty_seat, current.taken) == (1, [0, 13, 0])


def test_kitty_may_wait_for_the_first_trick_with_points() -> None:
    point_trick = {"leftover": Leftover.KITTY_FIRST_POINT_TRICK}
    current = small("2C 5D 6C / KC 3D 7C / 4C 2H 8C", "QS", **point_trick)

    play_cards(current, "2C KC 4C")
    assert current.kitty_seat is None
    play_cards(current, "3D 2H 5D")

    assert (current.kitty_seat, current.taken) == (0, [14, 0, 0])


def test_kitty_without_a_point_trick_stays_where_it_is() -> None:
    current = small("2C / KC / 4C", "QS", leftover=Leftover.KITTY_FIRST_POINT_TRICK)

    play_cards(current, "2C KC 4C")

    assert (current.kitty_seat, current.awarded) == (None, (0, 0, 0))


def test_bonus_card_in_the_kitty_is_paid() -> None:
    current = small("2C / KC / 4C", "JD", bonus_card=parse_card("JD"), bonus_points=-10)

    play_cards(current, "2C KC 4C")

    assert current.awarded == (0, -10, 0)


def test_points_of_the_kitty_count_for_the_moon() -> None:
    moon = {"moon": Moon.OTHERS_PLUS, "moon_points": 26}
    current = small("2C 3D / KC 4D / 4H 5D", "QS", **moon)

    play_cards(current, "2C KC 4H 4D 5D 3D")

    assert (current.taken, current.shooter, current.awarded) == ([0, 14, 0], 1, (26, 0, 26))


def test_seat_without_the_kitty_shoots_no_moon() -> None:
    current = small("2C 3D / KC 2D / 5D 4H", "QS", moon=Moon.OTHERS_PLUS, moon_points=26)

    play_cards(current, "2C KC 5D 2D 4H 3D")

    assert (current.taken, current.shooter, current.awarded) == ([1, 13, 0], None, (1, 13, 0))


# Moon

SHOT = "AC AS / 2C 3S / 4H QS"


def shot(**changes: Any) -> Deal:
    current = small(SHOT, moon_points=26, **changes)
    play_cards(current, "AC 2C 4H AS 3S QS")
    return current


def test_shooter_is_asked_where_the_rules_leave_a_choice() -> None:
    current = shot(moon=Moon.CHOICE)

    assert (current.phase, current.turn, current.shooter) == (Phase.MOON_CHOICE, 0, 0)
    assert (current.awarded, current.choice, current.legal) == (None, None, 0)


@pytest.mark.parametrize(
    ("choice", "expected"), [(MoonChoice.ADD, (0, 26, 26)), (MoonChoice.SUBTRACT, (-26, 0, 0))]
)
def test_choice_of_the_shooter_is_awarded(choice: MoonChoice, expected: tuple[int, ...]) -> None:
    current = shot(moon=Moon.CHOICE)

    current.choose_moon(choice)

    assert (current.awarded, current.choice, current.phase) == (expected, choice, Phase.SCORED)


@pytest.mark.parametrize(
    ("moon", "choice", "expected"),
    [
        (Moon.OTHERS_PLUS, MoonChoice.ADD, (0, 26, 26)),
        (Moon.SHOOTER_MINUS, MoonChoice.SUBTRACT, (-26, 0, 0)),
    ],
)
def test_moon_without_a_choice_is_awarded_at_once(
    moon: Moon, choice: MoonChoice, expected: tuple[int, ...]
) -> None:
    current = shot(moon=moon)

    assert (current.awarded, current.choice, current.phase) == (expected, choice, Phase.SCORED)


def test_moon_counts_nothing_where_it_is_off() -> None:
    current = small(SHOT)

    play_cards(current, "AC 2C 4H AS 3S QS")

    assert (current.shooter, current.awarded) == (None, (14, 0, 0))


def test_nobody_chooses_without_a_moon() -> None:
    for current in (small(SHOT), shot(moon=Moon.OTHERS_PLUS)):
        before = state_of(current)
        with pytest.raises(IllegalPlayError, match="there is no moon to choose about"):
            current.choose_moon(MoonChoice.ADD)
        assert state_of(current) == before


def test_moon_is_lost_with_a_void_last_trick_that_holds_a_penalty_card() -> None:
    current = small(
        "AC 9D / 2C 9D / 4H QS",
        moon=Moon.CHOICE,
        moon_points=26,
        final_cancelled_trick=FinalCancelledTrick.VOID,
    )

    play_cards(current, "AC 2C 4H 9D 9D QS")

    assert (current.shooter, current.awarded) == (None, (1, 0, 0))


# Early end


def test_deal_may_end_when_no_score_can_change() -> None:
    current = small("AC AS 2D / 2C 3S 3D / 4H QS 4D", early_end=True)

    play_cards(current, "AC 2C 4H AS 3S QS")

    assert (current.phase, current.awarded) == (Phase.SCORED, (14, 0, 0))
    assert [format_cards(hand) for hand in current.hands] == ["2D", "3D", "4D"]


def test_deal_does_not_end_early_while_a_bonus_can_be_taken() -> None:
    jack = {"bonus_card": parse_card("JD"), "bonus_points": -10}
    current = small("AC AS 2D / 2C 3S JD / 4H QS 4D", early_end=True, **jack)
    trickless = small("AC AS 2D / 2C 3S 3D / 4H QS 4D", early_end=True, no_trick_bonus=-5)

    for one in (current, trickless):
        play_cards(one, "AC 2C 4H AS 3S QS")
        assert one.phase is Phase.PLAYING
    play_cards(current, "2D JD 4D")
    play_cards(trickless, "2D 3D 4D")

    assert current.awarded == (14, -10, 0)
    assert trickless.awarded == (14, -5, 0)


def test_deal_does_not_end_early_by_default() -> None:
    current = small("AC AS 2D / 2C 3S 3D / 4H QS 4D")

    play_cards(current, "AC 2C 4H AS 3S QS")

    assert current.phase is Phase.PLAYING
