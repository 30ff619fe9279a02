"""What can be wrong with a store: its address, its file, its contents."""

from kiery.errors import InputError
from kiery.record import RecordError

__all__ = [
    "ConflictingRecordError",
    "CorruptRecordError",
    "ForeignFileError",
    "RecordHiddenError",
    "SchemaError",
    "SecretHiddenError",
    "StoreError",
    "StoreInUseError",
    "StoreMissingError",
    "StoreReadOnlyError",
    "StoreUrlError",
    "TournamentExistsError",
    "UnknownAttemptError",
    "UnknownTournamentError",
]


class StoreError(InputError):
    """A store that cannot be used as asked."""

    reason = "STORE"


class StoreUrlError(StoreError):
    """A text that names no store."""

    reason = "STORE_URL"


class StoreMissingError(StoreError):
    """There is no such file, or no folder to make it in."""

    reason = "STORE_MISSING"


class StoreReadOnlyError(StoreError):
    """The file may not be written to."""

    reason = "STORE_READ_ONLY"


class ForeignFileError(StoreError):
    """The file is no store: not a database, another program's, or damaged."""

    reason = "STORE_FOREIGN_FILE"


class SchemaError(StoreError):
    """The store's tables are of another version than this program's."""

    reason = "STORE_SCHEMA"


class StoreInUseError(StoreError):
    """Another process writes to the store."""

    reason = "STORE_IN_USE"


class UnknownTournamentError(StoreError):
    """No tournament has that name."""

    reason = "UNKNOWN_TOURNAMENT"


class TournamentExistsError(StoreError):
    """A tournament has that name already."""

    reason = "TOURNAMENT_EXISTS"


class SecretHiddenError(StoreError):
    """The secret of the boards may not be shown before the tournament is over."""

    reason = "SECRET_HIDDEN"


class RecordHiddenError(StoreError):
    """A record may not be shown while others still play its boards."""

    reason = "RECORD_HIDDEN"


class UnknownAttemptError(StoreError):
    """No such attempt, or one without a record."""

    reason = "UNKNOWN_ATTEMPT"


class ConflictingRecordError(StoreError):
    """Another record stands under the same tournament, fixture and attempt."""

    reason = "CONFLICTING_RECORD"


class CorruptRecordError(StoreError, RecordError):
    """A stored record that cannot be read; names the attempt, and the deal where it can."""

    reason = "CORRUPT_RECORD"

    def __init__(self, tournament: str, fixture: int, attempt: int, error: RecordError) -> None:
        """Puts the name of the attempt before what is wrong with its record."""
        RecordError.__init__(
            self,
            f"the record of {tournament}, fixture {fixture}, attempt {attempt} is corrupt: {error}",
        )
        self.deal = error.deal
        self.metadata = {
            **error.metadata,
            "tournament": tournament,
            "fixture": str(fixture),
            "attempt": str(attempt),
        }
