"""What `kiery` cannot use: one line on standard error, exit status 2, and nothing lost."""

import contextlib
import json
import os
import socket
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.shell import Said, bots, kiery, kiery_process

from kiery.store import Store

FOUR = bots("a=random b=low c=cautious d=random")
IDLE = bots("b=low c=low d=low")
PYTHON = sys.executable


def run(tmp_path: Path, *words: object) -> Said:
    """Asks for a tournament in a new store."""
    return kiery("run", *words, "--store", f"sqlite:///{tmp_path / 'new.sqlite'}")


# What is to be played


def test_unknown_preset_is_answered_with_all_there_are(tmp_path: Path) -> None:
    assert run(tmp_path, "--rules", "whist", *FOUR).refusal == (
        "no preset is called 'whist': expected one of"
        " klasyk, specjalny, hearts, omnibus, cancellation, black_maria, spot_hearts"
    )


def test_unknown_preset_is_refused_in_a_match_too() -> None:
    assert "no preset is called 'whist'" in kiery("match", "low", "--rules", "whist").refusal


@pytest.mark.parametrize(("preset", "players"), [("klasyk", 5), ("hearts", 8), ("cancellation", 4)])
def test_impossible_number_of_players_is_refused_with_the_possible_ones(
    preset: str, players: int, tmp_path: Path
) -> None:
    said = run(tmp_path, "--rules", preset, "--players", players, *FOUR)

    assert preset in said.refusal
    assert str(players) in said.refusal
    assert "expected" in said.refusal


def test_too_many_bots_for_one_table_are_sent_to_a_tournament() -> None:
    assert (
        kiery("match", *["low"] * 8).refusal == "hearts seats 7 at most, 8 bots were named: use `kiery run`"
    )


def test_unknown_rule_parameter_is_named(tmp_path: Path) -> None:
    assert "moon_pionts" in run(tmp_path, "--set", "moon_pionts=26", *FOUR).refusal


def test_parameter_without_a_value_is_refused(tmp_path: Path) -> None:
    assert run(tmp_path, "--set", "moon_points", *FOUR).refusal == (
        "--set 'moon_points': expected NAME=VALUE, such as moon_points=26"
    )


def test_run_without_anybody_says_how_to_name_bots(tmp_path: Path) -> None:
    assert "name a tournament file, or entrants with --bot" in run(tmp_path).refusal


def test_bot_without_a_command_is_refused(tmp_path: Path) -> None:
    assert "expected NAME=random|low|cautious" in run(tmp_path, "--bot", "a").refusal


@pytest.mark.parametrize("other", ["Ala", "\uff21\uff2c\uff21", "ala"])
def test_two_entrants_with_one_name_are_refused_whatever_the_case_or_form(other: str, tmp_path: Path) -> None:
    said = run(tmp_path, *bots(f"ala=low {other}=low c=low d=low"))

    assert f"two entrants are called 'ala' and '{other}'" in said.refusal


def test_name_with_control_characters_never_reaches_the_terminal(tmp_path: Path) -> None:
    said = run(tmp_path, "--bot", "a\x1b[31mb=low", *IDLE)

    assert "U+001B" in said.refusal
    assert "\x1b" not in said.out + said.err


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (("run", "--players", "many"), "kiery run --help"),
        (("run", "--bogus"), "kiery run --help"),
        (("frobnicate",), "kiery --help"),
        (("replay", "show"), "kiery replay show --help"),
        (("serve", "--tables", "0"), "kiery serve --help"),
    ],
)
def test_wrong_words_are_one_line_that_points_to_the_help(words: tuple[str, ...], command: str) -> None:
    assert kiery(*words).refusal.endswith(f"; see {command}")


# Tournament files


def file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "cup.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('name = "cup"\nentrants = [\n  {name = "a" builtin = "low"},\n]\n', "line 3, column 15"),
        ('name = "cup"\nname = "cup"\n', "line 2"),
        ('name = "cup"\ncolour = "red"\n[[entrants]]\nname = "a"\n', "colour: is no field of a spec"),
        ('name = "cup"\n[[entrants]]\nname = "a"\nbuiltim = "low"\n', "entrants[0].builtim: is no field"),
        ('name = "cup"\ndeals = "four"\n[[entrants]]\nname = "a"\n', "deals: "),
        (
            'name = "cup"\n[time_control]\nready_ms = "soon"\n[[entrants]]\nname = "a"\n',
            "time_control.ready_ms: ",
        ),
        ('name = "cup"\n', "entrants: is missing"),
        ('name = "c u p"\n[[entrants]]\nname = "a"\n', "name: expected 1 to 64 of the characters"),
        ('name = "cup"\n[[entrants]]\nname = "a"\nbuiltin = "high"\n', "no built-in bot is called 'high'"),
    ],
)
@pytest.mark.parametrize("command", ["run", "serve", "tournament create"])
def test_malformed_file_is_refused_with_the_place(
    command: str, text: str, where: str, tmp_path: Path
) -> None:
    path = file(tmp_path, text)

    said = kiery(*command.split(), path, "--store", f"sqlite:///{tmp_path / 'new.sqlite'}")

    assert f"{path}: " in said.refusal
    assert where in said.refusal
    assert not (tmp_path / "new.sqlite").exists()


