"""The scoreboard: what the records of a tournament add up to, kept up to date as matches end."""

import threading
from collections import Counter, deque
from typing import Final

from kiery.audit import deal_row
from kiery.host.director import Plan
from kiery.record import MatchRecord, deal_results
from kiery.terms import SeatCause
from kiery.tournament import DealRow, Fixture, Standings, Tally, compute_standings

__all__ = ["Scoreboard", "deal_row"]

_WAITING_ROWS: Final = 1_024
"""Deals that may wait to be tallied while nobody looks at the standings."""


class Scoreboard:
    """Sums over the valid records of one tournament. May be filled from the store's thread."""

    def __init__(self, plan: Plan) -> None:
        """Starts without results."""
        self.plan = plan
        self.fixtures = 0
        """Fixtures with a valid record."""
        self.deals = 0
        """Deals in them."""
        self.faults: Counter[str] = Counter()
        """By entrant, decisions that the substitute had to settle for it."""
        self.rejections: Counter[str] = Counter()
        """By entrant, answers that were not taken."""
        self.seat_ends: Counter[SeatCause] = Counter()
        """How often seats ended otherwise than completed, by cause."""
        # Rows wait here, so that whoever adds some never waits for a fit that is under way.
        self._rows: deque[DealRow] = deque()
        self._lock = threading.Lock()
        self._tally = Tally.of_schedule(plan.schedule)
        self._names = [entrant.name for entrant in plan.spec.entrants]

    def clear(self) -> None:
        """Forgets every result: one of them is void, and those that count are added again."""
        with self._lock:
            self.fixtures = self.deals = 0
            for counts in (self.faults, self.rejections):
                counts.clear()
            self.seat_ends.clear()
            self._rows.clear()
            self._tally = Tally.of_schedule(self.plan.schedule)

    def add(self, fixture: Fixture, record: MatchRecord) -> None:
        """Takes in the valid record of a fixture, once."""
        labels = {deal.number: deal.label for deal in record.deals}
        self.fixtures += 1
        for result in deal_results(record):
            self.deals += 1
            for entrant, faults, rejections in zip(
                record.header.entrants, result.faults, result.rejections, strict=True
            ):
                self.faults[entrant.name] += faults
                self.rejections[entrant.name] += rejections
            self._rows.append(deal_row(fixture, record, result, labels[result.number]))
        self.seat_ends.update(cause for cause in record.seat_causes if cause is not SeatCause.COMPLETED)
        if len(self._rows) > _WAITING_ROWS and self._lock.acquire(blocking=False):
            try:
                self._tally_rows()
            finally:
                self._lock.release()

    def _tally_rows(self) -> None:
        while self._rows:
            self._tally.add(self._rows.popleft())

    def standings(self) -> Standings:
        """Returns the standings as things stand. Takes long for a large field: call it off the event loop."""
        with self._lock:
            self._tally_rows()
            return compute_standings(self._tally, self._names)
