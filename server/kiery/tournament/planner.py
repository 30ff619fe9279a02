"""Planners: fixtures that follow from results, a few at a time.

A planner is a pure function of spec, amendments, secret, entropy and the results it was given. It looks at
results in the order of their fixtures, however they arrive, and plans so far ahead that tables need not
wait for each other; so the same results give the same fixtures, whatever the timing, and a tournament that
was stopped goes on from its records. Formats that need no results have no planner.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from kiery.tournament.results import DealRow
from kiery.tournament.schedule import Fixture, Schedule

__all__ = ["Planner"]


class Planner(ABC):
    """Plans on from an opening as results come."""

    def __init__(self, schedule: Schedule) -> None:
        """Starts with the opening.

        Args:
            schedule: What is played before any result is known.
        """
        self.schedule = schedule
        """The opening."""
        self.fixtures: list[Fixture] = list(schedule.fixtures)
        """What is planned so far, by index."""
        self._arrived: dict[int, tuple[DealRow, ...]] = {}
        self._looked = 0

    @property
    @abstractmethod
    def complete(self) -> bool:
        """Whether nothing more will be planned."""

    @property
    def report(self) -> Sequence[str]:
        """How things stand beside the standings, as lines for people; may be empty."""
        return ()

    @property
    def facts(self) -> Mapping[str, JsonValue]:
        """The same for programs."""
        return {}

    def add(self, fixture: int, rows: Sequence[DealRow]) -> None:
        """Takes the deals of a fixture's valid attempt, once, in any order of fixtures."""
        self._arrived[fixture] = tuple(rows)

    def plan_on(self) -> Sequence[Fixture]:
        """Returns the fixtures that follow from what was added since.

        None: more results are needed, or there is nothing more to play (see `complete`).
        """
        before = len(self.fixtures)
        while self._looked < len(self.fixtures):
            fixture = self.fixtures[self._looked]
            rows: tuple[DealRow, ...] | None = ()
            if not fixture.dropped:
                rows = self._arrived.pop(fixture.index, None)
            if rows is None:
                break
            self._looked += 1
            self._look(fixture, rows)
        return self.fixtures[before:]

    @abstractmethod
    def _look(self, fixture: Fixture, rows: Sequence[DealRow]) -> None:
        """Looks at the results of the next fixture in order, and plans what follows from them."""
