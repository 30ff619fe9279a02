"""`kiery serve` with bots that dial in, launched bots in laps, and TLS."""

import os
import re
import select
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme
from tests.cli.shell import KIERY, ROOT, bots, kiery

from kiery.engine import Derivation, derive_board
from kiery.record import MatchRecord
from kiery.store import Store
from kiery.tournament import label

LEAGUE = """
name = "league"
deals = 1
deals_per_bot = 1
[[entrants]]
name = "ala"
[[entrants]]
name = "careful"
builtin = "cautious"
[[entrants]]
name = "plain"
builtin = "low"
[[entrants]]
name = "own"
command = "{python} {bot}"
"""
BOT = ROOT / "examples" / "mybot.py"
DIARY = """
import os, sys
from kiery_bots.builtin import Low
from kiery_client import DealStarted, run

class Diary(Low):
    def on_event(self, event):
        if isinstance(event, DealStarted):
            with open(sys.argv[1], "a") as diary:
                diary.write(f"{os.getpid()} {event.key_hash.hex() or 'none'}\\n")

run(Diary())
"""


@contextmanager
def started(*words: object, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """Runs `kiery` beside the test, and ends it."""
    process = subprocess.Popen(
        [*KIERY, *map(str, words)],
        cwd=ROOT / "examples",
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=20)


def league(folder: Path) -> tuple[Path, str]:
    file = folder / "league.toml"
    file.write_text(LEAGUE.format(python=sys.executable, bot=BOT))
    return file, f"sqlite:///{folder / 'league.sqlite'}"


def token_of(name: str, url: str) -> str:
    made = kiery("bot", "add", name, "--store", url)
    return next(line for line in made.out.splitlines() if line.startswith("kiery."))


def address_of(server: subprocess.Popen[str]) -> str:
    """Reads where a server listens, from the first lines that it prints."""
    assert server.stdout is not None
    for line in server.stdout:
        found = re.match(r"listening on (\S+);", line)
        if found:
            return found.group(1)
    raise AssertionError("it ended without listening")


def verified(url: str) -> str:
    said = kiery("replay", "verify", "--store", url)
    assert said.status == 0, said
    return said.out


@pytest.mark.slow
@pytest.mark.parametrize("secure", [False, True])
def test_server_plays_a_tournament_with_a_bot_that_dials_in(secure: bool, tmp_path: Path) -> None:
    file, url = league(tmp_path)
    token = token_of("ala", url)
    words: list[object] = ["serve", file, "--once", "--store", url, "--listen", "127.0.0.1:0"]
    environment = {"KIERY_TOKEN": token}
    if secure:
        authority = trustme.CA()
        certificate = authority.issue_cert("127.0.0.1")
        authority.cert_pem.write_to_path(tmp_path / "ca.pem")
        certificate.private_key_pem.write_to_path(tmp_path / "key.pem")
        certificate.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
        words += ["--tls-cert", tmp_path / "cert.pem", "--tls-key", tmp_path / "key.pem"]
        environment["KIERY_CA"] = str(tmp_path / "ca.pem")

    with (
        started(*words) as server,
        started("play", "mybot:MyBot", KIERY_ADDRESS=address_of(server), **environment),
    ):
        assert server.stdout is not None
        said = server.stdout.read()
        status = server.wait(60)

    assert status == 0
    assert "league: final standings" in said
    assert "ala" in said
    assert "4 records verified" in verified(url)
    with Store.open(url, read_only=True) as store:
        for stored in store.records("league"):
            assert not any(stored.record.deals[0].faults)


@pytest.mark.slow
@pytest.mark.parametrize("tls", [False, True])
def test_launched_bots_get_in_whatever_the_server_listens_on(tls: bool, tmp_path: Path) -> None:
    words: list[object] = ["--listen", "0.0.0.0:0", "--insecure"]
    if tls:
        trustme.CA().issue_cert("localhost").private_key_and_cert_chain_pem.write_to_path(
            tmp_path / "all.pem"
        )
        words = ["--tls-cert", tmp_path / "all.pem", "--tls-key", tmp_path / "all.pem"]

    said = kiery(
        *("run", *bots("a=low b=low c=low d=low"), "--deals", 1, "--deals-per-bot", 1, "--connect-s", 10),
        *(*words, "--store", f"sqlite:///{tmp_path / 's.sqlite'}"),
    )

    assert said.status == 0, said
    assert "4 of 4 records verified" in said.out


@pytest.mark.slow
def test_laps_share_boards_and_restart_the_bots_that_play_them(tmp_path: Path) -> None:
    script, diary = tmp_path / "bot.py", tmp_path / "diary"
    script.write_text(DIARY)
    url = f"sqlite:///{tmp_path / 's.sqlite'}"

    said = kiery(
        *("run", *bots("a=low b=cautious c=random"), "--bot", f"d={sys.executable} {script} {diary}"),
        *("--sharing", "laps", "--deals", 1, "--deals-per-bot", 1, "--name", "cup", "--store", url),
    )

    assert said.status == 0, said
    written = [line.split() for line in diary.read_text().splitlines()]
    assert len(written) == 4
    assert len({pid for pid, _ in written}) == 4
    assert {key_hash for _, key_hash in written} == {"none"}
    with Store.open(url, read_only=True) as store:
        records = [stored.record for stored in store.records("cup")]
        secret = store.reveal("cup")
    assert [record.header.lap for record in records] == [1, 2, 3, 4]
    assert len({record.deals[0].hands for record in records}) == 1
    name = label("cup", "s0", 1, 1)
    board = derive_board(records[0].header.rules, 1, name, Derivation(secret, b"").key(name))
    assert records[0].deals[0].hands == board.hands
    assert "4 records verified" in verified(url)
    assert seats_of(records, "d") == {0, 1, 2, 3}


def seats_of(records: Sequence[MatchRecord], name: str) -> set[int]:
    """Returns the seats in which an entrant sat."""
    return {[entrant.name for entrant in record.header.entrants].index(name) for record in records}


@pytest.mark.slow
def test_bots_of_a_server_that_was_killed_end_by_themselves(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = tmp_path / "bot.py"
    script.write_text(
        "import os, sys\nos.environ['KIERY_GIVE_UP_S'] = '0.5'\n"
        "open(sys.argv[1], 'w').write(str(os.getpid()))\n"
        "from kiery_bots.builtin import Low\nfrom kiery_client import run\nrun(Low())\n"
    )
    os.mkfifo(pids)
    words = ["run", "--bot", f"a={sys.executable} {script} {pids}", *bots("b=low c=low d=low")]
    with started(*words, "--deals-per-bot", 4000, "--store", f"sqlite:///{tmp_path / 's.sqlite'}") as server:
        gone = os.pidfd_open(int(pids.read_text()))
        server.kill()
        server.wait(10)

        ended, _, _ = select.select([gone], [], [], 20)

    assert ended
    os.close(gone)
