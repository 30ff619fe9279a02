"""Going on where a run stopped: what is kept, what is played, and that it is the same tournament."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.cli.shell import KIERY, bots, kiery
from tests.end_to_end.evening import SECRET, play, spec_of, url_of

from kiery.record import MatchRecord
from kiery.store import Store, TournamentStatus

FIXTURES = 24
NAMES = "ala ola ela ula"
SCOUT = """
import sys
from kiery_client import MatchEnded, run
from kiery_bots.builtin import Low

class Scout(Low):
    def on_event(self, event):
        if isinstance(event, MatchEnded):
            with open(sys.argv[1], "w") as pipe:
                pipe.write("ended\\n")

run(Scout())
"""


def records(store: Path) -> dict[int, MatchRecord]:
    """Returns the valid records by fixture."""
    with Store.open(f"sqlite:///{store}", read_only=True) as opened:
        return {each.key.fixture: each.record for each in opened.records("cup")}


def boards(record: MatchRecord) -> Sequence[object]:
    """Returns who sat where and what was dealt."""
    names = [entrant.name for entrant in record.header.entrants]
    return [names, [(deal.label, deal.number, deal.hands, deal.kitty) for deal in record.deals]]


@pytest.mark.slow
def test_interrupted_run_goes_on_with_the_same_boards_and_keeps_what_it_had(tmp_path: Path) -> None:
    store, seed, pipe, scout = (tmp_path / name for name in ("s.sqlite", "seed", "pipe", "scout.py"))
    seed.write_bytes(SECRET)
    scout.write_text(SCOUT)
    os.mkfifo(pipe)
    url = f"sqlite:///{store}"

    def words(ula: str) -> Sequence[str]:
        players = [*bots("ala=random ola=cautious ela=low"), "--bot", f"ula={sys.executable} {ula}"]
        length = ("--deals", "1", "--deals-per-bot", str(FIXTURES), "--tables", "1")
        return ["run", "--name", "cup", *players, *length, "--seed-file", str(seed), "--store", url]

    command = [*KIERY, *words(f"{scout} {pipe}")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as first:
        for _ in range(3):
            assert pipe.read_text() == "ended\n"
        first.send_signal(signal.SIGINT)
        # A bot that is just about to tell us must not wait for ever.
        os.close(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))
        _, said = first.communicate(timeout=30)
    kept = records(store)
    # The command of a bot is no part of the spec.
    resumed = kiery(*words("-m kiery_bots low"))

    assert first.returncode == 130
    assert f"kiery: stopped after {len(kept)} of {FIXTURES} matches" in said.decode()
    assert 3 <= len(kept) < FIXTURES
    assert resumed.status == 0, resumed
    assert f"{FIXTURES} of {FIXTURES} records verified" in resumed.out
    after = records(store)
    assert sorted(after) == list(range(FIXTURES))
    assert {fixture: record.digest for fixture, record in kept.items()} == {
        fixture: after[fixture].digest for fixture in kept
    }
    with Store.open(url, read_only=True) as opened:
        assert [attempt.key.attempt for attempt in opened.attempts("cup")] == [1] * FIXTURES
        assert opened.tournament("cup").status is TournamentStatus.FINISHED
    undisturbed = tmp_path / "undisturbed"
    undisturbed.mkdir()
    play(spec_of(NAMES, name="cup", deals=1, deals_per_bot=FIXTURES), url_of(undisturbed))
    whole = records(undisturbed / "store.sqlite")
    assert {fixture: boards(record) for fixture, record in after.items()} == {
        fixture: boards(record) for fixture, record in whole.items()
    }


def test_tables_at_a_time_change_neither_schedule_nor_seats_nor_boards(tmp_path: Path) -> None:
    played = []
    for tables in (1, 4, 16):
        folder = tmp_path / str(tables)
        folder.mkdir()
        spec = spec_of(f"{NAMES} iga", name="cup", deals=1, deals_per_bot=4)
        play(spec, url_of(folder), tables=tables)
        found = records(folder / "store.sqlite")
        played.append({fixture: boards(record) for fixture, record in found.items()})

    assert played[0] == played[1] == played[2]
    assert len(played[0]) == 20
