"""One seat at a table: the decision it is asked, its clocks, what it was told so far.

A place only keeps state and does the arithmetic of its own clocks; what follows from them is decided
in `table.table`. All times are nanoseconds.
"""

from typing import Final

from kiery.engine import DealLog
from kiery.terms import ActionCause, CloseCause, SeatCause, SubstitutionScope, TimeControl
from kiery.view import Decision, DecisionClosed, DecisionKind, Rejection

__all__ = ["MS", "Place"]

MS: Final = 1_000_000
"""Nanoseconds in a millisecond."""

_MAX_PENDING: Final = 8
"""Rejections kept for a peer that does not read; further ones are only counted."""


class Place:
    """The state of one seat in one match."""

    __slots__ = (
        "announce",
        "bank",
        "closed",
        "connected",
        "decision",
        "decision_id",
        "dropped_rejections",
        "every_decision",
        "expired_ids",
        "fault_news",
        "faults",
        "grace",
        "grace_since",
        "held",
        "held_cause",
        "immediate",
        "log",
        "opened_at",
        "own_causes",
        "pass_news",
        "plays",
        "rare",
        "ready",
        "rejections",
        "retries_left",
        "seat",
        "snapshot",
        "spent",
        "started_at",
        "terms",
    )

    def __init__(self, seat: int, terms: TimeControl) -> None:
        """Starts with full banks, not connected."""
        self.seat = seat
        self.terms = terms
        self.connected = False
        """Whether a live stream holds the seat."""
        self.immediate = False
        """Whether every event is sent at once."""
        self.every_decision = False
        """Whether every decision comes with a snapshot."""
        self.ready = False
        """Whether the bot said so."""
        # The decision
        self.decision: Decision | None = None
        """What is asked and not answered yet."""
        self.decision_id = 0
        """The id of the last decision opened, counted from 1 in the match."""
        self.expired_ids: list[int] = []
        """The last decisions that were closed without an answer: their answers are late, not repeated."""
        self.opened_at = 0
        """When the decision was opened; its ceiling counts from here."""
        self.started_at: int | None = None
        """When its clock last started: the write that carries it was called. None: the clock stands."""
        self.spent = 0
        """Time used for it before `started_at`."""
        self.retries_left = 0
        """Further tries after a rejected answer."""
        # Banks
        self.bank = terms.bank_ms * MS
        self.grace = terms.grace_ms * MS
        self.grace_since: int | None = None
        """Since when the grace bank is being spent."""
        # Faults
        self.faults = 0
        """In this deal."""
        self.held: SubstitutionScope | None = None
        """For how long a substitute keeps the seat."""
        self.held_cause: SeatCause | None = None
        """Why."""
        # What the bot was told
        self.announce = False
        """Whether the next update announces the seat."""
        self.snapshot = False
        """Whether the next update has a snapshot."""
        self.log: DealLog | None = None
        """The deal up to which it was told."""
        self.plays = 0
        """Plays of that deal told."""
        self.rare = 0
        """Rare events of that deal told."""
        self.own_causes: list[ActionCause] | None = None
        self.closed: list[DecisionClosed] = []
        self.rejections: list[Rejection] = []
        self.dropped_rejections = 0
        self.pass_news = False
        self.fault_news = False

    @property
    def told(self) -> int:
        """The sequence of the last event that the bot was told."""
        return 0 if self.log is None else self.log.base + self.plays + self.rare

    # Decisions and clocks

    def open(self, decision: Decision, now: int) -> None:
        """Asks a decision under the next id; its clock starts with the write that carries it."""
        self.decision = decision
        self.decision_id += 1
        self.opened_at = now
        self.started_at = None
        self.spent = 0
        if not self.connected and decision.kind is not DecisionKind.READY:
            self.grace_since = now

    def reopen(self) -> None:
        """Asks the same decision again under the next id, with what time is left."""
        self.decision_id += 1
        self.started_at = None

    def written(self, now: int) -> None:
        """Starts the clock of the open decision, unless it runs already."""
        if self.decision is not None and self.started_at is None:
            self.started_at = now

    def elapsed(self, now: int) -> int:
        """Returns the time charged for the open decision so far."""
        started = self.started_at
        return self.spent if started is None else self.spent + max(0, now - started)

    def stop_clock(self, now: int) -> None:
        """Stops the clock of the open decision; what was used stays used."""
        self.spent = self.elapsed(now)
        self.started_at = None

    def deadline(self) -> int | None:
        """Returns when the open decision is lost if nothing happens; none if nothing is pending on time."""
        decision = self.decision
        if decision is None:
            return None
        if decision.kind is DecisionKind.READY:
            return self.opened_at + self.terms.ready_ms * MS
        ceiling = self.opened_at + self.terms.ceiling_ms * MS
        if self.grace_since is not None:
            return min(ceiling, self.grace_since + self.grace)
        if self.started_at is None or not self.terms.decision_ms:
            return ceiling
        return min(ceiling, self.started_at - self.spent + self.terms.decision_ms * MS + self.bank)

    def is_late(self, now: int) -> bool:
        """Tells whether the open decision's time was over at a moment."""
        deadline = self.deadline()
        return deadline is not None and now > deadline

    def close(self, now: int) -> int:
        """Ends the open decision and charges the bank for what exceeds its limit.

        Returns:
            The time it took, milliseconds.
        """
        elapsed = self.elapsed(now)
        limit = self.terms.decision_ms * MS
        if (
            limit
            and elapsed > limit
            and self.decision is not None
            and self.decision.kind is not DecisionKind.READY
        ):
            self.bank = max(0, self.bank - (elapsed - limit))
        self.decision = None
        self.started_at = None
        self.end_grace(now)
        return elapsed // MS

    def expire(self, cause: CloseCause, now: int) -> int:
        """Ends the open decision without an answer; returns the time it took, milliseconds."""
        self.closed.append(DecisionClosed(decision_id=self.decision_id, cause=cause))
        self.expired_ids = [*self.expired_ids[-_MAX_PENDING:], self.decision_id]
        return self.close(now)

    def end_grace(self, now: int) -> None:
        """Stops spending the grace bank."""
        if self.grace_since is not None:
            self.grace = max(0, self.grace - max(0, now - self.grace_since))
            self.grace_since = None

    def note_rejection(self, rejection: Rejection, *, harmless: bool = False) -> None:
        """Keeps a rejection to be told, within bounds.

        Args:
            rejection: What to tell.
            harmless: Whether it changed nothing. It is dropped when there is no room; one that closed a
                decision takes the place of the oldest.
        """
        if len(self.rejections) >= _MAX_PENDING:
            self.dropped_rejections += 1
            if harmless:
                return
            del self.rejections[0]
        self.rejections.append(rejection)

    def limits_ms(self, now: int) -> tuple[int, int]:
        """Returns what is left of the open decision's own limit and of the bank, milliseconds.

        A limit of 0 says that there is none, so one that is used up is shown as 1.
        """
        decision = self.decision
        if decision is not None and decision.kind is DecisionKind.READY:
            return max(1, self.terms.ready_ms - (now - self.opened_at) // MS), 0
        if not self.terms.decision_ms:
            return 0, 0
        elapsed = self.elapsed(now)
        over = max(0, elapsed - self.terms.decision_ms * MS)
        return max(1, self.terms.decision_ms - elapsed // MS), max(0, self.bank - over) // MS
