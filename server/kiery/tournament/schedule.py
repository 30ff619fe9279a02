"""The schedule: every fixture of a tournament, with its seats and the labels of its boards.

A pure function of the spec, the secret and the entropy: whoever has them builds it again. It is built
whole before the first deal; where later fixtures follow from results, this is the opening, and a planner
goes on from it (`planner`). What is not here: attempts at fixtures, and when they are played (`host`).

Chance comes from labels that name no board: `<tournament>/schedule/1` (the search for tables, then
which entrant is which point), `…/schedule/2` (the order of fixtures), `…/seats/<n>` (the places at
table n, from 1), `…/laps/<n>` (the order of sets in lap n, from 1). Source: docs/fairness.md.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kiery.engine import Derivation
from kiery.tournament.design import DesignSource
from kiery.tournament.seatplan import default_set_count, seat_plan
from kiery.tournament.separation import separate
from kiery.tournament.spec import Format, Sharing, TournamentSpec
from kiery.tournament.spec_text import SpecError
from kiery.tournament.tables import Tables, tables_of

__all__ = ["MAX_FIXTURES", "Fixture", "Schedule", "build_schedule", "label", "plan_set", "schedule_of"]

MAX_FIXTURES: Final = 1_000_000
"""A schedule is built whole, so its length is bounded."""


def label(tournament: str, stream: str, attempt: int, number: int) -> str:
    """Returns the label of a board: `t1/f12/3`, from the second attempt on `t1/f12.2/3`.

    Args:
        tournament: The spec's name.
        stream: The fixture's stream.
        attempt: From 1: of the fixture, or of the set where its fixtures share boards.
        number: The board's number, from 1.
    """
    suffix = f".{attempt}" if attempt > 1 else ""
    return f"{tournament}/{stream}{suffix}/{number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """A planned match."""

    index: int
    """Its number in the schedule, from 0: also the order in which fixtures are offered."""
    set_index: int
    """Its set, from 0."""
    arrangement: int
    """Which of the n arrangements of the set, from 0; with shared boards also the lap."""
    seats: tuple[int, ...]
    """The entrant in each seat, as its index in `TournamentSpec.seated_entrants`."""
    stream: str
    """The middle of its boards' labels: `f<index>`, or `s<set_index>` where the set shares boards."""
    deal_count: int | None
    """Deals, on boards 1 … deal_count; none: boards 1, 2, … until the target is reached."""
    dropped: bool = False
    """Whether an amendment took it off before it began: it is never played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """The fixtures of a tournament that follow from no results, and what they were made from."""

    tournament: str
    """The spec's name."""
    format: Format = Format.ROUND_ROBIN
    """Who is ranked against whom."""
    players: int
    """Seats at each table, n."""
    entrant_count: int
    """Entrants that are ranked: indices 0 … entrant_count - 1."""
    house_count: int
    """House bots: the indices after those."""
    challenger_count: int = 0
    """In a gauntlet, how many of the first entrants are challengers."""
    sharing: Sharing
    """Whether the fixtures of a set share boards."""
    separated_owners: bool
    """Whether owners were kept apart, at the cost of even meetings."""
    source: DesignSource
    """Where the tables come from."""
    table_count: int
    """Tables of the design."""
    sets_per_table: int
    """Sets that each table plays."""
    set_size: int
    """Fixtures of a set: as many as seats, but in a match A A B B all its seatings."""
    deal_count: int | None
    """Deals of a fixture; none: to the target."""
    amended: bool = False
    """Whether the field changed after the beginning, at the cost of even counts."""
    hidden: frozenset[int] = frozenset()
    """Entrants that left before half of their schedule: not ranked, but part of the fit."""
    fixtures: tuple[Fixture, ...]
    """By index."""

    @property
    def fixtures_per_bot(self) -> int:
        """Fixtures that each ranked entrant plays at least, as far as they are planned here."""
        played = Counter(bot for fixture in self.fixtures if not fixture.dropped for bot in fixture.seats)
        return min(played[entrant] for entrant in range(self.entrant_count) if entrant not in self.hidden)

    @property
    def set_count(self) -> int:
        """Sets of the tournament, as far as they are planned here."""
        return self.table_count * self.sets_per_table

    @property
    def deals_per_bot(self) -> int | None:
        """Deals that each entrant plays at least; none: it depends on the matches or on results."""
        if self.deal_count is None or self.format in {Format.MATCH, Format.LADDER}:
            return None
        return self.fixtures_per_bot * self.deal_count


