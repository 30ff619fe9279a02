"""Points of a deal, moons and bonuses."""

from typing import Any

import pytest

from kiery.rules import (
    DealTaken,
    Moon,
    MoonChoice,
    Rules,
    deal_points,
    deal_totals,
    is_settled,
    moon_shooter,
    preset,
)

MOON = (26, 0, 0, 0)


def taken(*points: int, bonus: tuple[int, ...] = (), tricks: tuple[int, ...] = ()) -> DealTaken:
    seats = len(points)
    return DealTaken(points=points, bonus_cards=bonus or (0,) * seats, tricks=tricks or (1,) * seats)


def awarded(rules: Rules, what: DealTaken, choice: MoonChoice | None = None) -> tuple[int, ...]:
    return deal_points(rules, what, choice)


def hearts(**changes: Any) -> Rules:
    return preset("hearts", 4, **changes)


def omnibus(**changes: Any) -> Rules:
    return preset("omnibus", 4, **changes)


# Moon


def test_points_without_a_moon_are_those_of_the_cards() -> None:
    assert awarded(hearts(), taken(25, 1, 0, 0)) == (25, 1, 0, 0)
    assert moon_shooter(hearts(), taken(25, 1, 0, 0)) is None


def test_moon_needs_every_penalty_card() -> None:
    assert moon_shooter(hearts(), taken(0, 0, 26, 0)) == 2
    assert moon_shooter(hearts(), taken(0, 1, 25, 0)) is None


def test_moon_needs_every_penalty_card_of_the_variant() -> None:
    double = preset("cancellation", 5)

    assert moon_shooter(double, taken(26, 26, 0, 0, 0)) is None
    assert moon_shooter(double, taken(0, 52, 0, 0, 0)) == 1
    assert moon_shooter(preset("spot_hearts", 4), taken(0, 0, 0, 129)) == 3


def test_moon_does_not_need_every_trick() -> None:
    assert moon_shooter(hearts(), taken(*MOON, tricks=(9, 4, 0, 0))) == 0


@pytest.mark.parametrize(
    ("choice", "expected"), [(MoonChoice.ADD, (0, 26, 26, 26)), (MoonChoice.SUBTRACT, (-26, 0, 0, 0))]
)
def test_shooter_chooses_who_pays(choice: MoonChoice, expected: tuple[int, ...]) -> None:
    assert awarded(hearts(), taken(*MOON), choice) == expected


def test_moon_without_a_choice_cannot_be_awarded() -> None:
    with pytest.raises(ValueError, match="expected add or subtract"):
        awarded(hearts(), taken(*MOON), None)


def test_moon_costs_the_points_of_the_variant() -> None:
    assert awarded(preset("klasyk", 4), taken(*MOON), MoonChoice.ADD) == (0, 13, 13, 13)
    assert awarded(preset("cancellation", 5), taken(52, 0, 0, 0, 0), MoonChoice.ADD) == (0, 52, 52, 52, 52)


def test_nothing_happens_where_the_moon_is_off() -> None:
    maria = preset("black_maria", 4)

    assert maria.moon is Moon.OFF
    assert moon_shooter(maria, taken(43, 0, 0, 0)) is None
    assert awarded(maria, taken(43, 0, 0, 0)) == (43, 0, 0, 0)


# Bonus card


def test_bonus_card_is_paid_to_its_taker() -> None:
    assert awarded(omnibus(), taken(25, 1, 0, 0, bonus=(0, 0, 1, 0))) == (25, 1, -10, 0)


@pytest.mark.parametrize("seat", [0, 3])
def test_bonus_card_is_paid_whatever_the_moon_does(seat: int) -> None:
    bonus = tuple(int(one == seat) for one in range(4))
    expected = [0, 26, 26, 26]
    expected[seat] -= 10

    assert awarded(omnibus(), taken(*MOON, bonus=bonus), MoonChoice.ADD) == tuple(expected)


def test_moon_is_judged_before_the_bonus() -> None:
    # 26 - 10 is no 26, and 25 + a bonus of plus one is no moon.
    assert moon_shooter(omnibus(), taken(*MOON, bonus=(1, 0, 0, 0))) == 0
    assert moon_shooter(omnibus(bonus_points=1), taken(25, 1, 0, 0, bonus=(1, 0, 0, 0))) is None


