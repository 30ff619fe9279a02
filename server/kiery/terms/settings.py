"""What an organiser sets and a bot is told: clocks, fault policy, delivery, limits."""

from dataclasses import dataclass
from enum import IntEnum

__all__ = ["Delivery", "FaultPolicy", "ForcedActions", "Limits", "Snapshots", "TimeControl"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeControl:
    """Time limits of a match, all in milliseconds of the server's monotonic clock."""

    ready_ms: int = 30_000
    """From the opening of the table to ready: start-up, model loading."""
    decision_ms: int = 2_000
    """For each decision before the bank is touched; 0: no limit but the ceiling."""
    bank_ms: int = 60_000
    """Shared by all decisions of a match, spent when a decision exceeds its limit."""
    ceiling_ms: int = 600_000
    """Absolute limit of a decision from its opening, stalls and grace included."""
    grace_ms: int = 20_000
    """Bank a match, spent only while the stream is lost and a decision is open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultPolicy:
    """What a missing or rejected answer costs."""

    retries: int = 2
    """Rejected answers to a decision that may be followed by another try."""
    faults_per_deal: int = 3
    """Faults in a deal from which on the substitute keeps the seat for the rest of it."""
    substitute: str = "cautious-1"
    """The built-in policy that acts for a seat that does not, with its version."""


class ForcedActions(IntEnum):
    """Who plays a single legal card."""

    ASK = 1
    """The bot is asked all the same: timing reveals nothing."""
    AUTO = 2
    """The server plays it."""


class Delivery(IntEnum):
    """When a bot is written to."""

    COALESCED = 1
    """For decisions and what concerns its own seat; all else rides along."""
    IMMEDIATE = 2
    """After every event."""


class Snapshots(IntEnum):
    """When a bot receives a whole observation."""

    ON_RESUME = 1
    """When history was skipped."""
    EVERY_DECISION = 2
    """With every decision, for authors without an SDK."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of what a peer may send and hold; all are told in `Welcome`."""

    max_message_bytes: int = 65_536
    """Largest message in either direction, bytes; the server cuts its own at three quarters."""
    max_tables: int = 2_000
    """Tables one stream may hold at most."""
    default_tables: int = 64
    """Tables a bot is given that names no number."""
    strikes: int = 3
    """Undecodable messages after which the stream ends."""
    spare_answers_per_second: int = 20
    """Answers that match no open decision, tolerated a second; twice as many in a burst."""
    heartbeat_ms: int = 10_000
    """Silence after which a ping is sent while a seat is held."""
    lobby_heartbeat_ms: int = 60_000
    """The same in the lobby."""
    write_timeout_ms: int = 10_000
    """A write that has not completed by then ends the stream."""
    retry_after_ms: int = 2_000
    """How soon a bot is told to come back when the server goes down."""
    hello_timeout_ms: int = 10_000
    """From the opening of a stream to its `Hello`."""
