import pytest
from pydantic import ValidationError
from tests.tournament.specs import spec

from kiery.terms import FaultPolicy, ForcedActions, TimeControl
from kiery.tournament import (
    EntrantKind,
    SpecError,
    TournamentSpec,
    house_entrants,
    name_key,
    spec_from_values,
)


def refused(**fields) -> str:
    with pytest.raises(SpecError) as caught:
        spec(**fields)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def named(*names: str) -> list[dict[str, str]]:
    return [{"name": name} for name in names]


def test_a_spec_needs_only_a_name_and_an_entrant():
    made = spec_from_values({"name": "t1", "entrants": [{"name": "ada"}]})

    assert made.rules.preset == "hearts"
    assert made.played_rules.num_players == 4
    assert made.time_control.terms == TimeControl()
    assert made.fault_policy.terms == FaultPolicy()
    assert made.forced_actions is ForcedActions.ASK


def test_a_spec_cannot_be_changed():
    made = spec()

    with pytest.raises(ValidationError):
        made.name = "other"


@pytest.mark.parametrize("name", ["t1", "A.b_c-9", "x" * 64])
def test_a_tournament_name_may_be_a_label(name):
    assert spec(name=name).name == name


@pytest.mark.parametrize("name", ["", "a b", "a/b", "t1\n", "ż", "x" * 65, ".", ".."])
def test_a_tournament_name_that_is_no_label_is_refused(name):
    assert refused(name=name).startswith("spec: name: ")


@pytest.mark.parametrize("name", ["Zażółć gęślą", "小さい", "R2-D2 (v3)", "😀", "x" * 64])
def test_an_entrant_may_have_any_name_that_can_be_seen(name):
    assert spec(entrants=named(name, "b")).entrants[0].name == name


HIDDEN = "\t \n \0 \u202e \u200b \u200d \ufeff \u2066 \u3164 \ue000 \ufe0f".split(" ")


@pytest.mark.parametrize("name", ["", " a", "a ", "x" * 65, *(f"a{hidden}b" for hidden in HIDDEN)])
def test_an_entrant_name_that_hides_something_is_refused(name):
    assert "entrants[0].name" in refused(entrants=named(name, "b"))


ALIKE = [("Ada", "ada"), ("\ufb01n", "FIN"), ("\uff22ot", "bot"), ("Straße", "STRASSE"), ("\u2460", "1")]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_look_alike_are_refused(one, other):
    assert name_key(one) == name_key(other)
    assert "two entrants" in refused(entrants=named(one, other))


def test_names_of_the_house_are_refused():
    assert "'House-1' begins with" in refused(entrants=named("House-1", "b"))


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({}, EntrantKind.REMOTE),
        ({"builtin": "low"}, EntrantKind.BUILTIN),
        ({"command": "./b"}, EntrantKind.LAUNCHED),
    ],
)
def test_an_entrant_plays_in_one_way(fields, kind):
    assert spec(entrants=[{"name": "a", **fields}]).entrants[0].kind is kind


@pytest.mark.parametrize(
    ("entrant", "said"),
    [
        ({"builtin": "low", "command": "./b"}, "expected one of them"),
        ({"builtin": "deep"}, "expected one of random, low, cautious"),
        ({"command": "  "}, "expected a command line"),
        ({"capacity": 0}, "capacity"),
        ({"elo": 3}, "entrants[0].elo: is no field"),
    ],
)
def test_an_impossible_entrant_is_refused(entrant, said):
    assert said in refused(entrants=[{"name": "a", **entrant}])


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"rules": {"preset": "harts"}}, "no preset is called"),
        ({"rules": {"preset": "klasyk", "players": 5}}, "klasyk cannot be played by 5"),
        ({"rules": {"parameters": {"moons": 1}}}, "no rule parameter is called"),
        ({"deals": 4, "target": 50}, "expected one of them"),
        ({"deals": 0}, "deals: "),
        ({"deals": "4"}, "deals: "),
        ({"deals": True}, "deals: "),
        ({"format": "match"}, "a match has 5 entrants: expected 2"),
        ({"format": "match", "tables_budget": 9, "entrants": named("a", "b")}, "expected deals_per_bot"),
        ({"format": "match", "sharing": "laps", "entrants": named("a", "b")}, "expected sharing independent"),
        ({"format": "match", "schedule": "complete", "entrants": named("a", "b")}, "expected balanced"),
        ({"format": "match", "separate_owners": True, "entrants": named("a", "b")}, "decides who meets"),
        ({"format": "gauntlet", "challengers": 5}, "all 5 entrants are challengers"),
        ({"format": "ladder", "entrants": named("a", "b")}, "a ladder has 2 entrants: expected 4"),
        ({"format": "final", "entrants": named(*"abcd")}, "a final has 4 seats for 4 entrants"),
        ({"challengers": 1}, "the format is round_robin: expected gauntlet"),
        ({"test": {"delta0": 1}}, "test: delta0 1 is not below delta1 0.5"),
        ({"test": {"alpha": 0.5}}, "test.alpha"),
        ({"test": {}}, "the format is round_robin: expected match"),
        ({"tables_budget": 9, "schedule": "complete"}, "expected one of them"),
        ({"rated": True, "sharing": "laps"}, "expected sharing independent"),
        ({"rated": True, "forced_actions": "auto"}, "expected forced_actions ask"),
        ({"forced_actions": "never"}, "expected one of ask, auto"),
        ({"fault_policy": {"substitute": "cautious-99"}}, "fault_policy.substitute: no substitute"),
        ({"time_control": {"decision_ms": -1}}, "time_control.decision_ms"),
        ({"entrants": []}, "entrants"),
        ({"colour": "red"}, "colour: is no field"),
    ],
)
def test_an_impossible_spec_is_refused_with_its_field(fields, said):
    assert said in refused(**fields)


def test_owners_that_cannot_fill_a_table_apart_are_refused():
    owned = [{"name": f"b{index}", "owner": "one"} for index in range(5)]

    assert "separate_owners" in refused(entrants=owned, separate_owners=True)


@pytest.mark.parametrize(
    ("preset", "players", "deals"),
    [("hearts", 4, 4), ("hearts", 3, 3), ("hearts", 6, 2), ("black_maria", 4, 4), ("cancellation", 8, 8)],
)
def test_a_match_takes_a_pass_cycle_or_a_deal_a_dealer(preset, players, deals):
    made = spec(rules={"preset": preset, "players": players})

    assert made.deals_per_match == made.fewest_deals == deals


def test_a_target_replaces_that_of_the_rules():
    made = spec(target=50)

    assert made.played_rules.target_score == 50
    assert made.deals_per_match is None
    assert made.fewest_deals == 2  # 26 + 26 points


def test_the_fewest_deals_to_a_target_stop_at_the_cap():
    made = spec(target=1000, rules={"parameters": {"max_deals": 5}})

    assert made.fewest_deals == 5


def test_house_bots_fill_a_single_table_only():
    assert [entrant.name for entrant in spec(2).seated_entrants] == ["b0", "b1", "house-1", "house-2"]
    assert spec(5).seated_entrants == spec(5).entrants
    assert all(entrant.builtin == "cautious" for entrant in house_entrants(3))


def test_a_spec_made_directly_says_the_same():
    assert TournamentSpec(name="t1", entrants=spec().entrants) == spec()
