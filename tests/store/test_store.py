"""The store keeps what was committed, tells what it cannot use, and shows no secret too early."""

import logging
import os
import sqlite3
import stat
import subprocess
import sys
from dataclasses import replace

import pytest
from tests.record.matches import SECRET, hashed, header_of, played_match, record_of, sample_record

from kiery.engine import commitment_of
from kiery.record import RecordError, verify_record
from kiery.rules import preset
from kiery.store import (
    AttemptKey,
    AttemptStatus,
    ConflictingRecordError,
    CorruptRecordError,
    ForeignFileError,
    SchemaError,
    SecretHiddenError,
    Store,
    StoreError,
    StoreInUseError,
    StoreMissingError,
    StoreReadOnlyError,
    StoreUrlError,
    TournamentExistsError,
    TournamentStatus,
    UnknownAttemptError,
    UnknownTournamentError,
)
from kiery.store.database import _assert_durable
from kiery.store.schema import HEAD, METADATA
from kiery.terms import MatchCause

RECORD = sample_record(deals=2)
KEY = AttemptKey(tournament="t1", fixture=3, attempt=1)


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/kiery.sqlite"


@pytest.fixture
def store(url):
    with Store.open(url) as opened:
        add_tournament(opened)
        yield opened


def add_tournament(store, name="t1", **changes):
    values = {
        "spec": '{"name": "t1"}',
        "spec_digest": b"d" * 32,
        "secret": SECRET,
        "entropy": b"e",
        "commitment": commitment_of(SECRET),
        "created_ms": 7,
    }
    return store.add_tournament(name, **(values | changes))


def record_at(fixture, attempt=1, **changes):
    """Returns a small record at another place in the schedule."""
    return hashed(RECORD, header=replace(RECORD.header, fixture=fixture, attempt=attempt), **changes)


def in_file(url, statement, *parameters):
    """Changes the file behind the store's back."""
    with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
        found = connection.execute(statement, parameters).fetchall()
    connection.close()
    return found


# Opening


def test_a_new_store_is_made_for_its_owner_only(url, tmp_path):
    with Store.open(url) as store:
        assert store.created
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}

    assert modes == dict.fromkeys(
        ["kiery.sqlite", "kiery.sqlite-wal", "kiery.sqlite-shm", "kiery.sqlite.lock"], 0o600
    )
    with Store.open(url) as store:
        assert not store.created


def test_commits_are_synced_and_keys_are_checked(store):
    with store._transaction() as connection:
        pragma = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }

    assert pragma == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 10_000}


def test_a_file_system_that_refuses_safe_writes_is_refused(tmp_path):
    connection = sqlite3.connect(":memory:")
    try:
        with pytest.raises(StoreError, match="journal_mode memory"):
            _assert_durable(tmp_path / "x", connection)
    finally:
        connection.close()


def test_the_migrations_make_the_tables_of_the_schema(store, url):
    made = {
        table: {row[1] for row in in_file(url, f"PRAGMA table_info({table})")} for table in METADATA.tables
    }

    assert made == {name: set(table.columns.keys()) for name, table in METADATA.tables.items()}
    from alembic.autogenerate import compare_metadata  # noqa: PLC0415
    from alembic.migration import MigrationContext  # noqa: PLC0415

    with store._transaction() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
        assert MigrationContext.configure(connection).get_current_revision() == HEAD


@pytest.mark.parametrize(
    ("bad", "what"),
    [
        ("kiery.sqlite", "expected sqlite:///FILE"),
        ("mysql://me:hunter2@host/db", "mysql://… is no store"),
        ("sqlite://", "expected sqlite:///FILE"),
        ("sqlite:///", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("sqlite:///a?mode=ro", "names no file"),
    ],
)
def test_an_address_that_names_no_store_is_refused(bad, what):
    with pytest.raises(StoreUrlError, match=what) as caught:
        Store.open(bad)

    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path, read_only):
    text, other, folder = tmp_path / "notes.txt", tmp_path / "other.sqlite", tmp_path / "folder"
    text.write_text("hello " * 999)
    folder.mkdir()
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE photos (id)")
    connection.close()
    before = other.read_bytes()

    for path, what in ((text, "not a database"), (other, "another program"), (folder, "a folder")):
        with pytest.raises(ForeignFileError, match=what):
            Store.open(f"sqlite:///{path}", read_only=read_only)

    assert text.read_text() == "hello " * 999
    with sqlite3.connect(other) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("photos",)]
    connection.close()
    assert len(other.read_bytes()) == len(before)


