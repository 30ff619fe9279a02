"""The schedule: every fixture of a tournament, with its seats and the labels of its boards.

A pure function of the spec, the secret and the entropy: whoever has them builds it again. It is built
whole before the first deal. What is not here: attempts at fixtures, and when they are played (`host`).

Chance comes from labels that name no board: `<tournament>/schedule/1` (the search for tables, then
which entrant is which point), `…/schedule/2` (the order of fixtures), `…/seats/<n>` (the places at
table n, from 1), `…/laps/<n>` (the order of sets in lap n, from 1). Source: docs/fairness.md.
"""

from dataclasses import dataclass
from math import comb
from typing import Final

from kiery.engine import Derivation, Stream
from kiery.tournament.design import Design, DesignSource, balanced_design, complete_design
from kiery.tournament.seatplan import default_set_count, seat_plan
from kiery.tournament.separation import separate
from kiery.tournament.spec import Pairing, Sharing, TournamentSpec
from kiery.tournament.spec_text import SpecError

__all__ = ["MAX_FIXTURES", "Fixture", "Schedule", "build_schedule", "label"]

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """All fixtures of a tournament, and what they were made from."""

    tournament: str
    """The spec's name."""
    players: int
    """Seats at each table, n."""
    entrant_count: int
    """Entrants that are ranked: indices 0 … entrant_count - 1."""
    house_count: int
    """House bots: the indices after those."""
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
    deal_count: int | None
    """Deals of a fixture; none: to the target."""
    fixtures: tuple[Fixture, ...]
    """By index."""

    @property
    def set_count(self) -> int:
        """Sets of the tournament."""
        return self.table_count * self.sets_per_table

    @property
    def appearances(self) -> int:
        """Tables at which each entrant sits."""
        return self.table_count * self.players // (self.entrant_count + self.house_count)

    @property
    def deals_per_bot(self) -> int | None:
        """Deals that each entrant plays; none: it depends on the matches."""
        if self.deal_count is None:
            return None
        return self.appearances * self.sets_per_table * self.players * self.deal_count


def build_schedule(spec: TournamentSpec, derivation: Derivation) -> Schedule:
    """Returns the whole schedule.

    Length: without `deals_per_bot` each table plays the sets that balance neighbours. With it, the whole
    design is played, each table the smallest number of sets that reaches it for every entrant. Only with
    more than 41 entrants, and no exact design, fewer tables are planned if one set at each is enough: then
    not everybody meets everybody. A match to a target counts as the fewest deals that it can take.

    Args:
        spec: The tournament.
        derivation: Of the secret and the spec's entropy.

    Raises:
        SpecError: The schedule would have more than a million fixtures, or owners cannot be separated.
    """
    players = spec.rules.players
    chance = derivation.stream(label(spec.name, "schedule", 1, 1))
    set_deals = players * spec.fewest_deals
    design = _design(spec, chance, set_deals)
    sets_per_table = default_set_count(players)
    if spec.deals_per_bot is not None:
        sets_per_table = -(-spec.deals_per_bot // (design.appearances * set_deals))
    _check_length(spec, len(design.tables) * sets_per_table * players)

    points = list(range(design.points))
    chance.shuffle(points)
    tables = [tuple(points[point] for point in table) for table in design.tables]
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
    return Schedule(
        tournament=spec.name,
        players=players,
        entrant_count=len(spec.entrants),
        house_count=spec.house_count,
        sharing=spec.sharing,
        separated_owners=spec.separate_owners,
        source=design.source,
        table_count=len(tables),
        sets_per_table=sets_per_table,
        deal_count=spec.deals_per_match,
        fixtures=fixtures,
    )


def _design(spec: TournamentSpec, chance: Stream, set_deals: int) -> Design:
    players = spec.rules.players
    points = max(players, len(spec.entrants))
    if spec.schedule is Pairing.COMPLETE:
        _check_length(spec, comb(points, players) * players)
        return complete_design(points, players, MAX_FIXTURES)
    least = None if spec.deals_per_bot is None else -(-spec.deals_per_bot // set_deals)
    return balanced_design(points, players, chance, least)


def _check_length(spec: TournamentSpec, fixtures: int) -> None:
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
