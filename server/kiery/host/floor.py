"""The floor: every table that is being played, and what moves between tables and sessions.

A fault of ours at one table voids that table's match and touches no other.
"""

import logging
from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial
from typing import Any

from kiery.host.bot import Bot, Seating
from kiery.host.clock import Clock
from kiery.host.deadlines import Deadlines
from kiery.host.lobby import Lobby
from kiery.journal import EntryKind, Opening
from kiery.table import Table, TableState
from kiery.terms import Limits, MatchCause
from kiery.view import Action

__all__ = ["Floor", "Run", "Verdict"]

logger = logging.getLogger(__name__)


class Verdict(Enum):
    """How a run came to its end."""

    PLAYED = "played"
    """Every deal is scored; the record is to be kept, then `Floor.finish` called."""
    CRASHED = "crashed"
    """A fault of the server; the match was voided."""


class Run:
    """One table being played, and who sits at it."""

    __slots__ = ("ended", "number", "seatings", "table")

    def __init__(self, table: Table, ended: Callable[["Run", Verdict], None]) -> None:
        """Prepares a run.

        Args:
            table: The table, not opened.
            ended: Called once, when the last deal is scored or the table has failed.
        """
        self.table = table
        self.seatings: list[Seating] = []
        """By seat."""
        self.number: int | None = None
        """Its number in the journal; none: it is in no journal, or not any more."""
        self.ended: Callable[[Run, Verdict], None] | None = ended


