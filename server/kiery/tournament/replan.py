"""Planning anew: the rest of a round robin with another field.

Fixtures that had begun stay. For the rest everybody gets as many new sets as it lacks to the length that the
schedule had before its first amendment, at tables annealed so that with what was begun every pair meets about
equally often; a late entry is given the whole length. New fixtures get new indices, so no board is dealt
twice. Chance: `<tournament>/amendment/<number>`. Source: docs/fairness.md, "Late entries and withdrawals".
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from kiery.engine import Derivation, Stream
from kiery.tournament.amendment import Amendment, Leaving, fixtures_in
from kiery.tournament.anneal import anneal_tables
from kiery.tournament.design import DesignSource
from kiery.tournament.schedule import Fixture, Schedule, label
from kiery.tournament.seatplan import seat_plan
from kiery.tournament.separation import separate
from kiery.tournament.spec import Format, TournamentSpec

__all__ = ["amended_schedule"]


def amended_schedule(
    spec: TournamentSpec, derivation: Derivation, opening: Schedule, amendments: Sequence[Amendment]
) -> Schedule:
    """Returns the schedule after all amendments.

    Args:
        spec: With the late entrants.
        derivation: Of the secret and the spec's entropy.
        opening: The schedule without amendments; of a ladder it stays empty.
        amendments: In their order.
    """
    late = sum(each.entrant is not None for each in amendments)
    active = list(range(len(spec.entrants) - late))
    length = opening.fixtures_per_bot if opening.fixtures else 0
    fixtures, sets = list(opening.fixtures), opening.set_count
    for amendment in amendments:
        if amendment.withdrawn is not None:
            active.remove(amendment.withdrawn)
        else:
            active.append(len(spec.entrants) - late)
            late -= 1
        if spec.format is Format.LADDER or amendment.leaving is Leaving.CHARGED:
            continue
        dropped = fixtures_in(amendment.dropped)
        fixtures = [replace(each, dropped=each.dropped or each.index in dropped) for each in fixtures]
        chance = derivation.stream(label(spec.name, "amendment", 1, amendment.number))
        tables = _tables(spec, fixtures, active, length, chance)
        fixtures += _seated(spec, derivation, tables, sets, len(fixtures), chance)
        sets += len(tables)
    hidden = frozenset(
        each.withdrawn
        for each in amendments
        if each.withdrawn is not None and each.leaving is Leaving.REMOVED
    )
    return replace(
        opening,
        entrant_count=len(spec.entrants),
        source=DesignSource.ANNEALED if fixtures else opening.source,
        table_count=sets,
        sets_per_table=1,
        amended=True,
        hidden=hidden,
        fixtures=tuple(fixtures),
    )


def _tables(
    spec: TournamentSpec, fixtures: Sequence[Fixture], active: Sequence[int], length: int, chance: Stream
) -> list[tuple[int, ...]]:
    """Returns the tables of new sets, by entrants' indices."""
    players = spec.rules.players
    kept = [fixture for fixture in fixtures if not fixture.dropped]
    begun = Counter(bot for fixture in kept for bot in fixture.seats)
    lacking = [max(0, -(-(length - begun[bot]) // players)) for bot in active]
    quotas = _filled(lacking, players)
    if not quotas:
        return []
    place = {bot: index for index, bot in enumerate(active)}
    met: Counter[tuple[int, int]] = Counter()
    for fixture in kept:
        there = sorted(place[bot] for bot in fixture.seats if bot in place)
        met.update(combinations(there, 2))
    found = anneal_tables(quotas, players, chance, met=met, weight=players)
    tables = [tuple(active[point] for point in table) for table in found]
    if spec.separate_owners:
        tables = separate(tables, [entrant.owner or entrant.name for entrant in spec.entrants], chance)
    return tables


def _filled(quotas: Sequence[int], size: int) -> list[int]:
    """Returns at least these quotas, so that tables of a size can be filled; empty: nothing is lacking.

    Somebody can sit once at a table only, so if few lack much, others sit in, those with the fewest first.
    """
    filled = list(quotas)
    if not any(filled):
        return []
    while sum(filled) % size or max(filled) * size > sum(filled):
        least = min(range(len(filled)), key=lambda index: (filled[index], index))
        filled[least] += 1
    return filled


def _seated(
    spec: TournamentSpec,
    derivation: Derivation,
    tables: Sequence[tuple[int, ...]],
    first_set: int,
    first_index: int,
    chance: Stream,
) -> list[Fixture]:
    plan = [
        seat_plan(table, 1, derivation.stream(label(spec.name, "seats", 1, first_set + number + 1)))[0]
        for number, table in enumerate(tables)
    ]
    order = [
        (number, arrangement) for number in range(len(plan)) for arrangement in range(spec.rules.players)
    ]
    chance.shuffle(order)
    return [
        Fixture(
            index=first_index + place,
            set_index=first_set + number,
            arrangement=arrangement,
            seats=plan[number][arrangement],
            stream=f"f{first_index + place}",
            deal_count=spec.deals_per_match,
        )
        for place, (number, arrangement) in enumerate(order)
    ]
