"""The four filters of legal cards: for each an example that follows it and one that breaks it."""

from typing import Any

import pytest

from kiery.cards import Suit, format_cards, parse_card, parse_cards
from kiery.rules import (
    Breaks,
    FirstTrickBan,
    HeartLeadException,
    OpeningLead,
    QueenLead,
    Rules,
    breaks_hearts,
    legal_plays,
    preset,
)

HEARTS = preset("hearts", 4)
KLASYK = preset("klasyk", 4)
DEALER_LEFT = preset("hearts", 4, opening_lead=OpeningLead.DEALER_LEFT)


def legal(
    hand: str, led: str = "", *, rules: Rules = HEARTS, trick: int = 2, broken: bool = False, **changes: Any
) -> str:
    """Returns the legal cards as text; `led` is the suit led, empty when leading."""
    if changes:
        rules = preset(rules.preset, rules.num_players, **changes)
    suit = Suit("CDSH".index(led)) if led else None
    return format_cards(legal_plays(rules, parse_cards(hand), led=suit, trick_number=trick, broken=broken))


# 1. The opening


def test_lowest_club_must_open() -> None:
    assert legal("2C 9C AC 4D", trick=1) == "2C"


def test_lowest_club_is_3c_where_2c_is_removed() -> None:
    assert legal("3C 7C QS AH", trick=1, rules=preset("hearts", 5)) == "3C"


def test_any_club_may_open_where_the_rules_say_so() -> None:
    any_club = {"opening_lead": OpeningLead.LOWEST_CLUB_HOLDER_ANY_CLUB}

    assert legal("2C 9C AC 4D", trick=1, **any_club) == "2C 9C AC"


def test_opening_rule_binds_only_the_first_trick() -> None:
    assert legal("9C AC 4D", trick=2) == "9C AC 4D"


def test_dealers_left_opens_with_any_card_that_the_ban_allows() -> None:
    assert legal("2C 9C QS 4H", trick=1, rules=DEALER_LEFT, opening_lead=OpeningLead.DEALER_LEFT) == "2C 9C"


def test_dealers_left_with_nothing_but_banned_cards_may_lead_them() -> None:
    # The ban leaves nothing and is skipped; the unbroken hearts then still go.
    assert legal("QS 4H KH", trick=1, opening_lead=OpeningLead.DEALER_LEFT) == "QS"


# 2. Following


@pytest.mark.parametrize("hand", ["3C 9C QS AH", "9C 3C 2D"])
def test_suit_led_must_be_followed(hand: str) -> None:
    assert legal(hand, "C") == "3C 9C"


def test_any_card_may_be_discarded_by_who_cannot_follow() -> None:
    assert legal("2D QS AH", "C") == "2D QS AH"


def test_hearts_may_be_discarded_before_they_are_broken() -> None:
    assert legal("2D AH", "C", broken=False) == "2D AH"


# 3. The ban of the first trick


@pytest.mark.parametrize(
    ("ban", "expected"),
    [
        (FirstTrickBan.NONE, "2D QS 4H"),
        (FirstTrickBan.QUEEN_ONLY, "2D 4H"),
        (FirstTrickBan.ALL_POINTS, "2D"),
    ],
)
def test_ban_takes_its_cards_out_of_the_first_trick(ban: FirstTrickBan, expected: str) -> None:
    assert legal("2D QS 4H", "C", trick=1, first_trick_ban=ban) == expected


@pytest.mark.parametrize("ban", FirstTrickBan)
def test_ban_ends_with_the_first_trick(ban: FirstTrickBan) -> None:
    assert legal("2D QS 4H", "C", trick=2, first_trick_ban=ban) == "2D QS 4H"


def test_ban_is_skipped_where_it_would_leave_nothing() -> None:
    assert legal("QS 4H AH", "C", trick=1) == "QS 4H AH"
    assert legal("QS 4H AH", "C", trick=1, rules=KLASYK) == "4H AH"
    assert legal("QS", "C", trick=1, rules=KLASYK) == "QS"


def test_following_outranks_the_ban() -> None:
    spades_led = {"opening_lead": OpeningLead.DEALER_LEFT}

    assert legal("QS 4H 2D", "S", trick=1, **spades_led) == "QS"
    assert legal("QS 3S 4H", "S", trick=1, **spades_led) == "3S"