class Floor:
    """Runs tables."""

    def __init__(self, clock: Clock, limits: Limits) -> None:
        """Starts empty; `lobby` is set by whoever makes both."""
        self.lobby: Lobby
        self.runs: set[Run] = set()
        """Tables being played."""
        self.decisions = 0
        """Answers taken since the start, for progress."""
        self.limits = limits
        self._clock = clock
        self._deadlines = Deadlines(clock, self._expire)

    def close(self) -> None:
        """Stops all timers."""
        self._deadlines.close()

    # Tables

    def open(
        self,
        table: Table,
        bots: Sequence[Bot],
        ended: Callable[[Run, Verdict], None],
        opening: Opening | None = None,
    ) -> Run:
        """Begins a match: every seat is announced to its bot and asked whether it is ready.

        Args:
            table: The table, not opened.
            bots: One for each seat; the same bot may sit twice.
            ended: Called once, when the last deal is scored or the table has failed.
            opening: How to set the table up again after a crash; none: it is in no journal.
        """
        run = Run(table, ended)
        now = self._clock.now()
        self._note_opening(run, opening, now)
        table.open(now)
        self._seat(run, bots)
        return run

    def go_on(
        self, table: Table, bots: Sequence[Bot], ended: Callable[[Run, Verdict], None], number: int
    ) -> Run:
        """Goes on with a match that was in flight when the server was killed: its bots are waited for.

        Args:
            table: The table as it stood then.
            bots: One for each seat.
            ended: Called once, when the last deal is scored or the table has failed.
            number: The table's number in the journal.
        """
        run = Run(table, ended)
        run.number = number
        now = self._clock.now()
        self._note_return(run, now)
        table.restart(now)
        self._seat(run, bots)
        self._drain(run)
        return run

    def _seat(self, run: Run, bots: Sequence[Bot]) -> None:
        self.runs.add(run)
        for seat, bot in enumerate(bots):
            seating = Seating(run, seat, bot)
            run.seatings.append(seating)
            bot.seatings[seating.key] = seating
        for seating in run.seatings:
            if seating.bot.session is not None:
                self.lobby.hold(seating, seating.bot.session)
            elif seating.bot.gone:
                self.abandon(seating)
            self._watch(seating)

    def finish(self, run: Run, cause: MatchCause, digest: bytes) -> None:
        """Ends a match and tells its seats.

        Args:
            run: The run, played or not.
            cause: How it ended.
            digest: The digest of its record; empty if there is none.
        """
        self.runs.discard(run)
        run.ended = None
        run.table.finish(cause, digest, self._clock.now())
        self._drain(run)
        for seating in run.seatings:
            if seating.session is None:
                self._release(seating)
                self.lobby.keep_ended(seating)

    def lay_down(self, run: Run) -> None:
        """Drops a match without a word to anybody: another process goes on with it."""
        run.ended = run.number = None
        self._drop(run)

    # The journal; a floor without one notes nothing and never waits

    stalled = False
    """Whether nothing may be sent until the journal can be written again."""

    def commit(self) -> bool:
        """Hands over what was noted; tells whether what depends on it may be sent."""
        return True

    def settle(self, *numbers: int | None) -> None:
        """Notes that the store has what came of some tables, named by their numbers in the journal."""

    def _note_opening(self, run: Run, opening: Opening | None, now: int) -> None:
        """Notes that a table is opened."""

    def _note_return(self, run: Run, now: int) -> None:
        """Notes that a table goes on after a crash."""

    def _note(self, kind: EntryKind, seating: Seating, now: int) -> None:
        """Notes what happens at a seat beside its answers."""

    # What happens at a seat

    def answer(self, seating: Seating, decision_id: int, action: Action, arrived: int) -> None:
        """Takes a bot's answer."""
        self.decisions += 1
        run = seating.run
        self._guarded(run, run.table.answer, seating.seat, decision_id, action, arrived)

    def play(self, seating: Seating, cards: bytes, arrived: int) -> None:
        """Takes a bot's answer to the play that is open: `answer` for the usual case, written out."""
        self.decisions += 1
        run = seating.run
        table = run.table
        try:
            table.play(seating.place, cards, arrived)
            due = table.due
            # After the last card it can be a seat that is told every event.
            if len(due) == 1 and table.state is TableState.PLAYING:
                following = run.seatings[due[0]]
                session = following.session
                if session is not None and following.scheduled is not None:
                    due.clear()
                    session.mark(following)
                    return
            self._drain(run)
        except Exception as error:  # noqa: BLE001  (the root of every step at a table)
            self.fail(run, error)

    def connect(
        self, seating: Seating, *, position: int | None, immediate: bool, every_decision: bool
    ) -> None:
        """Gives a seat a live stream."""
        connect = partial(
            seating.run.table.connect,
            position=position,
            immediate=immediate,
            every_decision=every_decision,
        )
        now = self._clock.now()
        self._note(EntryKind.CONNECTED, seating, now)
        self._guarded(seating.run, connect, seating.seat, now)

    def disconnect(self, seating: Seating) -> None:
        """Notes that a seat's stream is lost."""
        run = seating.run
        if run.table.state is TableState.ENDED:
            self._release(seating)
            self.lobby.keep_ended(seating)
            return
        now = self._clock.now()
        self._note(EntryKind.DISCONNECTED, seating, now)
        self._guarded(run, run.table.disconnect, seating.seat, now)
        self._watch(seating)

    def leave(self, seating: Seating, *, resign: bool) -> None:
        """Gives a seat to the substitute, for the deal or for the match."""
        leave = partial(seating.run.table.leave, resign=resign)
        now = self._clock.now()
        self._note(EntryKind.RESIGNED if resign else EntryKind.LEFT, seating, now)
        self._guarded(seating.run, leave, seating.seat, now)

    def abandon(self, seating: Seating) -> None:
        """Gives a seat to the substitute for the match: its bot will never come back."""
        now = self._clock.now()
        self._note(EntryKind.ABANDONED, seating, now)
        self._guarded(seating.run, seating.run.table.abandon, seating.seat, now)

    def written(self, seating: Seating, now: int) -> None:
        """Starts the clock of what is being written to a seat."""
        deadline = seating.place.written(now)
        if deadline is not None:
            scheduled = seating.scheduled
            if scheduled is None or deadline < scheduled:
                self._deadlines.watch(seating, deadline)
        elif seating.run.table.state is TableState.ENDED:
            self._release(seating)

    def _expire(self, seating: Seating, now: int) -> None:
        if seating.run in self.runs:
            self._note(EntryKind.EXPIRED, seating, now)
            self._guarded(seating.run, seating.run.table.expire, seating.seat, now)

    def _guarded(self, run: Run, step: Callable[..., None], *arguments: Any) -> None:  # noqa: ANN401
        """Takes one step at a table; whatever fails there is a fault of ours and stays there."""
        try:
            step(*arguments)
            self._drain(run)
        except Exception as error:  # noqa: BLE001  (the root of every step at a table)
            self.fail(run, error)

    # Between tables and sessions

    def _drain(self, run: Run) -> None:
        """Marks the seats that must be written to, and hands a played table over."""
        table = run.table
        due = table.due
        seatings = run.seatings
        for seat in due:
            if seat < len(seatings):
                seating = seatings[seat]
                session = seating.session
                if session is not None:
                    session.mark(seating)
                if session is None or seating.scheduled is None:
                    self._watch(seating)
        due.clear()
        if table.state is TableState.PLAYED and run.ended is not None:
            ended, run.ended = run.ended, None
            ended(run, Verdict.PLAYED)

    def watch(self, seating: Seating, deadline: int) -> None:
        """Makes sure that a seat's decision is looked at when its time is over."""
        self._deadlines.watch(seating, deadline)

    def _watch(self, seating: Seating) -> None:
        deadline = seating.deadline()
        if deadline is not None:
            self._deadlines.watch(seating, deadline)

    def _release(self, seating: Seating) -> None:
        """Frees a bot's place once it knows the end."""
        self._deadlines.forget(seating)
        if seating.session is not None:
            seating.session.forget(seating)
            seating.session = None
        if seating.bot.seatings.pop(seating.key, None) is not None:
            self.lobby.changed()

    def fail(self, run: Run, error: Exception) -> None:
        """Voids a match after a fault of ours; the bots learn no more than that."""
        logger.error("table failed", exc_info=error, extra={"match": run.table.match_id})
        ended, run.ended = run.ended, None
        if run in self.runs:
            try:
                self.finish(run, MatchCause.VOID_SERVER, b"")
            except Exception:
                logger.exception("table cannot be ended", extra={"match": run.table.match_id})
                self._drop(run)
        else:
            # It fails to tell its own end.
            self._drop(run)
        if ended is not None:
            ended(run, Verdict.CRASHED)

    def _drop(self, run: Run) -> None:
        """Frees the seats of a table that is good for nothing any more."""
        self.runs.discard(run)
        for seating in run.seatings:
            self._release(seating)
