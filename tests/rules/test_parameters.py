"""Parameters as plain values: reading, refusing, and writing them back."""

import json
from typing import Any

import pytest
from hypothesis import given
from tests.rules.variants import TABLE_IDS, TABLES, variants

from kiery.cards import parse_card
from kiery.rules import (
    Breaks,
    FinalCancelledTrick,
    FirstTrickBan,
    HeartLeadException,
    Leftover,
    Moon,
    MoonDefault,
    OpeningLead,
    PassDirection,
    QueenLead,
    Rules,
    RulesError,
    TieRule,
    UnknownPresetError,
    parameters_of,
    preset,
    rules_from,
)


@given(variants())
def test_parameters_written_and_read_again_are_the_same_rules(rules: Rules) -> None:
    plain = json.loads(json.dumps(parameters_of(rules)))

    assert rules_from(rules.preset, rules.num_players, plain) == rules


@pytest.mark.parametrize(("name", "players"), TABLES, ids=TABLE_IDS)
def test_preset_without_parameters_is_the_preset(name: str, players: int) -> None:
    assert rules_from(name, players) == preset(name, players)
    assert set(parameters_of(preset(name, players))) == set(Rules.__dataclass_fields__) - {
        "preset",
        "num_players",
    }


@pytest.mark.parametrize(
    ("key", "kind", "base"),
    [
        ("leftover", Leftover, {}),
        ("opening_lead", OpeningLead, {}),
        ("first_trick_ban", FirstTrickBan, {}),
        ("breaks", Breaks, {}),
        ("heart_lead_exception", HeartLeadException, {}),
        ("queen_lead", QueenLead, {}),
        ("final_cancelled_trick", FinalCancelledTrick, {}),
        ("moon", Moon, {}),
        ("moon_default_choice", MoonDefault, {}),
        ("tie_rule", TieRule, {}),
    ],
)
def test_every_value_of_every_choice_is_read(key: str, kind: Any, base: dict[str, Any]) -> None:
    for member in kind:
        extra = {"moon_points": 0} if member is Moon.OFF else base

        rules = rules_from("hearts", 4, {key: member.value, **extra})

        assert getattr(rules, key) is member
        assert parameters_of(rules)[key] == member.value


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("target_score", 50, 50),
        ("max_deals", None, None),
        ("max_deals", "none", None),
        ("max_deals", 7, 7),
        ("bonus_card", None, None),
        ("bonus_card", "none", None),
        ("bonus_card", "TD", parse_card("TD")),
        ("removed_cards", ["5D", "2C", "2D", "3D"], tuple(map(parse_card, ["2C", "2D", "3D", "5D"]))),
        ("pass_cycle", ["left", "hold"], (PassDirection.LEFT, PassDirection.HOLD)),
        ("pass_cycle", ("across",), (PassDirection.ACROSS,)),
        ("must_break_hearts", False, False),
        ("no_trick_bonus", -5, -5),
    ],
)
def test_plain_values_are_read(key: str, value: Any, expected: object) -> None:
    assert getattr(rules_from("hearts", 4, {key: value}), key) == expected


def test_tables_by_players_count_only_for_their_table() -> None:
    by_players = {
        "removed_cards": {"3": ["2C"], 5: ["2C", "2D"]},
        "pass_count": {"3": 4, "4": 2},
        "pass_cycle": {"4": ["across"]},
    }

    three, four = rules_from("hearts", 3, by_players), rules_from("hearts", 4, by_players)

    assert (str(three.lowest_club), three.pass_count) == ("3C", 4)
    assert three.pass_cycle == preset("hearts", 3).pass_cycle
    assert (four.removed_cards, four.pass_count, four.pass_cycle) == ((), 2, (PassDirection.ACROSS,))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ({"hearts": 1, "QS": 13}, {"QS": 13, **{f"{rank}H": 1 for rank in "23456789TJQKA"}}),
        (
            {"hearts": "rank"},
            {f"{rank}H": points for points, rank in enumerate("23456789TJQKA", 2)},
        ),
        ({"hearts": 1, "AH": 5, "2H": 0}, {"AH": 5, **{f"{rank}H": 1 for rank in "3456789TJQK"}}),
        ({"7C": 7, "QS": 0}, {"7C": 7}),
    ],
)
def test_points_by_card_outrank_those_of_all_hearts(table: dict[str, Any], expected: dict[str, int]) -> None:
    rules = rules_from("hearts", 4, {"card_points": table})

    assert parameters_of(rules)["card_points"] == expected


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("target_score", "100", "expected a whole number"),
        ("target_score", True, "expected a whole number"),
        ("target_score", 1.5, "expected a whole number"),
        ("target_score", None, "expected a whole number"),
        ("max_deals", "ten", "expected a whole number"),
        ("must_break_hearts", 1, "expected true or false"),
        ("early_end", "yes", "expected true or false"),
        ("moon", "sun", "expected one of off, others_plus, shooter_minus, choice"),
        ("moon", ["off"], "expected one of off, others_plus, shooter_minus, choice"),
        ("tie_rule", None, "expected one of shared, play_on"),
        ("bonus_card", 3, "expected a card such as QS"),
        (
            "bonus_card",
            "XX",
            "'XX' is no card: expected a rank 23456789TJQKA and a suit CDSH, like QS",
        ),
        ("removed_cards", "2C", "expected a list"),
        ("removed_cards", ["2C"] * 105, "expected a list"),
        ("removed_cards", {"4": 2}, "expected a list"),
        ("pass_cycle", ["left", "up"], "expected one of left, right, across, hold"),
        ("pass_count", {4: "3"}, "expected a whole number"),
        ("card_points", [["QS", 13]], "expected a table such as {hearts = 1, QS = 13}"),
        ("card_points", {"QS": "13"}, "expected a whole number"),
        ("card_points", {"hearts": "ranks"}, "expected a whole number"),
        (
            "card_points",
            {"spades": 1},
            "'spades' is no card: expected a rank 23456789TJQKA and a suit CDSH, like QS",
        ),
    ],
)
def test_value_that_cannot_be_used_is_refused_by_its_parameter(key: str, value: Any, message: str) -> None:
    with pytest.raises(RulesError) as caught:
        rules_from("hearts", 4, {key: value})

    assert str(caught.value) == f"rule parameter {key}: {message}"


def test_parameter_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(
        RulesError, match=r"^no rule parameter is called 'target': expected one of num_decks, "
    ):
        rules_from("hearts", 4, {"target": 50})
    with pytest.raises(RulesError, match=r"^no rule parameter is called 'num_players'"):
        rules_from("hearts", 4, {"num_players": 5})


def test_unknown_preset_is_refused_with_its_own_reason() -> None:
    with pytest.raises(UnknownPresetError):
        rules_from("kierki", 4)


def test_readable_value_that_makes_no_game_is_refused_by_the_rules() -> None:
    with pytest.raises(RulesError, match=r"^target_score is -1: expected at least 1$"):
        rules_from("hearts", 4, {"target_score": -1})
    with pytest.raises(RulesError, match=r"^card_points must be 1 to 1000"):
        rules_from("hearts", 4, {"card_points": {"QS": -13}})