@pytest.mark.parametrize(("bonus", "shooter"), [((1, 0, 0, 0), 0), ((0, 1, 0, 0), None), ((0,) * 4, None)])
def test_moon_may_require_the_bonus_card(bonus: tuple[int, ...], shooter: int | None) -> None:
    rules = omnibus(bonus_required_for_moon=True)

    assert moon_shooter(rules, taken(*MOON, bonus=bonus)) == shooter
    assert moon_shooter(omnibus(), taken(*MOON, bonus=bonus)) == 0


def test_moon_that_lacks_the_bonus_card_counts_as_cards() -> None:
    rules = omnibus(bonus_required_for_moon=True)

    assert awarded(rules, taken(*MOON, bonus=(0, 1, 0, 0))) == (26, -10, 0, 0)


def test_moon_with_two_packs_requires_both_bonus_cards() -> None:
    rules = preset(
        "cancellation", 8, bonus_card=omnibus().bonus_card, bonus_points=-10, bonus_required_for_moon=True
    )
    all_points = (52, *(0,) * 7)

    assert rules.bonus_copies == 2
    assert moon_shooter(rules, taken(*all_points, bonus=(2, *(0,) * 7))) == 0
    assert moon_shooter(rules, taken(*all_points, bonus=(1, 1, *(0,) * 6))) is None


def test_requirement_of_a_card_that_is_not_in_the_pack_is_met() -> None:
    assert hearts().bonus_copies == 0
    assert moon_shooter(hearts(bonus_required_for_moon=True), taken(*MOON)) == 0


# No trick


def test_seat_without_a_trick_gets_its_bonus() -> None:
    rules = hearts(no_trick_bonus=-5)

    assert awarded(rules, taken(20, 6, 0, 0, tricks=(9, 3, 1, 0))) == (20, 6, 0, -5)
    assert awarded(hearts(), taken(20, 6, 0, 0, tricks=(9, 3, 1, 0))) == (20, 6, 0, 0)


@pytest.mark.parametrize(
    ("choice", "expected"), [(MoonChoice.ADD, (0, 26, 26, 26)), (MoonChoice.SUBTRACT, (-26, 0, 0, 0))]
)
def test_bonus_for_no_trick_is_void_in_a_deal_with_a_moon(
    choice: MoonChoice, expected: tuple[int, ...]
) -> None:
    rules = hearts(no_trick_bonus=-5)

    assert awarded(rules, taken(*MOON, tricks=(13, 0, 0, 0)), choice) == expected


def test_bonus_for_no_trick_stands_where_the_moon_is_off() -> None:
    rules = preset("black_maria", 4, no_trick_bonus=-5)

    assert awarded(rules, taken(43, 0, 0, 0, tricks=(13, 0, 0, 0))) == (43, -5, -5, -5)


# Totals


def test_totals_may_fall_below_zero() -> None:
    assert deal_totals(hearts(), (10, 0, 0, 0), (-26, 0, 0, 0)) == (-16, 0, 0, 0)


def test_totals_stop_at_zero_where_negative_ones_are_not_allowed() -> None:
    rules = hearts(allow_negative=False)

    assert deal_totals(rules, (10, 0, 30, 0), (-26, 3, -26, 0)) == (0, 3, 4, 0)


# Settled


def test_deal_is_settled_when_every_penalty_card_is_taken() -> None:
    assert is_settled(hearts(), taken(20, 6, 0, 0))
    assert not is_settled(hearts(), taken(20, 5, 0, 0))


def test_deal_is_not_settled_while_a_bonus_is_open() -> None:
    assert not is_settled(omnibus(), taken(20, 6, 0, 0))
    assert is_settled(omnibus(), taken(20, 6, 0, 0, bonus=(0, 1, 0, 0)))
    assert not is_settled(hearts(no_trick_bonus=-5), taken(20, 6, 0, 0, tricks=(5, 3, 1, 0)))
    assert is_settled(hearts(no_trick_bonus=-5), taken(20, 6, 0, 0, tricks=(5, 3, 1, 1)))
