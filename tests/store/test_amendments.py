"""The amendments in a store, and a store that was made before there were any."""

import contextlib
import sqlite3
from pathlib import Path

import pytest

from kiery.store import Store, StoreError, TournamentStatus, UnknownTournamentError
from kiery.store.schema import HEAD


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'store.sqlite'}"


def add_tournament(store: Store) -> None:
    store.add_tournament(
        "cup",
        spec="{}",
        spec_digest=bytes(32),
        secret=bytes(32),
        entropy=b"",
        commitment=bytes(32),
        created_ms=1,
    )


def amend(store: Store, number: int, tournament: str = "cup") -> None:
    store.amendments.add(tournament, number=number, amendment="{}", digest=b"d" * 32, created_ms=5)


def test_amendments_come_back_in_their_order(url: str) -> None:
    with Store.open(url) as store:
        add_tournament(store)
        amend(store, 1)
        amend(store, 2)

    with Store.open(url, read_only=True) as store:
        found = store.amendments.of("cup")
    assert [each.number for each in found] == [1, 2]
    assert (found[0].amendment, found[0].digest, found[0].created_ms) == ("{}", b"d" * 32, 5)


@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_number_that_is_not_the_next_is_refused(url: str, number: int) -> None:
    with Store.open(url) as store:
        add_tournament(store)
        amend(store, 1)

        with pytest.raises(StoreError, match="expected number 2"):
            amend(store, number)

        assert len(store.amendments.of("cup")) == 1


@pytest.mark.parametrize("status", [TournamentStatus.FINISHED, TournamentStatus.CANCELLED])
def test_a_tournament_that_is_over_is_not_amended(url: str, status: TournamentStatus) -> None:
    with Store.open(url) as store:
        add_tournament(store)
        store.set_status("cup", status, now_ms=9)

        with pytest.raises(StoreError, match=f"is {status}: nobody enters or leaves it"):
            amend(store, 1)


def test_an_unknown_tournament_has_no_amendments(url: str) -> None:
    with Store.open(url) as store:
        with pytest.raises(UnknownTournamentError):
            amend(store, 1, "other")
        with pytest.raises(UnknownTournamentError):
            store.amendments.of("other")


def test_a_store_of_the_first_version_is_brought_up_to_date_and_keeps_what_it_has(
    url: str, tmp_path: Path
) -> None:
    with Store.open(url) as store:
        add_tournament(store)
    with contextlib.closing(sqlite3.connect(tmp_path / "store.sqlite")) as database:
        database.execute("DROP TABLE amendment")
        database.execute("UPDATE alembic_version SET version_num = '0001'")
        database.commit()

    with Store.open(url) as store:
        assert store.tournament("cup").created_ms == 1
        amend(store, 1)
    with contextlib.closing(sqlite3.connect(tmp_path / "store.sqlite")) as database:
        assert database.execute("SELECT version_num FROM alembic_version").fetchall() == [(HEAD,)]
