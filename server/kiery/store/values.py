"""What the store returns."""

from dataclasses import dataclass
from enum import StrEnum

from kiery.record import MatchRecord

__all__ = [
    "AttemptKey",
    "AttemptStatus",
    "StoredAmendment",
    "StoredAttempt",
    "StoredRecord",
    "StoredToken",
    "StoredTournament",
    "TournamentStatus",
]


class TournamentStatus(StrEnum):
    """Where a tournament stands."""

    CREATED = "created"
    """Stored, and not started."""
    RUNNING = "running"
    """Being played."""
    PAUSED = "paused"
    """Gives out no new decisions."""
    FINISHED = "finished"
    """Has a valid attempt for every fixture."""
    CANCELLED = "cancelled"
    """Given up."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more is played."""
        return self in {TournamentStatus.FINISHED, TournamentStatus.CANCELLED}


class AttemptStatus(StrEnum):
    """Whether an attempt counts."""

    VALID = "valid"
    """The fixture's result."""
    VOID = "void"
    """Counted nowhere; the fixture is played again."""
    CANCELLED = "cancelled"
    """Counted nowhere, given up with its tournament."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTournament:
    """A tournament without its secret, so that no log or listing can show it."""

    name: str
    """Its name, unique in the store."""
    spec: str
    """The spec as JSON text."""
    spec_digest: bytes
    """The digest of the spec, 32 bytes."""
    entropy: bytes
    """The public entropy E; empty if there is none."""
    commitment: bytes
    """The commitment C to the secret, 32 bytes."""
    status: TournamentStatus
    """Where it stands."""
    created_ms: int
    """When it was stored, milliseconds since 1970 UTC."""
    finished_ms: int | None
    """When it was over; none until then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAmendment:
    """A change of a tournament's field."""

    number: int
    """From 1."""
    amendment: str
    """As JSON text."""
    digest: bytes
    """Of it and all before it, 32 bytes."""
    created_ms: int
    """When it was stored, milliseconds since 1970 UTC."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class AttemptKey:
    """Names an attempt; the order is that of the schedule."""

    tournament: str
    """The tournament's name."""
    fixture: int
    """Index in the schedule, from 0."""
    attempt: int
    """Which try, from 1."""

    def __str__(self) -> str:
        """Returns the key for people."""
        return f"{self.tournament}, fixture {self.fixture}, attempt {self.attempt}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAttempt:
    """One attempt without its record."""

    key: AttemptKey
    """Which one."""
    epoch: int
    """The claim under which it was played; 0 on a single machine."""
    status: AttemptStatus
    """Whether it counts."""
    digest: bytes
    """The record's digest, 32 bytes; empty where nothing was recorded."""
    deal_count: int
    """Deals in the record."""
    record_size: int
    """Bytes of the record as stored; 0: the attempt was lost before anything could be recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRecord:
    """A record with the attempt it belongs to."""

    key: AttemptKey
    """Which one."""
    record: MatchRecord
    """Its record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredToken:
    """A token without its secret, which nobody can read back."""

    token_id: str
    """Its lasting name, without meaning."""
    name: str
    """Whose it is: for a bot the bot's name."""
    role: str
    """What it may do; the words are those of `access.Role`."""
    created_ms: int
    """When it was made, milliseconds since 1970 UTC."""
    revoked_ms: int | None
    """When it was revoked; none: it is live."""
