"""`kiery bot`: tokens are made, listed and revoked, and shown exactly once."""

import json
from pathlib import Path

from tests.cli.shell import kiery


def test_new_token_is_printed_once_and_never_listed(tmp_path: Path) -> None:
    store = ("--store", f"sqlite:///{tmp_path / 's.sqlite'}")

    made = kiery("bot", "add", "ala", *store)
    listed = kiery("bot", "list", "--json", *store)

    (token,) = [line for line in made.out.splitlines() if line.startswith("kiery.")]
    rows = {row["name"]: row for row in json.loads(listed.out)}
    assert rows["ala"]["role"] == "bot"
    assert rows["ala"]["state"] == "live"
    assert token.split(".")[2] not in listed.out


def test_revoked_token_stays_in_the_list(tmp_path: Path) -> None:
    store = ("--store", f"sqlite:///{tmp_path / 's.sqlite'}")
    kiery("bot", "add", "ala", *store)

    said = kiery("bot", "revoke", "ala", *store)

    assert said.status == 0
    rows = {row["name"]: row["state"] for row in json.loads(kiery("bot", "list", "--json", *store).out)}
    assert rows["ala"] == "revoked"


def test_first_organiser_is_announced_with_the_store(tmp_path: Path) -> None:
    said = kiery("bot", "add", "ala", "--store", f"sqlite:///{tmp_path / 's.sqlite'}")

    assert "organiser token, shown once: kiery." in said.out


def test_unknown_role_is_refused_with_those_that_exist(tmp_path: Path) -> None:
    said = kiery("bot", "add", "ala", "--role", "king", "--store", f"sqlite:///{tmp_path / 's.sqlite'}")

    assert said.refusal == "'king' is no role: expected one of bot, organiser, spectator"


def test_name_that_is_taken_or_cannot_be_shown_is_refused(tmp_path: Path) -> None:
    store = ("--store", f"sqlite:///{tmp_path / 's.sqlite'}")
    kiery("bot", "add", "ala", *store)

    assert "revoke it first, or take another name" in kiery("bot", "add", "ala", *store).refusal
    assert "expected 1 to 64 printable characters" in kiery("bot", "add", "a\x1b[31m", *store).refusal


def test_revoking_what_is_not_there_is_refused(tmp_path: Path) -> None:
    store = ("--store", f"sqlite:///{tmp_path / 's.sqlite'}")

    assert "no live token is called 'ola'" in kiery("bot", "revoke", "ola", *store).refusal
    assert "add another before you revoke it" in kiery("bot", "revoke", "organiser", *store).refusal
