"""A floor that keeps a journal: each input of a table is noted before the table takes it.

What is noted is handed to the operating system before anything that depends on it is sent. While that
fails, because the disk is full, nothing is sent, so no clock starts; what bots answer is still
read, and everything goes on once the journal can be written.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from kiery.host.bot import Seating
from kiery.host.clock import Clock
from kiery.host.floor import Floor, Run
from kiery.journal import EntryKind, JournalError, JournalWriter, Opening
from kiery.table import Place
from kiery.terms import Limits
from kiery.view import Action

__all__ = ["JournaledFloor"]

logger = logging.getLogger(__name__)

_RETRY_S: Final = 0.5


def _later(call: Callable[[], None]) -> None:
    asyncio.get_running_loop().call_later(_RETRY_S, call)


def _ran(place: Place, now: int) -> int | None:
    """Returns how long the clock of what is asked has run since it was last started."""
    return None if place.started_at is None else now - place.started_at


class JournaledFloor(Floor):
    """Runs tables that outlive this process."""

    def __init__(
        self,
        clock: Clock,
        limits: Limits,
        journal: JournalWriter,
        *,
        later: Callable[[Callable[[], None]], None] = _later,
    ) -> None:
        """Starts empty.

        Args:
            clock: The monotonic clock.
            limits: What a peer may send and hold.
            journal: Where inputs are noted; whoever opened it closes it.
            later: Calls back when a failed write is to be tried again.
        """
        super().__init__(clock, limits)
        self._journal = journal
        self._later = later

    # Inputs

    def play(self, seating: Seating, cards: bytes, arrived: int) -> None:
        """Notes and takes a bot's answer to the play that is open."""
        number = seating.run.number
        if number is not None:
            place = seating.place
            started_at = place.started_at
            if len(cards) == 1 and started_at is not None:
                self._journal.played(
                    number, seating.seat, place.decision_id, cards[0], arrived, arrived - started_at
                )
            else:
                self._note_answer(seating, number, Action(cards=cards), arrived)
        super().play(seating, cards, arrived)

    def answer(self, seating: Seating, decision_id: int, action: Action, arrived: int) -> None:
        """Notes and takes a bot's answer; one to a decision that is not open changes nothing."""
        number, place = seating.run.number, seating.place
        if number is not None and place.decision is not None and place.decision_id == decision_id:
            self._note_answer(seating, number, action, arrived)
        super().answer(seating, decision_id, action, arrived)

    def _note_answer(self, seating: Seating, number: int, action: Action, arrived: int) -> None:
        place = seating.place
        self._journal.answered(number, seating.seat, place.decision_id, action, arrived, _ran(place, arrived))

    def _note(self, kind: EntryKind, seating: Seating, now: int) -> None:
        run = seating.run
        # What reaches a table after its end changes nothing.
        if run.number is not None and run in self.runs:
            self._journal.stepped(kind, run.number, seating.seat, now, _ran(seating.place, now))

    def _expire(self, seating: Seating, now: int) -> None:
        if self.stalled and seating.place.unasked:
            self._excuse(seating, now)
        else:
            super()._expire(seating, now)

    def _excuse(self, seating: Seating, now: int) -> None:
        """Charges nobody for a question that could not be written."""
        if seating.run in self.runs:
            self._note(EntryKind.EXCUSED, seating, now)
            seating.run.table.excuse(seating.seat, now)

    # The journal

    def _note_opening(self, run: Run, opening: Opening | None, now: int) -> None:
        if opening is not None:
            run.number = self._journal.opened(opening, now)

    def _note_return(self, run: Run, now: int) -> None:
        if run.number is not None:
            self._journal.resumed(run.number, now)

    def settle(self, *numbers: int | None) -> None:
        """Notes that the store has what came of some tables."""
        known = [number for number in numbers if number is not None]
        self._journal.settled(known, self._clock.now())

    def commit(self) -> bool:
        """Hands over what was noted; tells whether what depends on it may be sent."""
        if self.stalled:
            return False
        try:
            self._journal.flush()
        except JournalError as error:
            logger.error("matches wait: %s", error)  # noqa: TRY400  (the disk's fault, not a bug's)
            self.stalled = True
            self._later(self._try_again)
            return False
        return True

    def _try_again(self) -> None:
        try:
            self._journal.flush()
        except JournalError:
            self._later(self._try_again)
            return
        logger.info("the journal is written again: matches go on")
        self.stalled = False
        now = self._clock.now()
        for bot in self.lobby.bots.values():
            for seating in bot.seatings.values():
                if seating.session is not None and seating.place.unasked:
                    self._excuse(seating, now)
        for session in list(self.lobby.sessions):
            session.wake()
