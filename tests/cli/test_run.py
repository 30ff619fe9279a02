"""`kiery run` and `kiery match` as people and programs see them."""

import json
from pathlib import Path

import pytest
from tests.cli.shell import bots, kiery

from kiery.cli.console import print_json, say

ESCAPE = "\x1b"


def test_run_prints_one_json_value_for_programs(tmp_path: Path) -> None:
    said = kiery(
        *("run", "--json", "--rules", "hearts", "--players", 3, *bots("a=low b=random c=cautious")),
        *("--deals", 1, "--deals-per-bot", 1, "--store", f"sqlite:///{tmp_path / 's.sqlite'}"),
    )

    assert said.status == 0, said
    told = json.loads(said.out)
    assert told["fixtures"] == told["verified"] == 3
    assert told["findings"] == []
    assert {row["bot"] for row in told["rows"]} == {"a", "b", "c"}
    assert not said.err


def test_match_seats_its_bots_in_every_arrangement(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 's.sqlite'}"

    said = kiery("match", "cautious", "random", "low", "--deals", 1, "--store", url)

    assert said.status == 0, said
    assert "hearts for 3, 3 entrants" in said.out
    assert "records verified" in said.out
    assert ESCAPE not in said.out + said.err
    assert "kiery replay show " in said.out


def test_house_bots_fill_a_table_that_lacks_players(tmp_path: Path) -> None:
    said = kiery(
        *("match", "low", "--rules", "hearts", "--deals", 1),
        *("--store", f"sqlite:///{tmp_path / 's.sqlite'}"),
    )

    assert said.status == 0, said
    assert "1 entrants and 2 house bots" in said.out


def test_two_bots_play_until_a_test_tells_which_is_better(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 's.sqlite'}"
    command = ("match", "cautious", "random", "--deals", 1, "--deals-per-bot", 60, "--name", "duel")

    said = kiery(*command, "--store", url)
    again = kiery(*command, "--store", url, "--json")

    assert said.status == again.status == 0, said
    assert "cautious against random: +" in said.out
    assert "H1 accepted, +0.5 rather than -0.5" in said.out
    told = json.loads(again.out)
    assert told["test"]["verdict"] == "H1"
    assert told["test"]["deals_at_verdict"] <= told["test"]["deals"] == told["fixtures"] == told["verified"]


@pytest.mark.parametrize("text", ["a\x1b[31mb", "a\x9b31mb", "a\u202eb", "a\rb", "a\x00b"])
def test_nothing_that_a_terminal_obeys_is_printed(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_json({text: text})
    written = capsys.readouterr().out
    say(text)
    said = capsys.readouterr().out

    assert json.loads(written) == {text: text}
    for line in (*written.split("\n"), *said.split("\n")):
        assert line.isprintable()
