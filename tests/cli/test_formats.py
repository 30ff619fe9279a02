"""Formats, late entries and withdrawals as people ask for them."""

import json
from pathlib import Path

import pytest
from tests.cli.shell import bots, kiery

FIVE = bots("a=low b=random c=cautious d=low e=random")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--format", "swiss"), "format: input should be 'round_robin', 'match', 'gauntlet', 'ladder' or"),
        (("--format", "match"), "a match has 5 entrants: expected 2"),
        (("--format", "gauntlet", "--challengers", 5), "all 5 entrants are challengers"),
        (("--challengers", 2), "the format is round_robin: expected gauntlet"),
        (("--lineup", "abhh"), "the format is round_robin: expected match"),
        (("--tables-budget", 1), "expected a tables_budget of 2 at least"),
        (("--format", "ladder", "--sharing", "laps"), "expected sharing independent"),
    ],
)
def test_a_format_that_cannot_be_is_refused_in_one_line(
    tmp_path: Path, options: tuple[object, ...], said: str
) -> None:
    url = f"sqlite:///{tmp_path / 's.sqlite'}"

    assert said in kiery("run", *FIVE, *options, "--store", url).refusal


def test_a_bot_enters_late_and_leaves_before_the_first_card(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 's.sqlite'}"
    file = tmp_path / "cup.toml"
    entrants = "".join(f'[[entrants]]\nname = "{name}"\nbuiltin = "low"\n' for name in "abcde")
    file.write_text(f'name = "cup"\ndeals = 1\ndeals_per_bot = 4\n{entrants}')
    assert kiery("tournament", "create", file, "--store", url).status == 0

    added = kiery("tournament", "add", "cup", "f=random", "--owner", "me", "--store", url)
    left = kiery("tournament", "withdraw", "cup", "b", "--store", url)
    shown = json.loads(kiery("tournament", "show", "cup", "--json", "--store", url).out)
    played = kiery("run", file, "--json", "--store", url)

    assert "f is in; amendment 1 of cup" in added.out
    assert "b is out; it played less than half of its schedule: it is no longer ranked" in left.out
    assert shown["amendments"] == 2
    assert shown["entrants"] == list("abcdef")
    told = json.loads(played.out)
    assert sorted(row["bot"] for row in told["rows"]) == list("acdef")
    assert told["verified"] == told["fixtures"]
    assert not told["findings"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("add", "cup", "A=low"), "two entrants are called 'a' and 'A'"),
        (("add", "cup", "house-1=low"), "begins with 'house-'"),
        (("add", "cup", "f"), "expected NAME="),
        (("withdraw", "cup", "z"), "has no entrant 'z' that could withdraw"),
        (("withdraw", "cap", "a"), "has no tournament called cap"),
    ],
)
def test_a_change_of_field_that_cannot_be_is_refused_in_one_line(
    tmp_path: Path, command: tuple[str, ...], said: str
) -> None:
    url = f"sqlite:///{tmp_path / 's.sqlite'}"
    file = tmp_path / "cup.toml"
    file.write_text('name = "cup"\n' + "".join(f'[[entrants]]\nname = "{name}"\n' for name in "abcde"))
    kiery("tournament", "create", file, "--store", url)

    assert said in kiery("tournament", *command, "--store", url).refusal
