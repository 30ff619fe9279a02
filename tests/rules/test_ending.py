"""When a match is over, who wins, and what a silent shooter's choice is."""

from typing import Any

import pytest

from kiery.rules import (
    DealTaken,
    MatchLength,
    MoonChoice,
    MoonDefault,
    Rules,
    TieRule,
    default_moon_choice,
    is_over,
    placements,
    preset,
    winners,
)

HEARTS = preset("hearts", 4)
SPECJALNY = preset("specjalny", 4)
PLAY_ON = preset("hearts", 4, tie_rule=TieRule.PLAY_ON)
PERFECT = preset("hearts", 4, perfect_round=True)


def over(
    totals: list[int],
    points: list[int] | None = None,
    *,
    rules: Rules = HEARTS,
    deals: int = 5,
    **length: Any,
) -> bool:
    return is_over(
        rules, MatchLength(**length), totals=totals, points=points or [7, 7, 6, 6], deals_played=deals
    )


def test_match_is_over_at_the_target_and_not_before() -> None:
    assert not over([99, 70, 60, 57])
    assert over([100, 70, 60, 57])
    assert over([126, 70, 60, 57])


def test_target_is_a_parameter() -> None:
    assert over([50, 20, 10, 30], rules=preset("hearts", 4, target_score=50))
    assert not over([100, 20, 10, 30], rules=preset("spot_hearts", 4))


def test_total_that_fell_below_the_target_again_does_not_end_the_match() -> None:
    assert over([104, 50, 60, 70], rules=PLAY_ON)
    assert not over([78, 50, 60, 70], rules=PLAY_ON)


# Ties


def test_lowest_total_is_shared_by_default() -> None:
    assert over([100, 40, 40, 60])
    assert winners([100, 40, 40, 60]) == (1, 2)


def test_tie_for_first_goes_on_where_the_rules_say_so() -> None:
    assert not over([100, 40, 40, 60], rules=PLAY_ON)
    assert over([100, 40, 41, 60], rules=PLAY_ON)


def test_tie_for_another_place_does_not_matter() -> None:
    assert over([100, 40, 60, 60], rules=PLAY_ON)
    assert over([100, 100, 60, 70], rules=PLAY_ON)


# The perfect round


def test_perfect_round_of_a_seat_behind_prolongs_the_match() -> None:
    assert not over([100, 40, 50, 60], [10, 10, 0, 6], rules=PERFECT)
    assert over([100, 40, 50, 60], [10, 10, 0, 6], rules=HEARTS)


def test_perfect_round_of_the_leader_prolongs_nothing() -> None:
    assert over([100, 40, 50, 60], [10, 0, 10, 6], rules=PERFECT)


def test_leader_is_who_leads_after_the_deal() -> None:
    # Seat 1 takes the lead with its perfect deal: it does not prolong the match against itself.
    assert over([100, 40, 41, 60], [10, 0, 10, 6], rules=PERFECT)


def test_perfect_round_of_a_seat_over_the_target_counts_too() -> None:
    assert not over([100, 40, 120, 60], [10, 10, 0, 6], rules=PERFECT)


def test_perfect_round_is_judged_by_what_was_awarded() -> None:
    assert not over([113, 60, 40, 70], [13, 0, 13, 13], rules=SPECJALNY)


def test_score_of_zero_by_bonus_is_perfect_and_below_zero_is_not() -> None:
    assert over([100, 40, 50, 60], [10, 10, -10, 6], rules=PERFECT)


def test_specjalny_needs_neither_a_tie_nor_a_perfect_round() -> None:
    assert over([100, 40, 50, 60], [10, 4, 6, 6], rules=SPECJALNY)
    assert not over([100, 40, 40, 60], [10, 4, 6, 6], rules=SPECJALNY)
    assert not over([100, 40, 50, 60], [10, 10, 6, 0], rules=SPECJALNY)


# Caps and fixed lengths


def test_cap_on_deals_ends_the_match_in_any_case() -> None:
    capped = preset("specjalny", 4, max_deals=5)

    assert over([30, 30, 20, 20], [0, 13, 13, 0], rules=capped, deals=5)
    assert not over([30, 30, 20, 20], [0, 13, 13, 0], rules=capped, deals=4)


