"""One seat at a table: the decision it is asked, its clocks, what it was told so far.

A place only keeps state and does the arithmetic of its own clocks; what follows from them is decided
in `table.table`. All times are nanoseconds.
"""

from typing import Final

from kiery.engine import DealLog
from kiery.terms import CloseCause, SeatCause, SubstitutionScope, TimeControl
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
        "ceiling",
        "closed",
        "connected",
        "decision",
        "decision_id",
        "dropped_rejections",
        "due_at",
        "every_decision",
        "excused_until",
        "expired_ids",
        "fault_news",
        "faults",
        "grace",
        "grace_since",
        "held",
        "held_cause",
        "immediate",
        "limit",
        "log",
        "opened_at",
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
        self.due_at: int | None = None
        """When the open decision is lost if nothing happens; none: nothing is asked."""
        self.retries_left = 0
        """Further tries after a rejected answer."""
        # Limits and banks
        self.limit = terms.decision_ms * MS
        """For a decision before the bank is touched; 0: none."""
        self.ceiling = terms.ceiling_ms * MS
        """For a decision from its opening, whatever happens."""
        self.bank = terms.bank_ms * MS
        self.grace = terms.grace_ms * MS
        self.grace_since: int | None = None
        """Since when the grace bank is being spent; in the future while the seat is excused."""
        self.excused_until = 0
        """Until when it costs no grace to be away: the server was away itself."""
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
        if decision.kind is DecisionKind.READY:
            self.due_at = now + self.terms.ready_ms * MS
        elif self.connected:
            self.due_at = now + self.ceiling
        else:
            self._spend_grace(now)

    def reopen(self) -> None:
        """Asks the same decision again under the next id, with what time is left."""
        self.decision_id += 1
        self.started_at = None
        if self.decision is not None and self.decision.kind is not DecisionKind.READY:
            self.due_at = self.opened_at + self.ceiling

    def written(self, now: int) -> int | None:
        """Starts the clock of the open decision, unless it runs already; returns when it is lost."""
        if self.started_at is None:
            decision = self.decision
            if decision is None:
                return None
            self.started_at = now
            if decision.kind is not DecisionKind.READY:
                due_at = self.opened_at + self.ceiling
                if self.limit:
                    # Written out: `min` costs more than all the rest.
                    own = now - self.spent + self.limit + self.bank
                    due_at = min(due_at, own)
                self.due_at = due_at
        return self.due_at

    def start_turn(self, now: int) -> int:
        """Starts the clock of a decision of which no time is used, and returns when it is lost: `written`."""
        self.started_at = now
        due_at = self.opened_at + self.ceiling
        if self.limit:
            own = now + self.limit + self.bank
            due_at = min(due_at, own)
        self.due_at = due_at
        return due_at

    def elapsed(self, now: int) -> int:
        """Returns the time charged for the open decision so far."""
        started = self.started_at
        if started is None or now <= started:
            return self.spent
        return self.spent + now - started

    def stop_clock(self, now: int) -> None:
        """Stops the clock of the open decision; what was used stays used."""
        self.spent = self.elapsed(now)
        self.started_at = None

    def lose(self, now: int) -> None:
        """Notes that the stream is lost: the clock stands and grace is spent, but for the ready limit."""
        decision = self.decision
        if decision is not None and decision.kind is not DecisionKind.READY:
            self.stop_clock(now)
            self._spend_grace(now)

    def resume(self, now: int) -> None:
        """Notes that a stream holds the seat again: no grace is spent, the clock waits for its write."""
        self.excused_until = 0
        if self.grace_since is not None:
            self.end_grace(now)
            self.due_at = self.opened_at + self.ceiling

    def _spend_grace(self, now: int) -> None:
        self.grace_since = since = max(now, self.excused_until)
        self.due_at = min(self.opened_at + self.ceiling, since + self.grace)

    def restart(self, now: int) -> None:
        """Goes on after the server was away: no stream, nothing told, and no time has passed for the seat.

        An open decision keeps its id. It has what was left of its time, or the limit of a decision if that
        is more; the ready limit of the terms is given once more, for its bot to come back.
        """
        self.connected = self.immediate = self.every_decision = False
        self.announce = self.snapshot = False
        self.log = None
        self.plays = self.rare = 0
        self.forget_news()
        self.started_at = self.grace_since = None
        ready = self.terms.ready_ms * MS
        self.excused_until = now + ready
        decision = self.decision
        if decision is None:
            return
        self.opened_at = now
        if self.limit:
            self.spent = min(self.spent, self.bank)
        if decision.kind is DecisionKind.READY:
            self.due_at = now + ready
        else:
            self._spend_grace(now)

    @property
    def unasked(self) -> bool:
        """Whether it is to be asked if it is ready, and was not yet."""
        decision = self.decision
        return decision is not None and decision.kind is DecisionKind.READY and self.started_at is None

    def excuse(self, now: int) -> None:
        """Has the ready limit run from now, if the question was not written yet."""
        if self.unasked:
            self.opened_at = now
            self.due_at = now + self.terms.ready_ms * MS

    def forget_news(self) -> None:
        """Drops what was to be told and is no event: a new stream learns it from snapshot and decision."""
        self.closed.clear()
        self.rejections.clear()
        self.pass_news = self.fault_news = False

    def close(self, now: int) -> int:
        """Ends the open decision and charges the bank for what exceeds its limit.

        Returns:
            The time it took, milliseconds.
        """
        elapsed = self.elapsed(now)
        decision = self.decision
        if (
            elapsed > self.limit
            and self.limit
            and decision is not None
            and decision.kind is not DecisionKind.READY
        ):
            self.bank = max(0, self.bank - (elapsed - self.limit))
        self.decision = None
        self.started_at = None
        self.due_at = None
        if self.grace_since is not None:
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
        if not self.limit:
            return 0, 0
        if self.started_at is None and not self.spent:
            # The usual case: nothing is used yet.
            return self.terms.decision_ms, self.bank // MS
        elapsed = self.elapsed(now)
        over = max(0, elapsed - self.limit)
        return max(1, self.terms.decision_ms - elapsed // MS), max(0, self.bank - over) // MS