def test_a_missing_file_or_folder_is_named(tmp_path):
    with pytest.raises(StoreMissingError, match="nowhere does not exist: make it first"):
        Store.open(f"sqlite:///{tmp_path}/nowhere/kiery.sqlite")
    with pytest.raises(StoreMissingError, match="there is no store"):
        Store.open(f"sqlite:///{tmp_path}/kiery.sqlite", read_only=True)

    assert list(tmp_path.iterdir()) == []


def test_a_file_that_may_not_be_written_to_is_refused(store, url, monkeypatch):
    store.close()
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)

    with pytest.raises(StoreReadOnlyError, match="may not be written to"):
        Store.open(url)


def test_a_store_on_a_medium_that_cannot_be_written_to_can_be_read(store, url, monkeypatch):
    store.add_record(RECORD)
    store.close()
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)

    with Store.open(url, read_only=True) as reader:
        assert reader.record(KEY) == RECORD


@pytest.mark.parametrize("read_only", [False, True])
def test_a_store_of_a_newer_program_is_refused(store, url, read_only):
    store.close()
    in_file(url, "UPDATE alembic_version SET version_num = '9999'")

    with pytest.raises(SchemaError, match="9999"):
        Store.open(url, read_only=read_only)


def test_an_empty_file_becomes_a_store(url, tmp_path):
    (tmp_path / "kiery.sqlite").touch()

    with Store.open(url) as store:
        assert store.created
        assert store.tournaments() == []


def test_a_second_writer_is_refused_and_a_reader_is_not(store, url):
    store.add_record(RECORD)

    with pytest.raises(StoreInUseError, match=f"in use by another kiery process \\({os.getpid()}\\)"):
        Store.open(url)
    with Store.open(url, read_only=True) as reader:
        assert reader.record(KEY) == RECORD
        with pytest.raises(StoreReadOnlyError):
            reader.void_attempt(KEY)


def test_a_killed_process_leaves_what_it_committed_and_no_lock(url):
    script = (
        f"import os, kiery.store\nstore = kiery.store.Store.open({url!r})\n"
        "no = b''\n"
        "store.add_tournament('t', spec='', spec_digest=no, secret=no, entropy=no, commitment=no,"
        " created_ms=1)\n"
        "os.kill(os.getpid(), 9)"
    )

    ended = subprocess.run([sys.executable, "-c", script], check=False)

    assert ended.returncode == -9
    with Store.open(url) as store:
        assert [tournament.name for tournament in store.tournaments()] == ["t"]


def test_closing_twice_does_nothing(store):
    store.close()
    store.close()


# Tournaments


def test_a_tournament_is_kept_as_it_was_given(store, url):
    store.close()
    with Store.open(url) as again:
        kept = again.tournament("t1")

        assert (kept.spec, kept.spec_digest, kept.entropy) == ('{"name": "t1"}', b"d" * 32, b"e")
        assert (kept.status, kept.created_ms, kept.finished_ms) == (TournamentStatus.CREATED, 7, None)
        assert again.secret("t1") == SECRET
        assert again.find_tournament("t2") is None
        with pytest.raises(UnknownTournamentError, match="no tournament called t2"):
            again.tournament("t2")


def test_a_name_is_taken_once(store):
    with pytest.raises(TournamentExistsError, match="called t1 already"):
        add_tournament(store)

    assert len(store.tournaments()) == 1


