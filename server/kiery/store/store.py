"""`Store`: tournaments, attempts with their records, and tokens, in one SQLite file.

Methods are synchronous and may be called from any thread; a server calls them off its event loop.
Each is one transaction. What is read and what was recorded can never disagree: everything that can be
computed from the records is.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from sqlalchemy import Connection, Engine, Select, func, select, tuple_, update

from kiery.record import MatchRecord
from kiery.store.amendments import AmendmentTable
from kiery.store.database import open_database, translated
from kiery.store.embargo import refuse_hidden
from kiery.store.errors import (
    ConflictingRecordError,
    SecretHiddenError,
    StoreError,
    TournamentExistsError,
    UnknownAttemptError,
    UnknownTournamentError,
)
from kiery.store.lock import WriterLock
from kiery.store.rows import attempt_from_row, record_from_row, status_of, tournament_from_row
from kiery.store.schema import ATTEMPT, TOURNAMENT
from kiery.store.tokens import TokenTable
from kiery.store.url import parse_url
from kiery.store.values import (
    AttemptKey,
    AttemptStatus,
    StoredAttempt,
    StoredRecord,
    StoredTournament,
    TournamentStatus,
)
from kiery.wire_service import record_to_bytes

__all__ = ["Store"]

_BATCH: Final = 32

_SHOWN: Final = [column for column in TOURNAMENT.columns if column.name not in {"id", "secret"}]


class Store:
    """An open store. Close it, or use it in a `with` statement."""

    def __init__(self, engine: Engine, path: Path, lock: WriterLock | None, *, created: bool) -> None:
        """Keeps what `open` has opened; call that instead."""
        self._engine = engine
        self._lock = lock
        self.path = path
        """The file."""
        self.created = created
        """Whether the store was made by opening it."""
        self.tokens = TokenTable(self._transaction)
        """The tokens of bots and people."""
        self.amendments = AmendmentTable(self._transaction, self._tournament_id)
        """Late entries and withdrawals."""

    @classmethod
    def open(cls, url: str, *, read_only: bool = False) -> Self:
        """Opens a store.

        Args:
            url: `sqlite:///FILE`, relative to the current folder unless FILE begins with a slash.
            read_only: For commands that change nothing: they may run beside a server. Otherwise the file is
                made when there is none, and nobody else may write while it is open.

        Raises:
            StoreError: The address or the file cannot be used, or somebody else writes; says what to do.
        """
        path = parse_url(url)
        lock = None
        try:
            if not read_only:
                if not path.parent.is_dir() or path.is_dir():
                    # Refused with the right words, before a lock file is made.
                    open_database(path, read_only=False)
                lock = WriterLock(path)
            engine, created = open_database(path, read_only=read_only)
        except OSError as error:
            raise StoreError(f"{path} cannot be opened: {error.strerror or error}") from None
        except StoreError:
            if lock is not None:
                lock.release()
            raise
        return cls(engine, path, lock, created=created)

    def close(self) -> None:
        """Closes the file and lets others write; again does nothing."""
        self._engine.dispose()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Self:
        """Returns itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes it."""
        self.close()

    def __repr__(self) -> str:
        """Shows the file's name only."""
        return f"Store({self.path.name})"

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with translated(self.path), self._engine.begin() as connection:
            yield connection

    # Tournaments

    def add_tournament(
        self,
        name: str,
        *,
        spec: str,
        spec_digest: bytes,
        secret: bytes,
        entropy: bytes,
        commitment: bytes,
        created_ms: int,
    ) -> StoredTournament:
        """Stores a new tournament.

        Args:
            name: Unique in the store.
            spec: As JSON text.
            spec_digest: 32 bytes.
            secret: The secret S of the boards, 32 bytes.
            entropy: The public entropy E, or empty.
            commitment: The commitment C to the secret, 32 bytes.
            created_ms: Now, milliseconds since 1970 UTC.

        Raises:
            TournamentExistsError: The name is taken; compare the spec with that of `find_tournament`.
        """
        with self._transaction() as connection:
            if connection.execute(select(TOURNAMENT.c.id).where(TOURNAMENT.c.name == name)).first():
                raise TournamentExistsError(f"a tournament is called {name} already", tournament=name)
            connection.execute(
                TOURNAMENT.insert().values(
                    name=name,
                    spec=spec,
                    spec_digest=spec_digest,
                    secret=secret,
                    entropy=entropy,
                    commitment=commitment,
                    status=TournamentStatus.CREATED.value,
                    created_ms=created_ms,
                )
            )
        return self.tournament(name)

    def find_tournament(self, name: str) -> StoredTournament | None:
        """Returns a tournament by name, none if there is none."""
        with self._transaction() as connection:
            row = connection.execute(select(*_SHOWN).where(TOURNAMENT.c.name == name)).mappings().first()
        return None if row is None else tournament_from_row(row)

    def tournament(self, name: str) -> StoredTournament:
        """Returns a tournament by name.

        Raises:
            UnknownTournamentError: None has it.
        """
        found = self.find_tournament(name)
        if found is None:
            raise self._unknown_tournament(name)
        return found

    def tournaments(self) -> list[StoredTournament]:
        """Returns all tournaments, oldest first."""
        with self._transaction() as connection:
            rows = connection.execute(select(*_SHOWN).order_by(TOURNAMENT.c.id)).mappings().all()
        return [tournament_from_row(row) for row in rows]

    def set_status(self, name: str, status: TournamentStatus, *, now_ms: int) -> None:
        """Notes where a tournament stands; once it is over, that is final.

        Raises:
            UnknownTournamentError: None has the name.
            StoreError: It is over, and would be called something else.
        """
        with self._transaction() as connection:
            row = connection.execute(select(TOURNAMENT.c.status).where(TOURNAMENT.c.name == name)).first()
            if row is None:
                raise self._unknown_tournament(name)
            before = TournamentStatus(row.status)
            if before is status:
                return
            if before.is_over:
                raise StoreError(f"the tournament {name} is {before}: nothing follows that")
            changes = {"status": status.value, "finished_ms": now_ms if status.is_over else None}
            connection.execute(update(TOURNAMENT).where(TOURNAMENT.c.name == name).values(changes))

    def secret(self, name: str) -> bytes:
        """Returns the secret S of a tournament's boards, 32 bytes, for dealing; to show it, see `reveal`.

        Raises:
            UnknownTournamentError: None has the name.
        """
        with self._transaction() as connection:
            row = connection.execute(select(TOURNAMENT.c.secret).where(TOURNAMENT.c.name == name)).first()
        if row is None:
            raise self._unknown_tournament(name)
        return bytes(row.secret)

    def reveal(self, name: str) -> bytes:
        """Returns the secret S of a tournament that is over, 32 bytes, for everybody.

        Raises:
            UnknownTournamentError: None has the name.
            SecretHiddenError: It is not over.
        """
        status = self.tournament(name).status
        if not status.is_over:
            raise SecretHiddenError(f"the secret of {name} is shown when it is over: it is {status}")
        return self.secret(name)

    # Attempts

    def add_record(self, record: MatchRecord, *, epoch: int = 0) -> AttemptKey:
        """Stores the record of an attempt, in one transaction; the same record again changes nothing.

        Args:
            record: Its header names tournament, fixture and attempt; its cause says whether it counts.
            epoch: The claim under which it was played.

        Raises:
            UnknownTournamentError: None has the name.
            ConflictingRecordError: Another record stands there, or the fixture has a valid attempt.
            ValueError: The record is of a match outside a tournament.
        """
        header = record.header
        if header.fixture is None:
            raise ValueError("only records of a tournament's fixtures are stored")
        key = AttemptKey(tournament=header.tournament, fixture=header.fixture, attempt=header.attempt)
        values = {
            "epoch": epoch,
            "status": status_of(record.cause).value,
            "digest": record.digest,
            "deal_count": len(record.deals),
            "record": record_to_bytes(record),
        }
        self._add_attempt(key, values)
        return key

    def add_lost(self, key: AttemptKey, *, epoch: int = 0) -> None:
        """Notes a void attempt of which nothing was recorded, such as one in flight when the machine stopped.

        Raises:
            UnknownTournamentError: None has the name.
            ConflictingRecordError: The attempt is recorded.
        """
        void = AttemptStatus.VOID.value
        self._add_attempt(
            key, {"epoch": epoch, "status": void, "digest": b"", "deal_count": 0, "record": b""}
        )

    def _add_attempt(self, key: AttemptKey, values: Mapping[str, Any]) -> None:
        with self._transaction() as connection:
            tournament = self._tournament_id(connection, key.tournament)
            of_fixture = (ATTEMPT.c.tournament_id == tournament) & (ATTEMPT.c.fixture == key.fixture)
            there = connection.execute(
                select(ATTEMPT.c.attempt, ATTEMPT.c.status, ATTEMPT.c.digest).where(of_fixture)
            ).all()
            for row in there:
                if row.attempt == key.attempt:
                    if row.digest == values["digest"]:
                        return
                    raise ConflictingRecordError(f"another record stands at {key}: it is kept")
            if values["status"] == AttemptStatus.VALID.value:
                valid = [row.attempt for row in there if row.status == AttemptStatus.VALID.value]
                if valid:
                    raise ConflictingRecordError(
                        f"{key} would be a second result: attempt {valid[0]} is valid"
                    )
            connection.execute(
                ATTEMPT.insert().values(
                    tournament_id=tournament, fixture=key.fixture, attempt=key.attempt, **values
                )
            )

    def void_attempt(self, key: AttemptKey) -> None:
        """Makes an attempt void: it is kept, and counts nowhere.

        Raises:
            UnknownTournamentError: None has the name.
            UnknownAttemptError: There is no such attempt.
        """
        with self._transaction() as connection:
            changed = connection.execute(
                update(ATTEMPT).where(*self._is(connection, key)).values(status=AttemptStatus.VOID.value)
            )
            if not changed.rowcount:
                raise UnknownAttemptError(f"there is no attempt {key}")

    def attempts(self, tournament: str | None = None) -> list[StoredAttempt]:
        """Returns all attempts by tournament and schedule, void ones included, without their records.

        Raises:
            UnknownTournamentError: None has the name.
        """
        columns = [
            TOURNAMENT.c.name,
            *(column for column in ATTEMPT.columns if column.name not in {"tournament_id", "record"}),
            func.length(ATTEMPT.c.record).label("size"),
        ]
        query = select(*columns).join_from(ATTEMPT, TOURNAMENT).order_by(*ATTEMPT.primary_key.columns)
        with self._transaction() as connection:
            if tournament is not None:
                query = query.where(ATTEMPT.c.tournament_id == self._tournament_id(connection, tournament))
            rows = connection.execute(query).mappings().all()
        return [attempt_from_row(row) for row in rows]

    def record(self, key: AttemptKey) -> MatchRecord:
        """Returns the record of an attempt.

        Raises:
            UnknownTournamentError: None has the name.
            UnknownAttemptError: There is no such attempt, or nothing of it was recorded.
            CorruptRecordError: It cannot be read.
        """
        with self._transaction() as connection:
            query = select(ATTEMPT.c.record, ATTEMPT.c.digest).where(*self._is(connection, key))
            row = connection.execute(query).first()
        if row is None:
            raise UnknownAttemptError(f"there is no attempt {key}")
        if not row.record:
            raise UnknownAttemptError(f"nothing was recorded of {key}")
        return record_from_row(key, row.record, row.digest)

    def show_record(self, key: AttemptKey) -> MatchRecord:
        """Returns the record of an attempt, for everybody.

        Raises:
            UnknownTournamentError: None has the name.
            RecordHiddenError: Others may still play its boards.
            UnknownAttemptError: There is no such attempt, or nothing of it was recorded.
            CorruptRecordError: It cannot be read.
        """
        refuse_hidden(self.tournament(key.tournament))
        return self.record(key)

    def records(self, tournament: str) -> Iterator[StoredRecord]:
        """Yields the valid records of a tournament in the order of its schedule, a few in memory at a time.

        Raises:
            UnknownTournamentError: None has the name.
            CorruptRecordError: One cannot be read; those before it have been yielded.
        """
        with self._transaction() as connection:
            tournament_id = self._tournament_id(connection, tournament)
        return self._stream(tournament, tournament_id)

    def _stream(self, tournament: str, tournament_id: int) -> Iterator[StoredRecord]:
        place = tuple_(ATTEMPT.c.fixture, ATTEMPT.c.attempt)
        query: Select[Any] = (
            select(ATTEMPT.c.fixture, ATTEMPT.c.attempt, ATTEMPT.c.record, ATTEMPT.c.digest)
            .where(ATTEMPT.c.tournament_id == tournament_id, ATTEMPT.c.status == AttemptStatus.VALID.value)
            .order_by(ATTEMPT.c.fixture, ATTEMPT.c.attempt)
            .limit(_BATCH)
        )
        after = (-1, 0)
        # Each batch is a transaction of its own: a slow reader holds nobody up.
        while True:
            with self._transaction() as connection:
                rows = connection.execute(query.where(place > after)).all()
            for row in rows:
                key = AttemptKey(tournament=tournament, fixture=row.fixture, attempt=row.attempt)
                yield StoredRecord(key=key, record=record_from_row(key, row.record, row.digest))
            if len(rows) < _BATCH:
                return
            after = (rows[-1].fixture, rows[-1].attempt)

    def _is(self, connection: Connection, key: AttemptKey) -> tuple[Any, ...]:
        return (
            ATTEMPT.c.tournament_id == self._tournament_id(connection, key.tournament),
            ATTEMPT.c.fixture == key.fixture,
            ATTEMPT.c.attempt == key.attempt,
        )

    def _tournament_id(self, connection: Connection, name: str) -> int:
        row = connection.execute(select(TOURNAMENT.c.id).where(TOURNAMENT.c.name == name)).first()
        if row is None:
            raise self._unknown_tournament(name)
        return int(row.id)

    def _unknown_tournament(self, name: str) -> UnknownTournamentError:
        return UnknownTournamentError(f"{self.path} has no tournament called {name[:80]}", tournament=name)
