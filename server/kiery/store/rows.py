"""Rows of the tables as values."""

from collections.abc import Mapping
from typing import Final

from sqlalchemy import RowMapping

from kiery.record import MatchRecord, RecordError
from kiery.store.errors import CorruptRecordError
from kiery.store.values import AttemptKey, AttemptStatus, StoredAttempt, StoredTournament, TournamentStatus
from kiery.terms import MatchCause
from kiery.wire_service import record_from_bytes

__all__ = ["attempt_from_row", "record_from_row", "status_of", "tournament_from_row"]

_STATUS: Final[Mapping[MatchCause, AttemptStatus]] = {
    MatchCause.COMPLETED: AttemptStatus.VALID,
    MatchCause.VOID_SERVER: AttemptStatus.VOID,
    MatchCause.VOID_ORGANISER: AttemptStatus.VOID,
    MatchCause.CANCELLED: AttemptStatus.CANCELLED,
}


def status_of(cause: MatchCause) -> AttemptStatus:
    """Returns whether an attempt counts whose match ended so."""
    return _STATUS[cause]


def tournament_from_row(row: RowMapping) -> StoredTournament:
    """Returns a tournament; the row has its fields and no secret."""
    return StoredTournament(**{**row, "status": TournamentStatus(row["status"])})


def attempt_from_row(row: RowMapping) -> StoredAttempt:
    """Returns an attempt; the row has the tournament's name, and the size of the record in its place."""
    return StoredAttempt(
        key=AttemptKey(tournament=row["name"], fixture=row["fixture"], attempt=row["attempt"]),
        epoch=row["epoch"],
        status=AttemptStatus(row["status"]),
        digest=row["digest"],
        deal_count=row["deal_count"],
        record_size=row["size"],
    )


def record_from_row(key: AttemptKey, data: bytes, digest: bytes) -> MatchRecord:
    """Returns a record that is what its row says it is.

    Raises:
        CorruptRecordError: It cannot be read, or belongs elsewhere.
    """
    try:
        record = record_from_bytes(data)
        header = record.header
        if (header.tournament, header.fixture, header.attempt) != (key.tournament, key.fixture, key.attempt):
            raise RecordError("it is the record of another attempt")  # noqa: TRY301  (gets the record's name below)
        if record.digest != digest:
            raise RecordError("its digest is not the one that was stored")  # noqa: TRY301  (likewise)
    except RecordError as error:
        raise CorruptRecordError(key.tournament, key.fixture, key.attempt, error) from None
    return record