def test_file_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b'name = "\xff"')

    assert "nope.toml: No such file or directory" in run(tmp_path, tmp_path / "nope.toml").refusal
    assert "is no UTF-8 text (byte 9)" in run(tmp_path, binary).refusal


def test_endless_file_is_refused_without_being_read_whole(tmp_path: Path) -> None:
    assert "/dev/zero has more than 4194304 bytes" in run(tmp_path, Path("/dev/zero")).refusal


@pytest.mark.parametrize("data", [b"", bytes(31), bytes(33), b"ab" * 31, b"xy" * 32])
def test_seed_file_of_a_wrong_size_is_refused(data: bytes, tmp_path: Path) -> None:
    seed = tmp_path / "seed"
    seed.write_bytes(data)

    said = run(tmp_path, *FOUR, "--seed-file", seed)

    assert said.refusal == f"{seed} is no seed: expected 32 raw bytes or 64 hex digits"


# Bots


def test_command_that_cannot_start_is_named_with_its_bot(tmp_path: Path) -> None:
    said = run(tmp_path, "--bot", "a=./no-such-bot --fast", *IDLE)

    assert said.refusal == (
        "bot a: cannot start ./no-such-bot --fast (No such file or directory): expected a program"
    )


def test_command_with_an_open_quote_is_refused(tmp_path: Path) -> None:
    assert "bot a: cannot read its command" in run(tmp_path, "--bot", "a=python 'mybot.py", *IDLE).refusal


def test_command_that_ends_at_once_is_shown_with_what_it_printed(tmp_path: Path) -> None:
    said = run(tmp_path, "--bot", f"a={PYTHON} -c 'import sys; sys.exit(\"no weights\\x1b[2J\")'", *IDLE)

    assert "bot a: " in said.refusal
    assert "ended with status 1 without connecting" in said.refusal
    assert said.refusal.endswith("it printed: no weights [2J")


def test_last_words_without_a_line_end_are_heard(tmp_path: Path) -> None:
    said = run(tmp_path, "--bot", "a=printf half", *IDLE)

    assert said.refusal.endswith("it printed: half")


def test_command_that_never_connects_is_shown_with_what_it_printed(tmp_path: Path) -> None:
    said = run(tmp_path, "--bot", "a=sh -c 'echo loading; exec sleep 60'", *IDLE, "--connect-s", "0.8")

    assert "bot a: " in said.refusal
    assert "runs but never connected" in said.refusal
    assert said.refusal.endswith("it printed: loading")


def test_remote_entrant_without_a_token_is_told_how_to_get_one(tmp_path: Path) -> None:
    said = run(tmp_path, *bots("ala=remote b=remote c=remote d=remote"))

    assert "entrant ala dials in from elsewhere and has no token" in said.refusal
    assert "`kiery bot add ala`" in said.refusal


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("mybot", "expected MODULE:CLASS"),
        ("nobot:Bot", "there is no module nobot"),
        ("json:Bot", "json has no Bot"),
    ],
)
def test_bot_that_cannot_be_found_is_refused(target: str, why: str) -> None:
    assert why in kiery("play", target, "--address", "127.0.0.1:1", "--token", "x").refusal


def test_play_without_address_or_token_says_which_variable_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KIERY_ADDRESS", "KIERY_TOKEN"):
        monkeypatch.delenv(name, raising=False)

    assert "set KIERY_ADDRESS" in kiery("play", "kiery_bots.builtin:Low").refusal
    assert "set KIERY_TOKEN" in kiery("play", "kiery_bots.builtin:Low", "--address", "127.0.0.1:1").refusal


# Addresses


