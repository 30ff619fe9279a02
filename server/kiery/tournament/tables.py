"""Which entrants share a table: a design for the format, its points given to entrants by chance.

What is not here: seats and the order of play (`schedule`), and tables that follow from results (`planner`).
"""

from dataclasses import dataclass
from math import comb

from kiery.engine import Stream
from kiery.tournament.anneal import anneal_tables
from kiery.tournament.design import Design, DesignSource, balanced_design, complete_design
from kiery.tournament.spec import Format, Pairing, TournamentSpec
from kiery.tournament.spec_text import SpecError

__all__ = ["Tables", "tables_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """Tables of a tournament."""

    tables: tuple[tuple[int, ...], ...]
    """Who sits at each, as indices in `TournamentSpec.seated_entrants`."""
    source: DesignSource
    """Where they come from."""
    appearances: int
    """Tables of each entrant at least; in a gauntlet of each challenger."""


def tables_of(spec: TournamentSpec, chance: Stream, most_fixtures: int) -> Tables:
    """Returns the tables of a round robin or a gauntlet.

    Args:
        spec: The tournament.
        chance: Of the search for tables, then of which entrant is which point.
        most_fixtures: The longest schedule that anybody may ask for.

    Raises:
        SpecError: The budget cannot seat everybody, or the complete schedule is too long.
    """
    if spec.format is Format.GAUNTLET:
        return _gauntlet(spec, chance, most_fixtures)
    players = spec.rules.players
    design = _design(
        spec, max(players, len(spec.entrants)), players, spec.tables_budget, chance, most_fixtures
    )
    points = list(range(design.points))
    chance.shuffle(points)
    return Tables(
        tables=tuple(tuple(points[point] for point in table) for table in design.tables),
        source=design.source,
        appearances=design.appearances,
    )


def _gauntlet(spec: TournamentSpec, chance: Stream, most_fixtures: int) -> Tables:
    """Each challenger plays every group of a design of the field; the field's points change with each."""
    challengers, seats = spec.challenger_count, spec.rules.players - 1
    field = range(challengers, len(spec.entrants) + spec.house_count)
    budget = None if spec.tables_budget is None else max(1, round(spec.tables_budget / challengers))
    design = _design(spec, len(field), seats, budget, chance, most_fixtures // challengers)
    tables = []
    for challenger in range(challengers):
        points = list(field)
        chance.shuffle(points)
        tables += [(challenger, *(points[point] for point in table)) for table in design.tables]
    return Tables(tables=tuple(tables), source=design.source, appearances=len(design.tables))


def _design(
    spec: TournamentSpec, points: int, size: int, budget: int | None, chance: Stream, most_fixtures: int
) -> Design:
    players = spec.rules.players
    # Pairs are all that tables of two can balance, and all of them are few.
    if spec.schedule is Pairing.COMPLETE or (size == 2 and budget is None):
        count = comb(points, size)
        if count * players > most_fixtures:
            raise SpecError(
                f"{spec.name}: the schedule has {count * players} fixtures: expected at most {most_fixtures};"
                " ask for the balanced schedule"
            )
        return complete_design(points, size, count)
    if budget is not None:
        return _budgeted(spec, points, size, budget, chance)
    set_deals = players * spec.fewest_deals
    least = None if spec.deals_per_bot is None else -(-spec.deals_per_bot // set_deals)
    return balanced_design(points, size, chance, least)


def _budgeted(spec: TournamentSpec, points: int, size: int, budget: int, chance: Stream) -> Design:
    """Returns so many tables: whole exact designs as often as they fit, and an annealed rest."""
    fewest = -(-points // size)
    if budget < fewest:
        raise SpecError(
            f"{spec.name}: {budget} tables cannot seat {points} bots:"
            f" expected a tables_budget of {fewest} at least"
        )
    tables: list[tuple[int, ...]] = []
    source = DesignSource.ANNEALED
    exact = (
        balanced_design(points, size, chance) if budget >= points * (points - 1) / size / (size - 1) else None
    )
    if exact is not None and exact.source is not DesignSource.SEARCHED:
        copies, rest = divmod(budget, len(exact.tables))
        tables += exact.tables * copies
        if not rest:
            source = exact.source
        budget = rest
    if budget:
        places = budget * size
        quotas = [places // points + (point < places % points) for point in range(points)]
        # Where pairs met before they did so equally often; the rest begins anew.
        tables += anneal_tables(quotas, size, chance)
    return Design(points=points, size=size, tables=tuple(tables), source=source)
