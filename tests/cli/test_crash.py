"""`kill -9` of a run in the middle of its matches: the same command goes on as if nothing had happened."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.cli.shell import KIERY, kiery_process

from kiery.journal import read_journal
from kiery.store import AttemptStatus, Store

SCOUT = """
import sys
from kiery_client import run
from kiery_bots.builtin import Low

class Scout(Low):
    asked = 0

    def play(self, observation):
        Scout.asked += 1
        if Scout.asked == int(sys.argv[2]):
            with open(sys.argv[1], "w") as pipe:
                pipe.write("asked\\n")
        return super().play(observation)

run(Scout())
"""
"""Plays as `low` and tells when it was asked so often."""

LOW = f"{sys.executable} -m kiery_bots low"
KILLED_AFTER = (30, 40, 20)
FIXTURES = 8


def played(store: Path) -> Mapping[str, object]:
    """Returns everything that was recorded but think times and dates."""
    with Store.open(f"sqlite:///{store}", read_only=True) as opened:
        attempts = [(each.key.fixture, each.key.attempt, each.status) for each in opened.attempts("cup")]
        records = [
            (
                each.record.header.match_id,
                [entrant.name for entrant in each.record.header.entrants],
                [
                    (deal.hands, deal.passes, deal.seats, deal.cards, deal.points, deal.faults)
                    for deal in each.record.deals
                ],
                each.record.placements,
                each.record.seat_causes,
            )
            for each in opened.records("cup")
        ]
    return {"attempts": attempts, "records": records}


@pytest.mark.slow
def test_run_that_is_killed_again_and_again_ends_as_an_undisturbed_one(tmp_path: Path) -> None:
    pipe, scout, seed = (tmp_path / name for name in ("pipe", "scout.py", "seed"))
    os.mkfifo(pipe)
    scout.write_text(SCOUT)
    seed.write_bytes(bytes(range(32)))

    def words(store: str, ula: str) -> Sequence[str]:
        bots = [part for name in ("ala=low", "ola=cautious", "ela=cautious") for part in ("--bot", name)]
        length = ("--deals", "4", "--deals-per-bot", "32", "--tables", "4", "--json")
        where = ("--seed-file", str(seed), "--store", f"sqlite:///{tmp_path / store}")
        return ["run", "--name", "cup", *bots, "--bot", f"ula={ula}", *length, *where]

    for asked in KILLED_AFTER:
        command = [*KIERY, *words("killed.sqlite", f"{sys.executable} {scout} {pipe} {asked}")]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            assert pipe.read_text() == "asked\n"
            process.kill()
    in_flight = len(read_journal(tmp_path / "killed.sqlite.journal").tables)
    last = kiery_process(*words("killed.sqlite", LOW))
    whole = kiery_process(*words("whole.sqlite", LOW))

    assert in_flight > 0
    assert f"{in_flight} go on from the exact card" in last.err
    assert (last.status, whole.status) == (0, 0), last
    found = played(tmp_path / "killed.sqlite")
    assert found == played(tmp_path / "whole.sqlite")
    assert found["attempts"] == [(number, 1, AttemptStatus.VALID) for number in range(FIXTURES)]
    # Nothing is in flight, so no journal is left.
    assert {each.name for each in tmp_path.glob("killed.sqlite.journal*")} == set()
