"""The match: two entrants in all seatings of A A B B, until a sequential test has told which is better.

With 4 seats a set is the 6 seatings of A A B B. In general each of the two holds half the seats, rounded
down, and a house bot the odd one. Up to 6 seats a set is every distinct seating (6 of 3 seats, 6 of 4, 30
of 5, 20 of 6); beyond, the n rotations of one by chance and the same with A and B exchanged. With lineup
`abhh` house bots sit in all other seats, and a set is one Latin square as in a round robin.

The test looks after each whole set. Set j is planned when the test has not ended by set j - 4, so four
sets are in play at a time, and those begun when it ends are played to their end: they refine the
estimate and leave the verdict. Source: docs/fairness.md, "Formats".
"""

from collections.abc import Sequence
from itertools import permutations
from typing import Final

from pydantic import JsonValue

from kiery.engine import Derivation
from kiery.tournament.design import DesignSource
from kiery.tournament.planner import Planner
from kiery.tournament.results import DealRow
from kiery.tournament.schedule import Fixture, Schedule, check_length, label, plan_set, schedule_of
from kiery.tournament.seatplan import seat_plan
from kiery.tournament.sequential import Differences, Lineup, TestState, TestVerdict
from kiery.tournament.spec import TournamentSpec
from kiery.tournament.tables import Tables

__all__ = ["DuelPlanner", "difference", "duel_opening", "seatings"]

_AHEAD: Final = 4
"""Sets in play before the first of them must be tested."""
_ALL_SEATINGS: Final = 6
"""Up to so many seats a set has every seating."""
_DEFAULT_DEALS: Final = 2400
"""Deals at most without `deals_per_bot`: with the default test fewer than 1 in 100 are undecided then."""


def seatings(table: Sequence[int]) -> list[tuple[int, ...]]:
    """Returns the seatings of a set of a match, from one of them, in which 0 and 1 sit equally often."""
    if len(table) <= _ALL_SEATINGS:
        return sorted(set(permutations(table)))
    exchanged = [{0: 1, 1: 0}.get(bot, bot) for bot in table]
    return [
        tuple(row[(seat + turn) % len(row)] for seat in range(len(row)))
        for row in (table, exchanged)
        for turn in range(len(row))
    ]


def _set_of(spec: TournamentSpec, derivation: Derivation, set_index: int) -> list[tuple[int, ...]]:
    """Returns the seatings of a set in the order in which they are played."""
    chance = derivation.stream(label(spec.name, "seats", 1, set_index + 1))
    players = spec.rules.players
    if spec.sequential_test.lineup is Lineup.ABHH:
        return seat_plan(range(players), 1, chance)[0]
    table = [0] * (players // 2) + [1] * (players // 2) + [2] * (players % 2)
    chance.shuffle(table)
    rows = seatings(table)
    chance.shuffle(rows)
    return rows


def duel_opening(spec: TournamentSpec, derivation: Derivation) -> Schedule:
    """Returns the sets of a match that are played before anything is tested.

    Raises:
        SpecError: The match would be longer than a schedule may be.
    """
    fixtures: list[Fixture] = []
    set_size = len(_set_of(spec, derivation, 0))
    sets = min(_AHEAD, _most_sets(spec, set_size))
    check_length(spec, _most_sets(spec, set_size) * set_size)
    for number in range(sets):
        rows = _set_of(spec, derivation, number)
        fixtures += plan_set(spec, rows, set_index=number, first_index=len(fixtures))
    table = tuple(range(2 + spec.house_count))
    made = Tables(tables=(table,), source=DesignSource.SINGLE, appearances=1)
    return schedule_of(spec, made, fixtures, sets_per_table=sets, set_size=set_size)


def _most_sets(spec: TournamentSpec, set_size: int) -> int:
    return -(-(spec.deals_per_bot or _DEFAULT_DEALS) // (set_size * spec.fewest_deals))


def difference(row: DealRow) -> float:
    """Returns by how many points a deal entrant 0 is better than 1, forfeited seats as charged."""
    means = []
    for bot in (0, 1):
        charges = [row.charge(seat) for seat, holder in enumerate(row.seats) if holder == bot]
        means.append(sum(charges) / len(charges))
    return means[1] - means[0]


class DuelPlanner(Planner):
    """Plans sets until the test has ended, or the deals have."""

    def __init__(self, spec: TournamentSpec, derivation: Derivation, schedule: Schedule) -> None:
        """Starts with the opening that `duel_opening` made."""
        super().__init__(schedule)
        self._spec = spec
        self._derivation = derivation
        self._differences = Differences(spec.sequential_test)
        self._most_sets = _most_sets(spec, schedule.set_size)
        self.verdict: TestState | None = None
        """How the test stood when it ended; none while it goes on."""

    @property
    def state(self) -> TestState:
        """How the test stands over all deals looked at, those after its end included."""
        return self._differences.state()

    @property
    def complete(self) -> bool:
        """Whether nothing more will be planned."""
        return self.verdict is not None or len(self.fixtures) >= self._most_sets * self.schedule.set_size

    def _look(self, fixture: Fixture, rows: Sequence[DealRow]) -> None:
        self._differences.add(map(difference, rows))
        if fixture.arrangement < self.schedule.set_size - 1 or self.verdict is not None:
            return
        state = self.state
        if state.verdict is not TestVerdict.INCONCLUSIVE:
            self.verdict = state
        elif not self.complete:
            number = len(self.fixtures) // self.schedule.set_size
            self.fixtures += plan_set(
                self._spec,
                _set_of(self._spec, self._derivation, number),
                set_index=number,
                first_index=len(self.fixtures),
            )

    @property
    def report(self) -> Sequence[str]:
        """The test in one line."""
        test, state = self._spec.sequential_test, self.state
        first, second = (entrant.name for entrant in self._spec.entrants)
        width = "" if state.half_width is None else f" ± {state.half_width:.2f}"
        told = self.verdict or state
        line = (
            f"{first} against {second}: {state.mean:+.2f}{width} points a deal (more is better)"
            f" over {state.units} deals; LLR {told.llr:.2f} ({test.lower:.2f} to {test.upper:.2f}): "
        )
        match told.verdict:
            case TestVerdict.H0:
                return (f"{line}H0 accepted, {test.delta0:+g} rather than {test.delta1:+g}",)
            case TestVerdict.H1:
                return (f"{line}H1 accepted, {test.delta1:+g} rather than {test.delta0:+g}",)
            case _:
                return (f"{line}inconclusive",)

    @property
    def facts(self) -> dict[str, JsonValue]:
        """The test as plain values; differences in points a deal, positive where the first is better."""
        test, state = self._spec.sequential_test, self.state
        told = self.verdict or state
        return {
            "test": {
                "first": self._spec.entrants[0].name,
                "second": self._spec.entrants[1].name,
                "deals": state.units,
                "difference": state.mean,
                "half_width_95": state.half_width,
                "llr": told.llr,
                "lower": test.lower,
                "upper": test.upper,
                "verdict": told.verdict.value,
                "deals_at_verdict": None if self.verdict is None else self.verdict.units,
            }
        }
