"""The account of a tournament: every figure of exports and report, from one pass over its records."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from kiery.cli.results.breakdown import Breakdown
from kiery.cli.results.luck import Luck
from kiery.engine import Board
from kiery.errors import InputError
from kiery.host import Plan, Scoreboard
from kiery.host.planning import result_rows
from kiery.host.scoreboard import deal_row
from kiery.record import MatchRecord, deal_results
from kiery.rules import Rules
from kiery.store import Store, StoredRecord, StoredTournament
from kiery.terms import SeatCause
from kiery.tournament import Fixture, Format, Sharing, Standings
from kiery.tournament.badge import Badge, badges
from kiery.tournament.leak import LeakAudit, LeakRow

__all__ = ["Account", "Moment", "ThinkTimes", "take_account"]

_MOMENTS: Final = 40
"""Standings over time, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """The standings after some of the fixtures, in the order of the schedule."""

    fixtures: int
    """Fixtures counted."""
    deals: int
    """Deals in them."""
    nets: tuple[float | None, ...]
    """Net a deal, by entrant."""


@dataclass(slots=True)
class ThinkTimes:
    """How often one bot took so many milliseconds for an answer of its own."""

    counts: Counter[int] = field(default_factory=Counter)
    """Answers by milliseconds."""

    def quantile(self, share: float) -> int | None:
        """Returns the smallest time that this share of the answers did not exceed; none without one."""
        need = share * self.counts.total()
        seen = 0
        for value in sorted(self.counts):
            seen += self.counts[value]
            if seen >= need:
                return value
        return None


@dataclass(slots=True, kw_only=True)
class Account:
    """What the records of one tournament add up to."""

    stored: StoredTournament
    """What the store says of it."""
    plan: Plan
    """What was planned."""
    secret: bytes | None
    """The secret of the boards; none: it is not public yet."""
    scoreboard: Scoreboard
    """Sums over its records."""
    standings: Standings
    """The standings that they come to."""
    breakdown: Breakdown
    """Seats and pass directions."""
    digests: dict[int, bytes]
    """The digest of each valid record, by fixture, ascending."""
    think: list[ThinkTimes]
    """By entrant."""
    versions: list[str]
    """By entrant, the version that it last stated, or that the organiser did."""
    ends: list[Counter[SeatCause]]
    """By entrant, how often its seat ended otherwise than completed."""
    forfeits: Counter[int]
    """Forfeited deals by entrant, house bots included."""
    moments: list[Moment]
    """The standings over time, the last moment being now."""
    leak: LeakAudit | None
    """First and later plays of shared boards; none where boards are not shared."""
    badges: Sequence[Badge]
    """By entrant, in a ladder; else empty."""
    luck: Luck | None
    """Par of the boards; none: it was not asked for."""

    @property
    def name(self) -> str:
        """The tournament's name."""
        return self.stored.name

    @property
    def rules(self) -> Rules:
        """What is played."""
        return self.plan.spec.played_rules

    @property
    def bots(self) -> Sequence[str]:
        """Names by index, house bots last."""
        return [entrant.name for entrant in self.plan.spec.seated_entrants]

    @property
    def boards_hidden(self) -> bool:
        """Whether boards are still to be played again, so that nothing but points may be shown."""
        return boards_hidden(self.plan, self.stored)

    @property
    def leak_rows(self) -> Sequence[LeakRow]:
        """The leak audit, by entrant; empty where boards are not shared."""
        return self.leak.rows() if self.leak is not None else ()

    @property
    def records_digest(self) -> str:
        """SHA-256 over the digests of all valid records in the order of the schedule, as hex digits."""
        return hashlib.sha256(b"".join(self.digests.values())).hexdigest()

    def matches(self, store: Store) -> Iterator[tuple[Fixture, MatchRecord]]:
        """Yields the records that were counted, again, a few in memory at a time.

        Raises:
            InputError: One of them does not count any more.
        """
        found = 0
        for stored in store.records(self.name):
            # A tournament that is being played has more records by now.
            if self.digests.get(stored.key.fixture) == stored.record.digest:
                found += 1
                yield self.plan.fixtures[stored.key.fixture], stored.record
        if found != len(self.digests):
            raise InputError(f"tournament {self.name} changed while it was read: export it again")


def boards_hidden(plan: Plan, stored: StoredTournament) -> bool:
    """Returns whether shared boards are still to be played again."""
    return plan.spec.sharing is Sharing.LAPS and not stored.status.is_over


