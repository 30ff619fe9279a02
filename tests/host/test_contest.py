"""A tournament in a store: what is kept, what is shown, and what a stop in a bad moment leaves."""

import contextlib
import sqlite3
from pathlib import Path

import pytest
from tests.end_to_end.evening import NOW_MS, SECRET, play, spec_of, url_of
from tests.host.test_director import crash

from kiery.cli.leaderboard import standings_as_json
from kiery.engine import Derivation
from kiery.errors import InputError
from kiery.host import Scoreboard, SpecDiffersError, command_of, enter
from kiery.store import AttemptKey, AttemptStatus, Store
from kiery.tournament import Entrant

NAMES = "ala ola ela ula"
LAPS = {"name": "cup", "deals": 1, "deals_per_bot": 1, "sharing": "laps"}


def status_by_attempt(url: str) -> dict[tuple[int, int], AttemptStatus]:
    with Store.open(url, read_only=True) as store:
        return {(each.key.fixture, each.key.attempt): each.status for each in store.attempts("cup")}


def recomputed(url: str, board: Scoreboard) -> Scoreboard:
    """Returns the scoreboard of what the store has now."""
    fresh = Scoreboard(board.plan)
    with Store.open(url, read_only=True) as store:
        for stored in store.records("cup"):
            fresh.add(board.plan.schedule.fixtures[stored.key.fixture], stored.record)
    return fresh


def test_results_that_became_void_are_taken_off_the_scoreboard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = url_of(tmp_path)
    crash(monkeypatch, times=1, at=10, fixture=2)

    board = play(spec_of(NAMES, **LAPS), url)

    fresh = recomputed(url, board)
    assert (board.fixtures, board.deals) == (fresh.fixtures, fresh.deals) == (4, 4)
    assert standings_as_json(board.standings()) == standings_as_json(fresh.standings())
    void = [key for key, status in status_by_attempt(url).items() if status is AttemptStatus.VOID]
    assert sorted(void) == [(0, 1), (1, 1), (2, 1)]


def test_set_that_was_voided_by_half_when_the_server_stopped_is_voided_whole(tmp_path: Path) -> None:
    url = url_of(tmp_path)
    play(spec_of(NAMES, **LAPS), url)
    with Store.open(url) as store:
        store.void_attempt(AttemptKey(tournament="cup", fixture=2, attempt=1))
    with contextlib.closing(sqlite3.connect(tmp_path / "store.sqlite")) as database:
        # As if it had stopped before the end.
        database.execute("UPDATE tournament SET status = 'running', finished_ms = NULL")
        database.commit()

    board = play(spec_of(NAMES, **LAPS), url)

    assert [key for key, status in status_by_attempt(url).items() if status is AttemptStatus.VALID] == [
        (fixture, 2) for fixture in range(4)
    ]
    assert board.fixtures == 4
    with Store.open(url, read_only=True) as store:
        assert len({each.record.deals[0].hands for each in store.records("cup")}) == 1


def test_seed_is_made_once_and_kept(tmp_path: Path) -> None:
    with Store.open(url_of(tmp_path)) as store:
        first = enter(store, spec_of(NAMES), None, NOW_MS)
        again = enter(store, spec_of(NAMES), None, NOW_MS)

    assert first.derivation.commitment == again.derivation.commitment
    assert first.derivation.commitment != Derivation(SECRET, b"").commitment


def test_differing_fields_are_named_and_long_lists_are_cut(tmp_path: Path) -> None:
    with Store.open(url_of(tmp_path)) as store:
        enter(store, spec_of(NAMES), SECRET, NOW_MS)

        with pytest.raises(SpecDiffersError) as caught:
            enter(store, spec_of("a b c d e f g h i j k l"), SECRET, NOW_MS)

    assert "entrants[0].name was 'ala', now 'a'" in str(caught.value)
    assert " more; expected the same spec" in str(caught.value)


def test_command_is_split_as_a_shell_would() -> None:
    assert command_of(Entrant(name="a", command="python 'my bot.py' --fast")) == [
        "python",
        "my bot.py",
        "--fast",
    ]


def test_command_that_cannot_be_split_is_refused() -> None:
    with pytest.raises(InputError, match="check the quotes"):
        command_of(Entrant(name="a", command="python 'my bot.py"))


def test_builtin_bot_is_this_python_with_an_example_bot() -> None:
    assert command_of(Entrant(name="a", builtin="low"))[1:] == ["-m", "kiery_bots", "low"]


def test_adding_a_record_does_not_wait_for_a_fit_that_is_under_way(tmp_path: Path) -> None:
    url = url_of(tmp_path)
    board = play(spec_of(NAMES, name="cup", deals=1, deals_per_bot=1), url)
    slow = Scoreboard(board.plan)
    with Store.open(url, read_only=True) as store:
        records = [(stored.key.fixture, stored.record) for stored in store.records("cup")]

    with slow._lock:
        # Whoever computes standings holds this; more records than may wait are added meanwhile.
        for _ in range(400):
            for fixture, record in records:
                slow.add(board.plan.schedule.fixtures[fixture], record)

    assert slow.deals == 400 * len(records) > 1_024
    assert slow.standings().deal_count == slow.deals