def build_schedule(spec: TournamentSpec, derivation: Derivation) -> Schedule:
    """Returns the whole schedule of a round robin or a gauntlet, or the round robin before a final.

    Length: without `deals_per_bot` each table plays the sets that balance neighbours. With it, the whole
    design is played, each table the smallest number of sets that reaches it for every entrant. Only with
    more than 41 entrants, and no exact design, fewer tables are planned if one set at each is enough: then
    not everybody meets everybody. A match to a target counts as the fewest deals that it can take.

    Args:
        spec: The tournament; of a match or a ladder the planner knows more, see `planner`.
        derivation: Of the secret and the spec's entropy.

    Raises:
        SpecError: The schedule would have more than a million fixtures, or owners cannot be separated.
    """
    players = spec.rules.players
    chance = derivation.stream(label(spec.name, "schedule", 1, 1))
    made = tables_of(spec, chance, MAX_FIXTURES)
    sets_per_table = default_set_count(players)
    if spec.deals_per_bot is not None:
        sets_per_table = -(-spec.deals_per_bot // (made.appearances * players * spec.fewest_deals))
    check_length(spec, len(made.tables) * sets_per_table * players)
    tables = list(made.tables)
    if spec.separate_owners:
        tables = separate(tables, [entrant.owner or entrant.name for entrant in spec.entrants], chance)
    plan = [
        arrangements
        for number, table in enumerate(tables, start=1)
        for arrangements in seat_plan(
            table, sets_per_table, derivation.stream(label(spec.name, "seats", 1, number))
        )
    ]
    fixtures = tuple(
        Fixture(
            index=index,
            set_index=set_index,
            arrangement=arrangement,
            seats=plan[set_index][arrangement],
            stream=f"s{set_index}" if spec.sharing is Sharing.LAPS else f"f{index}",
            deal_count=spec.deals_per_match,
        )
        for index, (set_index, arrangement) in enumerate(_order(spec, len(plan), derivation))
    )
    return schedule_of(spec, made, fixtures, sets_per_table=sets_per_table, set_size=players)


def schedule_of(
    spec: TournamentSpec, made: Tables, fixtures: Sequence[Fixture], *, sets_per_table: int, set_size: int
) -> Schedule:
    """Returns fixtures with what they were made from."""
    return Schedule(
        tournament=spec.name,
        format=spec.format,
        players=spec.rules.players,
        entrant_count=len(spec.entrants),
        house_count=spec.house_count,
        challenger_count=spec.challenger_count if spec.format is Format.GAUNTLET else 0,
        sharing=spec.sharing,
        separated_owners=spec.separate_owners,
        source=made.source,
        table_count=len(made.tables),
        sets_per_table=sets_per_table,
        set_size=set_size,
        deal_count=spec.deals_per_match,
        fixtures=tuple(fixtures),
    )


def plan_set(
    spec: TournamentSpec, arrangements: Sequence[tuple[int, ...]], *, set_index: int, first_index: int
) -> list[Fixture]:
    """Returns the fixtures of a set with boards of their own, in the order given."""
    return [
        Fixture(
            index=first_index + arrangement,
            set_index=set_index,
            arrangement=arrangement,
            seats=tuple(seats),
            stream=f"f{first_index + arrangement}",
            deal_count=spec.deals_per_match,
        )
        for arrangement, seats in enumerate(arrangements)
    ]


def check_length(spec: TournamentSpec, fixtures: int) -> None:
    """Refuses a schedule without end.

    Raises:
        SpecError: It has more than a million fixtures.
    """
    if fixtures > MAX_FIXTURES:
        raise SpecError(
            f"{spec.name}: the schedule has {fixtures} fixtures: expected at most {MAX_FIXTURES};"
            " ask for fewer deals_per_bot, more deals a match, or the balanced schedule"
        )


def _order(spec: TournamentSpec, set_count: int, derivation: Derivation) -> list[tuple[int, int]]:
    """Returns set and arrangement of every fixture, in the order of their indices."""
    players = spec.rules.players
    if spec.sharing is Sharing.INDEPENDENT:
        order = [(number, arrangement) for number in range(set_count) for arrangement in range(players)]
        derivation.stream(label(spec.name, "schedule", 1, 2)).shuffle(order)
        return order
    # One arrangement of every set after the other, so that nobody meets a board twice within a lap.
    laps = []
    for lap in range(players):
        sets = list(range(set_count))
        derivation.stream(label(spec.name, "laps", 1, lap + 1)).shuffle(sets)
        laps += [(number, lap) for number in sets]
    return laps