def take_account(store: Store, plan: Plan, *, with_luck: bool = False) -> Account:
    """Returns the account of a tournament, running or over.

    Args:
        store: Where its records are.
        plan: What was planned.
        with_luck: Whether to play every board for par; takes about a tenth of a second a board and core.

    Raises:
        InputError: Luck would tell about boards that are still to be played again.
        CorruptRecordError: A record cannot be read.
    """
    name = plan.spec.name
    stored = store.tournament(name)
    if with_luck and boards_hidden(plan, stored):
        raise InputError(
            f"the boards of {name} are played again until its last lap ends:"
            " expected a tournament that is over for --luck"
        )
    shared = plan.spec.sharing is Sharing.LAPS
    seated = plan.spec.seated_entrants
    plays = plan.schedule.players if shared else 1
    scoreboard = Scoreboard(plan)
    account = Account(
        stored=stored,
        plan=plan,
        secret=store.reveal(name) if stored.status.is_over else None,
        scoreboard=scoreboard,
        standings=scoreboard.standings(),
        breakdown=Breakdown(plan.spec.played_rules, bots=len(seated), plays_per_board=plays),
        digests={},
        think=[ThinkTimes() for _ in seated],
        versions=[entrant.version for entrant in seated],
        ends=[Counter() for _ in seated],
        forfeits=Counter(),
        moments=[],
        leak=LeakAudit(len(plan.spec.entrants), plays) if shared else None,
        badges=(),
        luck=Luck(plan.spec.played_rules, plan.derivation, bots=len(seated)) if with_luck else None,
    )
    step = max(1, -(-len(plan.fixtures) // _MOMENTS))
    for record in store.records(name):
        if record.key.fixture >= len(plan.fixtures):
            # Planned from results that came after the plan was read; the next look has them.
            break
        _add(account, record)
        if len(account.digests) % step == 0:
            _look(account)
    if account.digests and (not account.moments or account.moments[-1].fixtures != len(account.digests)):
        _look(account)
    account.breakdown.close()
    if account.luck is not None:
        account.luck.settle()
    if plan.spec.format is Format.LADDER:
        rows = (row for fixture, record in account.matches(store) for row in result_rows(fixture, record))
        account.badges = badges(rows, len(plan.spec.entrants), plan.schedule.set_size)
    return account


def _look(account: Account) -> None:
    account.standings = account.scoreboard.standings()
    nets: dict[int, float | None] = {row.entrant: row.net for row in account.standings.rows}
    account.moments.append(
        Moment(
            fixtures=account.scoreboard.fixtures,
            deals=account.scoreboard.deals,
            nets=tuple(nets.get(entrant) for entrant in range(len(account.plan.spec.entrants))),
        )
    )


def _add(account: Account, stored: StoredRecord) -> None:
    record = stored.record
    fixture = account.plan.fixtures[stored.key.fixture]
    account.digests[fixture.index] = record.digest
    account.scoreboard.add(fixture, record)
    deals = {deal.number: deal for deal in record.deals}
    for seat, bot in enumerate(fixture.seats):
        account.versions[bot] = record.header.entrants[seat].version or account.versions[bot]
        if record.seat_causes[seat] is not SeatCause.COMPLETED:
            account.ends[bot][record.seat_causes[seat]] += 1
    for result in deal_results(record):
        deal = deals[result.number]
        row = deal_row(fixture, record, result, deal.label)
        account.breakdown.add(row, result.board_number)
        for seat, bot in enumerate(fixture.seats):
            account.think[bot].counts.update(result.think_ms[seat])
            account.forfeits[bot] += seat in row.forfeited
        if account.leak is not None:
            account.leak.add(row, first=fixture.arrangement == 0)
        if account.luck is not None:
            board = Board(number=deal.board_number, hands=deal.hands, kitty=deal.kitty, label=deal.label)
            account.luck.add(board, fixture.seats)


def faults_by_kind(account: Account) -> Mapping[str, Mapping[str, int]]:
    """Returns by entrant its faults, rejected answers, forfeited deals and early ends of seats."""
    return {
        name: {
            "faults": account.scoreboard.faults[name],
            "rejected answers": account.scoreboard.rejections[name],
            "forfeited deals": account.forfeits[bot],
            **{
                cause.name.lower().replace("_", " "): count
                for cause, count in sorted(account.ends[bot].items())
            },
        }
        for bot, name in enumerate(account.bots)
    }
