"""Every format on a real server: played, stopped, gone on with, verified."""

import contextlib
import sqlite3
from pathlib import Path

import pytest
from tests.end_to_end.evening import NOW_MS, play, spec_of, url_of

from kiery.cli.verify import verify_all
from kiery.errors import KieryError
from kiery.host import PlanDiffersError, add_entrant, read_plan, withdraw_entrant
from kiery.store import Store, StoreError, TournamentStatus
from kiery.tournament import Entrant, Leaving, TournamentSpec

FORMATS: dict[str, tuple[str, dict[str, object]]] = {
    "match": ("ala ola", {"deals_per_bot": 6}),
    "gauntlet": ("ala ola ela ula", {"deals_per_bot": 4}),
    "ladder": ("ala ola ela ula ida", {"tables_budget": 6}),
    "final": ("ala ola ela ula ida", {"deals_per_bot": 4, "final_length": 1}),
    "round_robin": ("ala ola ela ula ida", {"tables_budget": 2, "deals_per_bot": 1}),
}


def spec(name: str) -> TournamentSpec:
    names, fields = FORMATS[name]
    return spec_of(names, name="cup", format=name, deals=1, **fields)


def verified(url: str) -> int:
    """Returns how many records verify; all must, their labels and boards included."""
    with Store.open(url, read_only=True) as store:
        found = verify_all(store, ["cup"])
    assert not found.findings
    return found.verified


def forget(folder: Path, first: int) -> None:
    """Makes a store what it was before fixtures from a number on were played."""
    with contextlib.closing(sqlite3.connect(folder / "store.sqlite")) as database:
        database.execute("DELETE FROM attempt WHERE fixture >= ?", (first,))
        database.execute("UPDATE tournament SET status = 'running', finished_ms = NULL")
        database.commit()


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_played_to_its_end_and_verifies(tmp_path: Path, name: str) -> None:
    url = url_of(tmp_path)

    board = play(spec(name), url)

    assert board.plan.complete
    assert board.fixtures == board.plan.match_count == verified(url)
    with Store.open(url, read_only=True) as store:
        assert store.tournament("cup").status is TournamentStatus.FINISHED
        again = read_plan(store, "cup")
    assert list(again.fixtures) == list(board.plan.fixtures)
    assert again.report == board.plan.report


@pytest.mark.parametrize("name", ["match", "ladder", "final"])
def test_a_format_goes_on_from_its_records(tmp_path: Path, name: str) -> None:
    url = url_of(tmp_path)
    before = play(spec(name), url)
    kept = len(before.plan.fixtures) // 2
    forget(tmp_path, kept)

    board = play(spec(name), url)

    assert board.fixtures == board.plan.match_count == verified(url)
    assert list(board.plan.fixtures[:kept]) == list(before.plan.fixtures[:kept])


def test_a_result_that_another_plan_made_is_refused(tmp_path: Path) -> None:
    url = url_of(tmp_path)
    play(spec("ladder"), url)
    with contextlib.closing(sqlite3.connect(tmp_path / "store.sqlite")) as database:
        database.execute("DELETE FROM attempt WHERE fixture = 0")
        database.commit()

    # Without the first result nothing follows, so what does has no place.
    with Store.open(url, read_only=True) as store, pytest.raises(PlanDiffersError, match="does not follow"):
        read_plan(store, "cup")


def test_a_late_entry_plays_as_much_as_everybody(tmp_path: Path) -> None:
    url = url_of(tmp_path)
    made = spec_of("ala ola ela ula ida", name="cup", deals=1, deals_per_bot=8)
    play(made, url)
    forget(tmp_path, 8)
    with Store.open(url) as store:
        add_entrant(store, "cup", Entrant(name="eva"), NOW_MS)
        assert len(store.amendments.of("cup")) == 1

    board = play(made, url)

    rows = {row.name: row for row in board.standings().rows}
    assert rows["eva"].deals >= 8
    assert board.fixtures == board.plan.match_count == verified(url)
    dropped = {fixture.index for fixture in board.plan.fixtures if fixture.dropped}
    with Store.open(url, read_only=True) as store:
        tried = {each.key.fixture for each in store.attempts("cup")}
    assert dropped
    assert not dropped & tried


@pytest.mark.slow
def test_whoever_leaves_early_is_not_ranked_and_whoever_leaves_late_is_charged(tmp_path: Path) -> None:
    url = url_of(tmp_path)
    made = spec_of("ala ola ela ula ida iga", name="cup", deals=1, deals_per_bot=16)
    play(made, url)
    forget(tmp_path, 8)
    with Store.open(url) as store:
        early = withdraw_entrant(store, "cup", "ala", NOW_MS)

    board = play(made, url)

    assert early.amendments[-1].leaving is Leaving.REMOVED
    assert {row.name for row in board.standings().rows} == {"ola", "ela", "ula", "ida", "iga"}
    assert verified(url) == board.fixtures

    last = max(fixture.index for fixture in board.plan.fixtures if 1 in fixture.seats)
    forget(tmp_path, last)
    with Store.open(url) as store:
        late = withdraw_entrant(store, "cup", "ola", NOW_MS)

    board = play(made, url)

    assert late.amendments[-1].leaving is Leaving.CHARGED
    ola = next(row for row in board.standings().rows if row.name == "ola")
    assert ola.forfeits >= 1
    assert verified(url) == board.fixtures


def test_a_tournament_that_is_over_keeps_its_field(tmp_path: Path) -> None:
    url = url_of(tmp_path)
    play(spec("round_robin"), url)

    with Store.open(url) as store, pytest.raises(StoreError, match="nobody enters or leaves"):
        add_entrant(store, "cup", Entrant(name="eva"), NOW_MS)
    with Store.open(url) as store, pytest.raises(KieryError):
        withdraw_entrant(store, "cup", "nobody", NOW_MS)