@contextlib.contextmanager
def taken_port() -> Iterator[int]:
    """Yields a port on which somebody else listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.mark.parametrize("command", ["run", "serve"])
def test_port_in_use_is_refused(command: str, tmp_path: Path) -> None:
    words = [*FOUR] if command == "run" else []
    with taken_port() as port:
        store = f"sqlite:///{tmp_path / 'new.sqlite'}"
        # A process of its own, since gRPC writes to standard error behind our back.
        said = kiery_process(command, *words, "--listen", f"127.0.0.1:{port}", "--store", store)

    assert f"cannot listen on 127.0.0.1:{port}: the port is in use" in said.refusal


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--listen", "here"), "expected HOST:PORT"),
        (("--listen", "0.0.0.0:0"), "give --tls-cert and --tls-key, or say --insecure"),
        (("--tls-cert", "x.pem"), "TLS needs both --tls-cert and --tls-key"),
        (("--tls-cert", "x.pem", "--tls-key", "y.pem"), "cannot read x.pem: No such file or directory"),
    ],
)
def test_address_that_cannot_be_served_is_refused(words: tuple[str, ...], why: str, tmp_path: Path) -> None:
    assert why in run(tmp_path, *FOUR, *words).refusal


# Stores


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("mysql://me:secret@db/x", "mysql://… is no store: expected sqlite:///FILE"),
        ("store.sqlite", "store.sqlite is no store: expected sqlite:///FILE"),
        ("sqlite:///", "names no file: expected sqlite:///FILE"),
        ("sqlite:///no/such/folder/x.sqlite", "the folder no/such/folder does not exist: make it first"),
    ],
)
def test_store_that_cannot_be_made_is_refused(url: str, why: str) -> None:
    said = kiery("run", *FOUR, "--store", url)

    assert why in said.refusal
    assert "secret" not in said.err


@pytest.mark.parametrize("command", ["replay list", "replay verify", "tournament list", "bot list"])
def test_store_that_is_not_there_is_not_made_by_reading(command: str, tmp_path: Path) -> None:
    said = kiery(*command.split(), "--store", f"sqlite:///{tmp_path / 'nope.sqlite'}")

    assert "there is no store" in said.refusal
    assert not (tmp_path / "nope.sqlite").exists()


def test_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "new.sqlite").write_text("not a database at all, but long enough to be looked at\n" * 40)

    assert "is not a database" in run(tmp_path, *FOUR).refusal


def test_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE songs (title TEXT)")
        database.commit()
    before = path.read_bytes()

    assert "is a database of another program" in run(tmp_path, *FOUR).refusal
    assert path.read_bytes() == before


def test_second_writer_is_refused_and_readers_are_not(played: Path) -> None:
    url = f"sqlite:///{played}"
    with Store.open(url):
        writing = kiery("run", *FOUR, "--store", url)
        reading = kiery("replay", "verify", "--store", url)

    assert (
        f"is in use by another kiery process ({os.getpid()}): stop it, or name another file"
        in writing.refusal
    )
    assert reading.status == 0


# Tournaments and records in a store


DEMO = """name = "demo"
deals = {deals}
deals_per_bot = 1
rules = {{preset = "spot_hearts", players = 4}}
""" + "".join(f'[[entrants]]\nname = "{name}"\n' for name in ("ala", "ola", "ela", "ula"))


def test_differing_spec_under_the_same_name_is_refused_with_the_fields(played: Path, tmp_path: Path) -> None:
    changed = file(tmp_path, DEMO.format(deals=3))

    said = kiery("run", changed, "--store", f"sqlite:///{played}")

    assert "tournament demo is another one in this store: deals was 1, now 3" in said.refusal
    assert said.refusal.endswith("expected the same spec, or another --name")


def test_other_seed_under_the_same_name_is_refused_and_not_shown(played: Path, tmp_path: Path) -> None:
    seed = tmp_path / "seed"
    seed.write_text("ab" * 32)

    said = kiery(
        "run", file(tmp_path, DEMO.format(deals=1)), "--seed-file", seed, "--store", f"sqlite:///{played}"
    )

    assert "tournament demo was begun with another seed" in said.refusal
    assert "abab" not in said.out + said.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("tournament show nope", "nope"),
        ("tournament standings nope", "nope"),
        ("replay list nope", "nope"),
        ("replay verify nope", "nope"),
        ("replay export nope", "nope"),
        ("replay show nope/0", "nope"),
        ("replay show demo", "expected TOURNAMENT/FIXTURE"),
        ("replay show demo/x", "expected TOURNAMENT/FIXTURE"),
        ("replay show demo/99", "has no record demo/99"),
        ("replay show demo/0.7", "has no record demo/0.7"),
        ("replay export demo --format song", "expected one of transcript, text, record"),
    ],
)
def test_what_a_store_does_not_have_is_refused(words: str, why: str, played: Path) -> None:
    assert why in kiery(*words.split(), "--store", f"sqlite:///{played}").refusal


def damage(store: Path, sql: str) -> None:
    with contextlib.closing(sqlite3.connect(store)) as database:
        assert database.execute(sql).rowcount == 1
        database.commit()


@pytest.mark.parametrize(
    "how",
    [
        "substr(record, 1, 40)",
        "substr(record, 1, length(record) - 1)",
        "CAST(substr(record, 1, 60) || x'00' || substr(record, 62) AS BLOB)",
        "x'6e6f2072656164657220'",
    ],
)
def test_damaged_record_is_named_and_the_others_still_verify(how: str, played: Path) -> None:
    damage(played, f"UPDATE attempt SET record = {how} WHERE fixture = 2")
    store = ("--store", f"sqlite:///{played}")
    before = played.read_bytes()

    said = kiery("replay", "verify", *store)

    assert said.status == 2
    assert "the record of demo, fixture 2, attempt 1 is corrupt: " in said.out
    assert "3 records verified" in said.out
    assert "1 findings" in said.out
    assert "fixture 2, attempt 1 is corrupt" in kiery("replay", "show", "demo/2", *store).refusal
    assert "fixture 2, attempt 1 is corrupt" in kiery("tournament", "standings", "demo", *store).refusal
    assert kiery("replay", "show", "demo/1", *store).status == 0
    assert played.read_bytes() == before


def test_damaged_record_stops_a_resume_and_nothing_is_lost(played: Path, tmp_path: Path) -> None:
    damage(played, "UPDATE attempt SET record = substr(record, 1, 40) WHERE fixture = 2")
    store = ("--store", f"sqlite:///{played}")
    before = kiery("replay", "list", "--json", *store).out

    said = kiery("run", file(tmp_path, DEMO.format(deals=1)), *store)

    assert "the record of demo, fixture 2, attempt 1 is corrupt" in said.refusal
    assert kiery("replay", "list", "--json", *store).out == before


def test_truncated_store_is_refused_as_damaged(played: Path) -> None:
    whole = played.read_bytes()
    played.write_bytes(whole[: len(whole) // 2])

    assert "is damaged" in kiery("replay", "verify", "--store", f"sqlite:///{played}").refusal


# Transcripts


def exported(played: Path) -> Path:
    out = played.with_name("demo.jsonl")
    assert kiery("replay", "export", "demo", "--out", out, "--store", f"sqlite:///{played}").status == 0
    return out


def test_transcript_file_that_is_missing_or_empty_is_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n")

    assert "No such file" in kiery("replay", "verify", "--transcript", tmp_path / "no.jsonl").refusal
    assert (
        "holds no transcript: expected one JSON object a line"
        in kiery("replay", "verify", "--transcript", empty).refusal
    )


def test_line_that_is_no_json_is_named_and_the_others_are_verified(played: Path) -> None:
    out = exported(played)
    lines = out.read_text().splitlines()
    out.write_text("\n".join([lines[0], lines[1][:100], *lines[2:]]))

    said = kiery("replay", "verify", "--transcript", out)

    assert said.status == 2
    assert f"{out.name}, line 2: unreadable: " in said.out
    assert "3 transcripts verified, 1 findings" in said.out


def test_transcript_that_disagrees_is_a_finding_with_deal_trick_and_seat(played: Path) -> None:
    out = exported(played)
    lines = out.read_text().splitlines()
    transcript = json.loads(lines[2])
    seat, _ = transcript["deals"][0]["plays"][5]
    transcript["deals"][0]["plays"][5][0] = (seat + 1) % 4
    lines[2] = json.dumps(transcript)
    out.write_text("\n".join(lines))

    people = kiery("replay", "verify", "--transcript", out)
    programs = kiery("replay", "verify", "--transcript", out, "--json")

    assert people.status == programs.status == 1
    assert f"{out.name}, line 3: disagrees: deal 1, trick 2, seat {(seat + 1) % 4}" in people.out
    (finding,) = json.loads(programs.out)["findings"]
    assert (finding["deal"], finding["trick"]) == ("1", "2")


def test_output_that_cannot_be_written_is_refused(played: Path) -> None:
    said = kiery("replay", "export", "--out", played.with_name("no") / "x", "--store", f"sqlite:///{played}")

    assert "cannot write" in said.refusal