def test_the_secret_is_revealed_only_when_the_tournament_is_over(store):
    store.set_status("t1", TournamentStatus.RUNNING, now_ms=8)
    with pytest.raises(SecretHiddenError, match="it is running"):
        store.reveal("t1")

    store.set_status("t1", TournamentStatus.FINISHED, now_ms=9)

    assert store.reveal("t1") == SECRET
    assert store.tournament("t1").finished_ms == 9


def test_what_is_over_stays_over(store):
    store.set_status("t1", TournamentStatus.CANCELLED, now_ms=9)
    store.set_status("t1", TournamentStatus.CANCELLED, now_ms=10)

    with pytest.raises(StoreError, match="nothing follows"):
        store.set_status("t1", TournamentStatus.RUNNING, now_ms=11)
    assert store.tournament("t1").finished_ms == 9


def test_the_secret_is_in_no_repr_log_or_error(url, caplog):
    caplog.set_level(logging.DEBUG)
    with Store.open(url) as store:
        shown = [repr(add_tournament(store)), repr(store), repr(store.tournaments())]
        for wrong in (lambda: add_tournament(store), lambda: store.reveal("t1")):
            with pytest.raises(StoreError) as caught:
                wrong()
            shown += [str(caught.value), repr(caught.value)]
        with pytest.raises(StoreError) as caught:
            add_tournament(store, name="t2", spec=None)
        shown += [str(caught.value), repr(caught.value), repr(caught.value.__cause__)]

    text = " ".join([*shown, caplog.text])
    assert repr(SECRET)[2:20] not in text
    assert SECRET.hex() not in text


# Attempts


def test_a_record_is_kept_as_it_was_given(store, url):
    assert store.add_record(RECORD, epoch=4) == KEY
    store.close()

    with Store.open(url) as again:
        (attempt,) = again.attempts("t1")
        assert again.record(KEY) == RECORD
        assert verify_record(again.record(KEY), again.secret("t1")).boards_derived
        assert (attempt.key, attempt.epoch, attempt.status) == (KEY, 4, AttemptStatus.VALID)
        assert (attempt.digest, attempt.deal_count) == (RECORD.digest, 2)


def test_the_same_record_again_changes_nothing(store):
    store.add_record(RECORD)
    store.add_record(RECORD)

    assert len(store.attempts()) == 1


def test_another_record_at_the_same_place_is_refused_and_the_first_is_kept(store):
    store.add_record(RECORD)

    with pytest.raises(ConflictingRecordError, match="another record stands at t1, fixture 3, attempt 1"):
        store.add_record(hashed(RECORD, end_ms=RECORD.end_ms + 1))

    assert store.record(KEY) == RECORD


def test_a_fixture_has_one_valid_attempt(store):
    store.add_record(RECORD)
    with pytest.raises(ConflictingRecordError, match="a second result: attempt 1 is valid"):
        store.add_record(record_at(3, 2))

    store.void_attempt(KEY)
    store.add_record(record_at(3, 2))

    assert [attempt.status for attempt in store.attempts("t1")] == [AttemptStatus.VOID, AttemptStatus.VALID]
    assert [stored.key.attempt for stored in store.records("t1")] == [2]


@pytest.mark.parametrize(
    ("cause", "status"),
    [
        (MatchCause.VOID_SERVER, AttemptStatus.VOID),
        (MatchCause.VOID_ORGANISER, AttemptStatus.VOID),
        (MatchCause.CANCELLED, AttemptStatus.CANCELLED),
    ],
)
def test_a_match_that_was_not_completed_is_kept_and_does_not_count(store, cause, status):
    header = header_of(preset("hearts", 4))
    record = record_of(header, played_match(header, stop_after_plays=60), cause)

    store.add_record(record)

    assert store.attempts("t1")[0].status is status
    assert list(store.records("t1")) == []
    assert store.record(KEY) == record


