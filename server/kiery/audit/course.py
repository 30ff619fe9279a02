"""A tournament as its records tell it: what was planned, what follows from the results, the standings."""

from collections.abc import Sequence

from kiery.audit.rows import deal_row
from kiery.engine import Derivation
from kiery.record import MatchRecord, deal_results
from kiery.tournament import (
    Amendment,
    Fixture,
    Standings,
    Tally,
    TournamentSpec,
    amended_opening,
    compute_standings,
    opening_of,
    planner_of,
)

__all__ = ["Course"]


class Course:
    """The course of one tournament, computed from spec, secret and valid records alone."""

    def __init__(self, spec: TournamentSpec, secret: bytes, amendments: Sequence[Amendment] = ()) -> None:
        """Plans what follows from no results.

        Args:
            spec: As it was announced.
            secret: The secret S of the boards.
            amendments: Late entries and withdrawals, in their order.

        Raises:
            SpecError: The schedule cannot be built.
            ValueError: The secret is not 32 bytes.
        """
        self.announced = spec
        """The spec without amendments."""
        self.amendments = tuple(amendments)
        """Late entries and withdrawals, in their order."""
        self.secret = secret
        """The secret S."""
        self.derivation = Derivation(secret, spec.entropy.encode())
        """Where boards and chance come from."""
        self.opening = opening_of(spec, self.derivation)
        """The fixtures that follow from neither results nor amendments."""
        self.spec, self.schedule = amended_opening(spec, self.derivation, self.amendments)
        """The spec with its late entrants, and the fixtures that follow from no results."""
        self._planner = planner_of(self.spec, self.derivation, self.schedule, self.amendments)
        if self._planner is not None:
            self._planner.plan_on()
        self._tally = Tally.of_schedule(self.schedule)

    @property
    def fixtures(self) -> Sequence[Fixture]:
        """All fixtures planned so far, by index."""
        return self.schedule.fixtures if self._planner is None else self._planner.fixtures

    def add(self, record: MatchRecord) -> None:
        """Adds a valid record; they come in the order of their fixtures."""
        fixture = self.fixtures[record.header.fixture or 0]
        labels = {deal.number: deal.label for deal in record.deals}
        rows = [deal_row(fixture, record, result, labels[result.number]) for result in deal_results(record)]
        for row in rows:
            self._tally.add(row)
        if self._planner is not None:
            self._planner.add(fixture.index, rows)
            self._planner.plan_on()

    def standings(self) -> Standings:
        """Returns the standings of all that was added."""
        return compute_standings(self._tally, [entrant.name for entrant in self.spec.entrants])
