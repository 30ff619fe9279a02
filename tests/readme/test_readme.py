"""The README: its files are those of `examples/`, its commands work as they stand."""

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.cli.shell import ROOT, kiery, kiery_process

README = (ROOT / "README.md").read_text()
BIN = Path(sys.executable).parent


def blocks(language: str) -> Sequence[str]:
    """Returns the fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_first_bot_is_shown_whole_and_has_fewer_than_ten_lines_of_code() -> None:
    (shown,) = blocks("python")

    assert shown == (ROOT / "examples" / "mybot.py").read_text()
    assert len([line for line in shown.splitlines() if line.strip()]) < 10


def test_tournament_file_is_the_one_in_examples() -> None:
    (shown,) = blocks("toml")

    assert shown == (ROOT / "examples" / "tournament.toml").read_text()


def test_every_command_in_the_table_exists() -> None:
    for command, names in re.findall(r"^\| `kiery (\w+) ((?:\w+\\\|)+\w+)", README, re.MULTILINE):
        for name in names.split(r"\|"):
            assert kiery(command, name, "--help").status == 0
    for command in re.findall(r"^\| `kiery (run|match|serve|play)", README, re.MULTILINE):
        assert kiery(command, "--help").status == 0


def test_every_link_leads_to_a_file() -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / link).exists(), link


@pytest.mark.slow
def test_commands_of_the_tournament_file_work_when_copied(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    commands = [
        line.removeprefix("kiery ").split()
        for block in blocks("sh")
        for line in block.splitlines()
        if line.startswith(("kiery run examples", "kiery replay"))
    ]
    path = {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}

    said = [kiery_process(*words, folder=tmp_path, more=path) for words in commands]

    assert len(said) == 4
    assert [each.status for each in said] == [0] * 4, said
    assert "friday: final standings" in said[0].out
    assert "transcripts verified, 0 findings" in said[3].out


@pytest.mark.slow
def test_first_command_works_when_copied(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    path = {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}

    said = kiery_process(
        *("run", "--bot", "me=python examples/mybot.py"),
        *("--bot", "a=random", "--bot", "b=low", "--bot", "c=cautious"),
        folder=tmp_path,
        more=path,
    )

    assert '--bot me="python examples/mybot.py" --bot a=random --bot b=low --bot c=cautious' in README
    assert said.status == 0, said
    assert "12 of 12 records verified" in said.out
