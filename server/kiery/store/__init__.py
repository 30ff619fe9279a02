"""Where tournaments, attempts, records and tokens are kept: SQLAlchemy Core on one SQLite file.

What is not here: what a token may do (`access`) and matches in flight (`journal`).
"""

from kiery.store.embargo import refuse_hidden
from kiery.store.errors import (
    ConflictingRecordError,
    CorruptRecordError,
    ForeignFileError,
    RecordHiddenError,
    SchemaError,
    SecretHiddenError,
    StoreError,
    StoreInUseError,
    StoreMissingError,
    StoreReadOnlyError,
    StoreUrlError,
    TournamentExistsError,
    UnknownAttemptError,
    UnknownTournamentError,
)
from kiery.store.store import Store
from kiery.store.tokens import TokenTable
from kiery.store.url import DEFAULT_URL, parse_url
from kiery.store.values import (
    AttemptKey,
    AttemptStatus,
    StoredAmendment,
    StoredAttempt,
    StoredRecord,
    StoredToken,
    StoredTournament,
    TournamentStatus,
)

__all__ = [
    "DEFAULT_URL",
    "AttemptKey",
    "AttemptStatus",
    "ConflictingRecordError",
    "CorruptRecordError",
    "ForeignFileError",
    "RecordHiddenError",
    "SchemaError",
    "SecretHiddenError",
    "Store",
    "StoreError",
    "StoreInUseError",
    "StoreMissingError",
    "StoreReadOnlyError",
    "StoreUrlError",
    "StoredAmendment",
    "StoredAttempt",
    "StoredRecord",
    "StoredToken",
    "StoredTournament",
    "TokenTable",
    "TournamentExistsError",
    "TournamentStatus",
    "UnknownAttemptError",
    "UnknownTournamentError",
    "parse_url",
    "refuse_hidden",
]
