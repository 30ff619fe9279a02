import json

import pytest
from tests.tournament.specs import spec

from kiery.tournament import (
    SpecError,
    differing_fields,
    digest,
    json_schema,
    spec_from_json,
    spec_from_toml,
    spec_to_json,
)

FILE = """
name = "friday"
deals_per_bot = 100
sharing = "laps"
forced_actions = "auto"
entropy = "drand:quicknet:1:ab"

[rules]
preset = "hearts"
players = 3
[rules.parameters]
moon = "others_plus"
[rules.parameters.removed_cards]
3 = ["3C"]
4 = []

[time_control]
decision_ms = 500

[[entrants]]
name = "ada"
owner = "Lab A"
command = "python ada.py"
capacity = 8

[[entrants]]
name = "eve"
builtin = "cautious"
"""


def refused(text: str) -> str:
    with pytest.raises(SpecError) as caught:
        spec_from_toml(text, "f.toml")
    assert str(caught.value).startswith("f.toml: ")
    assert str(caught.value).isprintable()
    return str(caught.value)


def test_a_file_holds_a_whole_spec():
    made = spec_from_toml(FILE, "f.toml")

    assert made.deals_per_bot == 100
    assert made.entrants[0].capacity == 8
    assert made.time_control.decision_ms == 500
    assert [str(card) for card in made.played_rules.removed_cards] == ["3C"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = ", "line 1, column 8"),
        ('name = "a"\nname = "b"', "line 2, column"),
        ("= 3", "line 1, column 1"),
        ("name = 1\nx = = 2", "line 2, column 5"),
        ('name = "t1"', "entrants: is missing"),
        (FILE.replace('"laps"', '"lap"'), "sharing: "),
        (FILE.replace("3 = [", '3 = ["QX", '), "rules: rule parameter removed_cards"),
        (FILE.replace("capacity = 8", 'capacity = "8"'), "entrants[0].capacity: "),
        (FILE + "elo = 3\n", "entrants[1].elo: is no field"),
        (FILE.replace("players = 3", "players = 3\nwhen = 1979-05-27"), "rules.when: is no field"),
        (FILE.replace('"others_plus"', "1979-05-27"), "rules.parameters.moon"),
        (f"x = {'[' * 4000}{']' * 4000}", "nested too deeply"),
        (FILE + "#" * (1 << 20), "more than"),
    ],
)
def test_a_malformed_file_is_refused_with_the_place(text, said):
    assert said in refused(text)


def test_json_holds_everything():
    made = spec_from_toml(FILE, "f.toml")

    assert spec_from_json(spec_to_json(made)) == made


@pytest.mark.parametrize("text", ["{", "[]", "3", '{"name": "t1"}', "[" * 100_000, '{"name": NaN}'])
def test_malformed_json_is_refused(text):
    with pytest.raises(SpecError):
        spec_from_json(text)


def test_the_schema_describes_what_files_may_hold():
    schema = json.loads(json.dumps(json_schema()))

    assert schema["additionalProperties"] is False
    assert set(schema["properties"]) == set(type(spec()).model_fields)
    assert schema["properties"]["forced_actions"]["enum"] == ["ask", "auto"]
    assert all({"description", "$ref"} & set(field) for field in schema["properties"].values())


def test_the_digest_leaves_out_command_lines_only():
    made = spec_from_toml(FILE, "f.toml")
    elsewhere = spec_from_toml(FILE.replace("python ada.py", "/opt/ada"), "f.toml")
    remote = spec_from_toml(FILE.replace('command = "python ada.py"', ""), "f.toml")

    assert digest(made) == digest(elsewhere)
    assert digest(made) != digest(remote)
    assert len(digest(made)) == 32


def test_the_digest_does_not_depend_on_how_a_spec_is_written():
    assert digest(spec()) == digest(spec(deals=4, rules={"parameters": {"target_score": 100}}))


@pytest.mark.parametrize(
    ("fields", "path", "was", "becomes"),
    [
        ({"name": "t2"}, "name", "t1", "t2"),
        ({"deals": 8}, "deals", 4, 8),
        ({"deals_per_bot": 96}, "deals_per_bot", None, 96),
        ({"schedule": "complete"}, "schedule", "balanced", "complete"),
        ({"entropy": "e"}, "entropy", "", "e"),
        ({"forced_actions": "auto"}, "forced_actions", "ask", "auto"),
        ({"time_control": {"bank_ms": 1}}, "time_control.bank_ms", 60000, 1),
        ({"rules": {"parameters": {"moon_points": 20}}}, "rules.parameters.moon_points", 26, 20),
    ],
)
def test_a_difference_is_named_with_both_values(fields, path, was, becomes):
    assert differing_fields(spec(), spec(**fields)) == [(path, was, becomes)]
    assert differing_fields(spec(**fields), spec()) == [(path, becomes, was)]
    assert digest(spec()) != digest(spec(**fields))


def test_a_further_entrant_differs_in_all_its_fields():
    paths = [path for path, was, _ in differing_fields(spec(4), spec(5)) if was is None]

    assert "entrants[4].name" in paths


def test_equal_specs_do_not_differ():
    assert differing_fields(spec(), spec()) == []
