"""Commands that read a store: lists, standings, records, and what programs get from them."""

import json
from pathlib import Path

import pytest
from tests.cli.shell import kiery

ESCAPE = "\x1b"


@pytest.mark.parametrize(
    "words",
    [
        "--help",
        "run --help",
        "match --help",
        "serve --help",
        "play --help",
        "tournament --help",
        "tournament create --help",
        "tournament list --help",
        "tournament show --help",
        "tournament standings --help",
        "tournament export --help",
        "tournament publish --help",
        "tournament audit --help",
        "tournament schema --help",
        "replay --help",
        "replay list --help",
        "replay show --help",
        "replay verify --help",
        "replay export --help",
        "bot --help",
        "bot add --help",
        "bot list --help",
        "bot revoke --help",
    ],
)
def test_every_command_explains_itself(words: str) -> None:
    said = kiery(*words.split())

    assert said.status == 0
    assert "Usage: kiery" in said.out
    assert not said.err


def test_help_is_the_map_of_all_commands() -> None:
    said = kiery("--help")

    for command in ("run", "match", "serve", "play", "tournament", "replay", "bot"):
        assert f" {command} " in said.out


def test_version_is_one_line() -> None:
    assert kiery("--version").out.startswith("kiery ")


@pytest.mark.parametrize(
    "words",
    [
        "replay list",
        "replay list demo",
        "replay verify",
        "replay verify demo/1",
        "tournament list",
        "tournament show demo",
        "tournament show demo --schedule",
        "tournament standings demo",
        "bot list",
    ],
)
def test_listings_are_tables_for_people_and_json_for_programs(words: str, played: Path) -> None:
    store = ("--store", f"sqlite:///{played}")

    people, programs = kiery(*words.split(), *store), kiery(*words.split(), *store, "--json")

    assert people.status == programs.status == 0
    assert people.out.strip()
    assert ESCAPE not in people.out + people.err
    assert json.loads(programs.out)


def test_schema_is_the_json_schema_of_a_tournament_file() -> None:
    schema = json.loads(kiery("tournament", "schema").out)

    assert {"name", "entrants", "rules", "sharing"} <= set(schema["properties"])


def test_shown_match_has_every_seat_and_trick(played: Path) -> None:
    said = kiery("replay", "show", "demo/0", "--store", f"sqlite:///{played}")

    assert said.status == 0
    assert "spot_hearts, 4 players" in said.out
    for name in ("ala", "ola", "ela", "ula"):
        assert name in said.out


def test_exported_transcripts_are_one_json_object_a_line_and_verify(played: Path, tmp_path: Path) -> None:
    out = tmp_path / "demo.jsonl"

    written = kiery("replay", "export", "demo", "--out", out, "--store", f"sqlite:///{played}")
    verified = kiery("replay", "verify", "--transcript", out)

    assert written.status == 0
    assert len([json.loads(line) for line in out.read_text().splitlines()]) == 4
    assert "4 transcripts verified, 0 findings" in verified.out


@pytest.mark.parametrize("form", ["transcript", "text", "record"])
def test_records_go_to_standard_output_without_a_file(form: str, played: Path) -> None:
    said = kiery("replay", "export", "demo/2", "--format", form, "--store", f"sqlite:///{played}", raw=True)

    assert said.status == 0
    assert len(said.out) > 300
    assert said.err == f"1 records written as {form}\n"


def test_secret_is_shown_once_a_tournament_is_over(played: Path) -> None:
    said = kiery("tournament", "show", "demo", "--json", "--store", f"sqlite:///{played}")

    assert json.loads(said.out)["secret"] == bytes(range(32)).hex()


def test_default_store_is_named_in_the_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    said = kiery("bot", "add", "ala")

    assert "store: sqlite:///kiery.sqlite" in said.err
    assert (tmp_path / "kiery.sqlite").is_file()


def test_store_may_come_from_the_environment(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KIERY_STORE", f"sqlite:///{played}")

    assert "demo" in kiery("tournament", "list").out


def test_finished_tournament_is_shown_again_without_a_card_played(played: Path, tmp_path: Path) -> None:
    file = tmp_path / "demo.toml"
    file.write_text(
        'name = "demo"\ndeals = 1\ndeals_per_bot = 1\nrules = {preset = "spot_hearts", players = 4}\n'
        + "".join(f'[[entrants]]\nname = "{name}"\n' for name in ("ala", "ola", "ela", "ula"))
    )
    store = ("--store", f"sqlite:///{played}")
    before = kiery("replay", "list", "--json", *store).out

    said = kiery("run", file, *store)

    assert said.status == 0
    assert "demo: final standings" in said.out
    assert "4 of 4 records verified" in said.out
    assert kiery("replay", "list", "--json", *store).out == before
