"""The scoreboard: what the records of a tournament add up to, kept up to date as matches end."""

import threading
from collections import Counter

from kiery.audit import deal_row
from kiery.host.director import Plan
from kiery.record import MatchRecord, deal_results
from kiery.terms import SeatCause
from kiery.tournament import Fixture, Standings, Tally, compute_standings

__all__ = ["Scoreboard", "deal_row"]


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
            self._tally = Tally.of_schedule(self.plan.schedule)

    def add(self, fixture: Fixture, record: MatchRecord) -> None:
        """Takes in the valid record of a fixture, once."""
        labels = {deal.number: deal.label for deal in record.deals}
        with self._lock:
            self.fixtures += 1
            for result in deal_results(record):
                self.deals += 1
                for entrant, faults, rejections in zip(
                    record.header.entrants, result.faults, result.rejections, strict=True
                ):
                    self.faults[entrant.name] += faults
                    self.rejections[entrant.name] += rejections
                self._tally.add(deal_row(fixture, record, result, labels[result.number]))
            self.seat_ends.update(cause for cause in record.seat_causes if cause is not SeatCause.COMPLETED)

    def standings(self) -> Standings:
        """Returns the standings as things stand."""
        with self._lock:
            return compute_standings(self._tally, self._names)
