"""The ladder: table after table, each made of the bot known worst and of bots that play about as well.

A table is one set. Tables are planned in rounds of as many as the field can fill; a round follows from the
results of all rounds but the one before it, which is still being played. The first of a table is the bot
whose estimate has the largest standard error, as its tables still in play will leave it; the others have
the smallest |Δnet|/2 + tables shared with it. Every fourth table is drawn by lot, which keeps the field
connected. The chance of table t (from 0) is `<tournament>/ladder/<t+1>`. Source: docs/fairness.md,
"Formats". What is not here: standings, which are those of every format.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from math import inf, sqrt
from typing import Final

from kiery.engine import Derivation
from kiery.tournament.amendment import Amendment, fixtures_in
from kiery.tournament.design import DesignSource
from kiery.tournament.fit import Fit, fit
from kiery.tournament.planner import Planner
from kiery.tournament.results import DealRow
from kiery.tournament.schedule import (
    MAX_FIXTURES,
    Fixture,
    Schedule,
    check_length,
    label,
    plan_set,
    schedule_of,
)
from kiery.tournament.seatplan import seat_plan
from kiery.tournament.spec import TournamentSpec
from kiery.tournament.tables import Tables
from kiery.tournament.tally import Tally

__all__ = ["LadderPlanner", "ladder_opening"]

_BY_LOT: Final = 4
"""Every so manieth table is drawn by lot."""
_ROUNDS_AHEAD: Final = 2


def ladder_opening(spec: TournamentSpec) -> Schedule:
    """Returns a ladder before its first round.

    Raises:
        SpecError: Its budget is more than a schedule may have.
    """
    check_length(spec, (_budget(spec) or 0) * spec.rules.players)
    made = Tables(tables=(), source=DesignSource.RESULTS, appearances=0)
    return schedule_of(spec, made, (), sets_per_table=1, set_size=spec.rules.players)


def _budget(spec: TournamentSpec, late: int = 0) -> int | None:
    """Returns the tables of a ladder; none: it goes on until it is stopped."""
    if spec.tables_budget is not None or spec.deals_per_bot is None:
        return spec.tables_budget
    players = spec.rules.players
    sets_per_bot = -(-spec.deals_per_bot // (players * spec.fewest_deals))
    return -(-sets_per_bot * (len(spec.entrants) - late) // players)


class LadderPlanner(Planner):
    """Plans rounds of tables without end, or up to a budget."""

    def __init__(
        self,
        spec: TournamentSpec,
        derivation: Derivation,
        schedule: Schedule,
        amendments: Sequence[Amendment] = (),
    ) -> None:
        """Starts with two rounds of which nobody knows anything.

        Args:
            spec: With the late entrants.
            derivation: Of the secret and the spec's entropy.
            schedule: Without fixtures.
            amendments: In their order; each takes effect with the first round that is planned after it.
        """
        super().__init__(schedule)
        self._spec = spec
        self._derivation = derivation
        self._tally = Tally.of_schedule(schedule)
        late = sum(each.entrant is not None for each in amendments)
        self._budget = _budget(spec, late) or MAX_FIXTURES // spec.rules.players
        self._coming = list(amendments)
        self._dropped = frozenset[int]().union(*(fixtures_in(each.dropped) for each in amendments))
        self.active = list(range(len(spec.entrants) - late))
        """Who is paired."""
        self._planned: Counter[int] = Counter()
        self._looked_sets: Counter[int] = Counter()
        self._met: Counter[tuple[int, int]] = Counter()
        self._tables = 0
        self._round_ends: list[int] = []
        self._rounds_looked = 0
        for _ in range(_ROUNDS_AHEAD):
            self._plan_round(None)

    @property
    def complete(self) -> bool:
        """Whether nothing more will be planned."""
        return self._tables >= self._budget

    def _look(self, fixture: Fixture, rows: Sequence[DealRow]) -> None:
        for row in rows:
            self._tally.add(row)
        if fixture.arrangement == self.schedule.set_size - 1:
            self._looked_sets.update(fixture.seats)
        if fixture.index == self._round_ends[self._rounds_looked] - 1:
            self._rounds_looked += 1
            if not self.complete:
                self._plan_round(self._fit())

    def _fit(self) -> Fit:
        tally = self._tally
        return fit(list(tally.patterns.values()), tally.substitute + 1, tally.entrants)

    def _amend(self) -> None:
        """Lets the amendments that are due take effect."""
        while self._coming and self._coming[0].first_fixture <= len(self.fixtures):
            amendment = self._coming.pop(0)
            if amendment.withdrawn is not None:
                self.active.remove(amendment.withdrawn)
            else:
                late = sum(each.entrant is not None for each in self._coming)
                self.active.append(len(self._spec.entrants) - late - 1)

    def _plan_round(self, known: Fit | None) -> None:
        self._amend()
        for _ in range(max(1, len(self.active) // self._spec.rules.players)):
            if not self.complete:
                self._plan_table(known)
        self._round_ends.append(len(self.fixtures))

    def _plan_table(self, known: Fit | None) -> None:
        spec, number = self._spec, self._tables
        chance = self._derivation.stream(label(spec.name, "ladder", 1, number + 1))
        order = list(self.active)
        chance.shuffle(order)
        if number % _BY_LOT < _BY_LOT - 1:
            first = min(order, key=lambda bot: (-self._uncertainty(bot, known), self._planned[bot]))
            order.remove(first)
            order.sort(key=lambda bot: self._distance(first, bot, known))
            order.insert(0, first)
        table = self._seat(order)
        self._tables += 1
        self._planned.update(table)
        self._met.update(combinations(sorted(table), 2))
        seats = self._derivation.stream(label(spec.name, "seats", 1, number + 1))
        (arrangements,) = seat_plan(table, 1, seats)
        self.fixtures += [
            replace(fixture, dropped=fixture.index in self._dropped)
            for fixture in plan_set(spec, arrangements, set_index=number, first_index=len(self.fixtures))
        ]

    def _seat(self, order: Iterable[int]) -> list[int]:
        """Returns the first that fill a table; owners are kept apart as long as others are left."""
        entrants, players = self._spec.entrants, self._spec.rules.players
        table: list[int] = []
        passed: list[int] = []
        for bot in order:
            owners = {entrants[other].owner or entrants[other].name for other in table}
            clash = self._spec.separate_owners and (entrants[bot].owner or entrants[bot].name) in owners
            (passed if clash else table).append(bot)
            if len(table) == players:
                return table
        return [*table, *passed][:players]

    def _uncertainty(self, bot: int, known: Fit | None) -> float:
        """Returns the standard error of a bot's net, as its tables in play will leave it."""
        looked = self._looked_sets[bot]
        if known is None or not looked or known.freedom <= 0:
            return inf
        error = sqrt(max(float(known.covariance[bot, bot]), 0.0))
        return round(error * sqrt(looked / max(looked, self._planned[bot])), 6)

    def _distance(self, first: int, bot: int, known: Fit | None) -> float:
        apart = 0.0 if known is None else abs(float(known.theta[first] - known.theta[bot]))
        # Estimates are compared as far as every machine computes them alike.
        return round(apart / 2, 6) + self._met[min(first, bot), max(first, bot)]