def test_match_without_a_cap_goes_on() -> None:
    assert not over([40, 30, 20, 20], rules=preset("hearts", 4, max_deals=None), deals=1_000)
    assert over([40, 30, 20, 20], deals=100)


def test_fixed_length_ends_with_its_last_deal_and_not_before() -> None:
    assert not over([200, 0, 10, 20], deals=3, deal_limit=4)
    assert over([8, 0, 10, 8], deals=4, deal_limit=4)


def test_neither_ties_nor_perfect_rounds_nor_caps_change_a_fixed_length() -> None:
    capped = preset("specjalny", 4, max_deals=2)

    assert over([100, 40, 40, 60], [0, 13, 13, 0], rules=SPECJALNY, deals=4, deal_limit=4)
    assert not over([100, 40, 50, 60], rules=capped, deals=3, deal_limit=4)


# Places


@pytest.mark.parametrize(
    ("totals", "best", "places"),
    [
        ([10, 20, 30, 40], (0,), (1, 2, 3, 4)),
        ([40, 10, 10, 60], (1, 2), (3, 1, 1, 4)),
        ([-26, 0, 0, 5], (0,), (1, 2, 2, 4)),
        ([7, 7, 7, 7], (0, 1, 2, 3), (1, 1, 1, 1)),
    ],
)
def test_lowest_total_wins_and_equal_totals_share_the_better_place(
    totals: list[int], best: tuple[int, ...], places: tuple[int, ...]
) -> None:
    assert winners(totals) == best
    assert placements(totals) == places


# The default of a moon


def default(totals: tuple[int, ...], *, rules: Rules = HEARTS, deals: int = 5, **length: Any) -> MoonChoice:
    """Returns the choice for seat 0, which took everything."""
    taken = DealTaken(points=(26, 0, 0, 0), bonus_cards=(0, 1, 0, 0), tricks=(13, 0, 0, 0))
    return default_moon_choice(
        rules, MatchLength(**length), shooter=0, taken=taken, totals_before=totals, deals_played=deals
    )


def test_safety_adds_where_the_match_goes_on() -> None:
    assert default((90, 20, 40, 60)) is MoonChoice.ADD


def test_safety_adds_where_that_wins_the_match() -> None:
    assert default((20, 30, 40, 80)) is MoonChoice.ADD


def test_safety_subtracts_where_adding_would_end_and_lose_the_match() -> None:
    assert default((95, 20, 40, 80)) is MoonChoice.SUBTRACT


def test_safety_adds_where_adding_shares_the_win() -> None:
    assert default((46, 20, 40, 80)) is MoonChoice.ADD
    # Under play_on the tie does not end the match, so adding is safe too.
    assert default((46, 20, 40, 80), rules=PLAY_ON) is MoonChoice.ADD


def test_safety_knows_the_last_deal_of_a_fixed_length() -> None:
    assert default((60, 0, 10, 20), deals=3, deal_limit=4) is MoonChoice.ADD
    assert default((60, 0, 10, 20), deals=4, deal_limit=4) is MoonChoice.SUBTRACT


def test_safety_counts_the_bonus_cards_of_the_deal() -> None:
    # Seat 1 took JD: 20 + 26 - 10 = 36 beats the shooter's 40, without the bonus 46 would not.
    assert default((40, 20, 70, 80), rules=preset("omnibus", 4)) is MoonChoice.SUBTRACT
    assert default((40, 20, 70, 80)) is MoonChoice.ADD


@pytest.mark.parametrize(
    ("value", "expected"),
    [(MoonDefault.OTHERS_PLUS, MoonChoice.ADD), (MoonDefault.SHOOTER_MINUS, MoonChoice.SUBTRACT)],
)
@pytest.mark.parametrize("totals", [(95, 20, 40, 80), (0, 0, 0, 0)])
def test_other_defaults_do_not_look_at_the_scores(
    value: MoonDefault, expected: MoonChoice, totals: tuple[int, ...]
) -> None:
    assert default(totals, rules=preset("hearts", 4, moon_default_choice=value)) is expected
