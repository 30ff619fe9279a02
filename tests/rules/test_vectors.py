"""The single cases of `tests/vectors`, each a test of its own."""

from pathlib import Path
from typing import Any

import pytest
from tests.rules import vectors

from kiery.cards import Suit, card_numbers, cards_in, mask_of, parse_card
from kiery.rules import (
    NOBODY,
    DealTaken,
    MatchLength,
    Moon,
    MoonChoice,
    Rules,
    deal_points,
    default_moon_choice,
    is_over,
    legal_plays,
    moon_shooter,
    pass_offset,
    rules_from,
    trick_winner,
    winners,
)

Case = dict[str, Any]


def each(name: str) -> pytest.MarkDecorator:
    found = vectors.cases(name)
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


def rules_of(case: Case) -> Rules:
    parameters = {}
    if case.get("target") is not None:
        parameters["target_score"] = case["target"]
    if case.get("max_deals") is not None:
        parameters["max_deals"] = case["max_deals"]
    return rules_from(case["preset"], case["players"], parameters)


@each("deck.json")
def test_deck_is_dealt_as_the_vector_says(case: Case) -> None:
    rules = rules_of(case)

    assert {
        "hand_size": rules.hand_size,
        "kitty_size": rules.kitty_size,
        "lowest_club": rules.lowest_club and str(rules.lowest_club),
        "pack_points": rules.pack_points,
    } == case["expect"]


@each("pass.json")
def test_cards_go_where_the_vector_says(case: Case) -> None:
    rules = rules_of(case)
    offset = pass_offset(rules, case["deal_number"])

    assert {
        "pass_to": offset or None,
        "count": rules.pass_count if offset else 0,
    } == case["expect"]


@each("legal.json")
def test_legal_cards_are_those_of_the_vector(case: Case) -> None:
    trick = [parse_card(text) for text in case["trick"]]

    legal = legal_plays(
        rules_of(case),
        mask_of(map(parse_card, case["hand"])),
        led=Suit(trick[0].suit) if trick else None,
        trick_number=case["trick_number"],
        broken=case["broken"],
    )

    assert sorted(map(str, cards_in(legal))) == case["expect"]
    assert len(set(card_numbers(legal))) == len(case["expect"])


@each("trick.json")
def test_trick_goes_to_the_seat_of_the_vector(case: Case) -> None:
    winner = trick_winner(rules_of(case), case["leader"], [parse_card(text) for text in case["cards"]])

    assert (None if winner == NOBODY else winner) == case["expect"]["winner"]


@each("points.json")
def test_points_are_awarded_as_the_vector_says(case: Case) -> None:
    rules = rules_of(case)
    cards = [[parse_card(text) for text in seat] for seat in case["taken"]]
    taken = DealTaken(
        points=tuple(sum(rules.point_table[card] for card in seat) for seat in cards),
        bonus_cards=tuple(seat.count(rules.bonus_card) for seat in cards),
        tricks=(1,) * case["players"],
    )
    choice = MoonChoice(case["choice"]) if case["choice"] else None
    if rules.moon is Moon.OTHERS_PLUS:
        choice = MoonChoice.ADD  # the preset leaves none

    assert moon_shooter(rules, taken) == case["expect"]["shooter"]
    assert list(deal_points(rules, taken, choice)) == case["expect"]["points"]


@each("end.json")
def test_match_ends_when_the_vector_says(case: Case) -> None:
    over = is_over(
        rules_of(case),
        MatchLength(),
        totals=case["totals"],
        points=case["points"],
        deals_played=case["deals_played"],
    )

    assert {"over": over, "winners": list(winners(case["totals"])) if over else []} == case["expect"]


@each("moon_default.json")
def test_silent_shooter_chooses_as_the_vector_says(case: Case) -> None:
    rules = rules_of(case)
    shooter = case["shooter"]
    others = (0,) * case["players"]
    taken = DealTaken(
        points=tuple(rules.pack_points if seat == shooter else 0 for seat in range(case["players"])),
        bonus_cards=others,
        tricks=others,
    )

    choice = default_moon_choice(
        rules,
        MatchLength(),
        shooter=shooter,
        taken=taken,
        totals_before=case["totals_before"],
        deals_played=case["deals_played"],
    )

    assert choice.value == case["expect"]["choice"]


def test_folder_without_the_file_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KIERY_VECTORS", str(tmp_path))

    with pytest.raises(FileNotFoundError, match=r"no deck\.json in .*KIERY_VECTORS must name"):
        vectors.cases("deck.json")


def test_folder_named_by_the_environment_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "deck.json").write_text('[{"id": "mine"}]')
    monkeypatch.setenv("KIERY_VECTORS", str(tmp_path))

    assert vectors.cases("deck.json") == [{"id": "mine"}]