def test_a_lost_attempt_has_no_record(store):
    store.add_lost(KEY)
    store.add_lost(KEY)

    assert store.attempts("t1")[0].record_size == 0
    with pytest.raises(UnknownAttemptError, match="nothing was recorded"):
        store.record(KEY)
    with pytest.raises(ConflictingRecordError):
        store.add_record(RECORD)


def test_unknown_places_are_named(store):
    for wrong in (store.record, store.void_attempt):
        with pytest.raises(UnknownAttemptError, match="no attempt t1, fixture 3, attempt 1"):
            wrong(KEY)
    other = replace(KEY, tournament="t9")
    for wrong in (
        lambda: store.record(other),
        lambda: store.add_lost(other),
        lambda: store.attempts("t9"),
        lambda: store.records("t9"),
        lambda: store.secret("t9"),
        lambda: store.reveal("t9"),
        lambda: store.set_status("t9", TournamentStatus.RUNNING, now_ms=1),
        lambda: store.add_record(hashed(RECORD, header=replace(RECORD.header, tournament="t9"))),
    ):
        with pytest.raises(UnknownTournamentError, match="no tournament called t9"):
            wrong()


def test_a_record_outside_a_tournament_is_not_stored(store):
    with pytest.raises(ValueError, match="fixtures"):
        store.add_record(hashed(RECORD, header=replace(RECORD.header, fixture=None)))


def test_records_come_in_the_order_of_the_schedule_and_a_few_at_a_time(store):
    fixtures = [*range(69, 3, -1), 0]
    for fixture in fixtures:
        store.add_record(record_at(fixture))
    store.void_attempt(replace(KEY, fixture=10))

    stream = store.records("t1")
    first = next(stream)
    # In the middle of the stream nobody is held up.
    store.add_record(record_at(3))
    rest = list(stream)

    assert first.key.fixture == 0
    found = [stored.key.fixture for stored in rest]
    assert found == sorted(found)
    assert set(found) - {3} == set(fixtures) - {0, 10}
    assert all(stored.record.header.fixture == stored.key.fixture for stored in rest)


def test_attempts_of_all_tournaments_are_listed_together(store):
    add_tournament(store, name="t2")
    store.add_lost(replace(KEY, tournament="t2"))
    store.add_record(RECORD)

    assert [str(attempt.key) for attempt in store.attempts()] == [
        "t1, fixture 3, attempt 1",
        "t2, fixture 3, attempt 1",
    ]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("UPDATE attempt SET record = substr(record, 1, 99)", "99 bytes are no compressed record"),
        ("UPDATE attempt SET record = CAST(x'00' || record AS BLOB)", "no compressed record"),
        ("UPDATE attempt SET digest = x'00'", "digest is not the one"),
        ("UPDATE attempt SET fixture = 4", "another attempt"),
    ],
)
def test_a_corrupt_record_is_named_and_the_others_are_read(store, url, change, what):
    store.add_record(RECORD)
    in_file(url, f"{change} WHERE fixture = 3")
    store.add_record(record_at(1))
    (broken,) = [attempt.key for attempt in store.attempts("t1") if attempt.key.fixture != 1]

    with pytest.raises(CorruptRecordError, match=what) as caught:
        store.record(broken)
    stream = store.records("t1")

    assert f"t1, fixture {broken.fixture}, attempt 1 is corrupt: " in str(caught.value)
    assert isinstance(caught.value, RecordError)
    assert caught.value.metadata["fixture"] == str(broken.fixture)
    assert next(stream).key.fixture == 1
    with pytest.raises(CorruptRecordError):
        next(stream)


def test_a_damaged_file_says_so(store, url, tmp_path):
    for fixture in range(20):
        store.add_record(record_at(fixture))
    store.close()
    path = tmp_path / "kiery.sqlite"
    data = bytearray(path.read_bytes())
    data[4096 * 4 :] = b"\xa5" * len(data[4096 * 4 :])
    path.write_bytes(data)

    with pytest.raises(StoreError, match="is damaged"), Store.open(url) as again:
        list(again.records("t1"))
