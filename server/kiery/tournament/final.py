"""A round robin and then a final: one long table of the best, whose deals count beside all others.

Nothing of the round robin is forgotten: its deals stay in the fit, so a lead is carried over. Source:
docs/fairness.md, "Formats".
"""

from collections.abc import Sequence

from pydantic import JsonValue

from kiery.engine import Derivation
from kiery.tournament.planner import Planner
from kiery.tournament.results import DealRow
from kiery.tournament.schedule import Fixture, Schedule, label, plan_set
from kiery.tournament.seatplan import default_set_count, seat_plan
from kiery.tournament.spec import TournamentSpec
from kiery.tournament.standings import compute_standings
from kiery.tournament.tally import Tally

__all__ = ["FinalPlanner"]


class FinalPlanner(Planner):
    """Plans the final once every fixture of the round robin has a result."""

    def __init__(self, spec: TournamentSpec, derivation: Derivation, schedule: Schedule) -> None:
        """Starts with the round robin."""
        super().__init__(schedule)
        self._spec = spec
        self._derivation = derivation
        self._tally = Tally.of_schedule(schedule)
        self.finalists: tuple[int, ...] = ()
        """Who plays the final, by place before it; empty until it is planned."""

    @property
    def complete(self) -> bool:
        """Whether nothing more will be planned."""
        return bool(self.finalists)

    def _look(self, fixture: Fixture, rows: Sequence[DealRow]) -> None:
        if self.finalists:
            return
        for row in rows:
            self._tally.add(row)
        if fixture.index == len(self.schedule.fixtures) - 1:
            self._plan_final()

    def _plan_final(self) -> None:
        spec = self._spec
        standings = compute_standings(self._tally, [entrant.name for entrant in spec.entrants])
        # A place shared at the edge, after every tie-break, goes by the order of entry.
        best = sorted(standings.rows, key=lambda row: (row.place, row.entrant))
        self.finalists = tuple(row.entrant for row in best[: spec.rules.players])
        table = self.schedule.table_count + 1
        chance = self._derivation.stream(label(spec.name, "seats", 1, table))
        sets = spec.final_factor * default_set_count(spec.rules.players)
        for number, arrangements in enumerate(seat_plan(self.finalists, sets, chance)):
            self.fixtures += plan_set(
                spec,
                arrangements,
                set_index=self.schedule.set_count + number,
                first_index=len(self.fixtures),
            )

    @property
    def report(self) -> Sequence[str]:
        """Who plays the final."""
        names = [self._spec.entrants[entrant].name for entrant in self.finalists]
        return (f"final: {', '.join(names)}",) if names else ()

    @property
    def facts(self) -> dict[str, JsonValue]:
        """The finalists, by place before the final."""
        return {"finalists": [self._spec.entrants[entrant].name for entrant in self.finalists]}