def test_cards_without_points_are_never_banned() -> None:
    plain_queen = {"card_points": ((parse_card("AH"), 1),), "first_trick_ban": FirstTrickBan.QUEEN_ONLY}

    assert legal("2D QS AH", "C", trick=1, **plain_queen) == "2D QS AH"
    assert legal("JD 2H", "C", trick=1, rules=preset("omnibus", 4)) == "JD"


def test_ban_covers_all_cards_with_points_not_only_hearts() -> None:
    maria = preset("black_maria", 4, first_trick_ban=FirstTrickBan.ALL_POINTS)

    assert (
        legal("2D QS KS AS 2H", "C", trick=1, rules=maria, first_trick_ban=FirstTrickBan.ALL_POINTS) == "2D"
    )
    assert legal("2D QS KS AS 2H", "C", trick=1, rules=preset("black_maria", 4)) == "2D QS KS AS 2H"


# 4. Unbroken hearts


def test_hearts_may_not_be_led_before_they_are_broken() -> None:
    assert legal("3C QS 4H") == "3C QS"


def test_hearts_may_be_led_once_they_are_broken() -> None:
    assert legal("3C QS 4H", broken=True) == "3C QS 4H"


def test_hearts_may_be_led_any_time_where_they_need_no_breaking() -> None:
    assert legal("3C 4H", must_break_hearts=False) == "3C 4H"


def test_hand_of_hearts_only_may_lead_them() -> None:
    assert legal("4H KH") == "4H KH"


@pytest.mark.parametrize(
    ("exception", "expected"),
    [(HeartLeadException.ONLY_HEARTS, "QS"), (HeartLeadException.ONLY_POINTS, "QS 4H KH")],
)
def test_queen_and_hearts_follow_the_exception(exception: HeartLeadException, expected: str) -> None:
    assert legal("QS 4H KH", heart_lead_exception=exception) == expected


def test_exception_for_points_needs_nothing_but_points() -> None:
    only_points = {"heart_lead_exception": HeartLeadException.ONLY_POINTS}

    assert legal("3C QS 4H", **only_points) == "3C QS"
    assert legal("4H", **only_points) == "4H"


def test_exception_for_points_counts_every_penalty_card() -> None:
    points = preset("black_maria", 4).card_points
    only_points = {"heart_lead_exception": HeartLeadException.ONLY_POINTS, "card_points": points}

    assert legal("KS AS 4H", **only_points) == "KS AS 4H"
    assert legal("JS AS 4H", **only_points) == "JS AS"


def test_ban_is_judged_before_unbroken_hearts() -> None:
    # First the ban leaves only 3C; judged the other way round, QS would have stayed beside it.
    assert legal("3C QS 4H", trick=1, opening_lead=OpeningLead.DEALER_LEFT) == "3C"
    # Klasyk's ban leaves hearts only, which then may be led unbroken.
    klasyk_hearts = {"opening_lead": OpeningLead.DEALER_LEFT, "rules": KLASYK}
    assert legal("QS 4H", trick=1, **klasyk_hearts) == "4H"


# The queen as a lead


def test_queen_may_be_led_any_time_by_default() -> None:
    assert legal("QS 3C") == "3C QS"


def test_queen_waits_for_broken_hearts_where_the_rules_say_so() -> None:
    after = {"queen_lead": QueenLead.AFTER_BROKEN}

    assert legal("QS 3C", **after) == "3C"
    assert legal("QS 3C", broken=True, **after) == "3C QS"
    assert legal("QS", **after) == "QS"
    assert legal("QS 3C", "C", **after) == "3C"
    assert legal("QS 4H", **after) == "4H"


# Breaking


def test_every_heart_breaks_hearts() -> None:
    assert all(breaks_hearts(HEARTS, parse_card(f"{rank}H")) for rank in "23456789TJQKA")
    assert not breaks_hearts(HEARTS, parse_card("KS"))


@pytest.mark.parametrize(("breaks", "expected"), [(Breaks.HEARTS, False), (Breaks.HEARTS_AND_QUEEN, True)])
def test_queen_breaks_hearts_where_the_rules_say_so(breaks: Breaks, expected: bool) -> None:
    assert breaks_hearts(preset("hearts", 4, breaks=breaks), parse_card("QS")) is expected


# Two packs


def test_two_copies_of_a_card_are_one_legal_card() -> None:
    double = preset("cancellation", 6)

    assert legal("3C 3C QS QS", rules=double) == "3C QS"
    assert legal("3C 3C QS QS", "S", rules=double) == "QS"
