"""The tables of an account: rows of plain values, the same in every form of export.

Small tables are whole; matches and deals, which may be a million, are one at a time. Text in them has no
character that a terminal or a page would obey; `null` is a figure that is not known.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from kiery.cli.console import clean
from kiery.cli.results.account import Account, faults_by_kind
from kiery.cli.results.breakdown import direction_of
from kiery.record import DealResult, MatchRecord, deal_results
from kiery.tournament import Fixture, StandingsRow, check_schedule
from kiery.tournament.par import PAR_METHOD
from kiery.tournament.spread import ClusteredMean

__all__ = ["Plain", "Row", "deal_rows", "fact_rows", "match_row", "schedule_facts", "tables"]

Plain = str | int | float | bool | None | Sequence["Plain"]
"""A value of a cell; a sequence has one entry a seat."""

Row = dict[str, Plain]
"""One row: cells by column."""

THINK_QUANTILES: Final = {"median": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}
"""Think times that are shown: the smallest that at least so many of the answers did not exceed."""


def fact_rows(account: Account) -> dict[str, Plain]:
    """Returns what was published about a tournament, and what is needed to check it."""
    stored, rules = account.stored, account.rules
    return {
        "tournament": account.name,
        "status": stored.status.value,
        "preset": rules.preset,
        "players": rules.num_players,
        "sharing": account.plan.spec.sharing.value,
        "format": account.plan.spec.format.value,
        "fixtures": account.plan.match_count,
        "fixtures_played": account.scoreboard.fixtures,
        "deals_played": account.scoreboard.deals,
        "commitment": stored.commitment.hex(),
        "secret": account.secret.hex() if account.secret is not None else None,
        "entropy": clean(stored.entropy.decode(errors="replace")),
        "spec_digest": stored.spec_digest.hex(),
        "records_digest": account.records_digest,
        "luck_method": PAR_METHOD if account.luck is not None else None,
    }


def tables(account: Account) -> Mapping[str, Sequence[Row]]:
    """Returns every small table by name."""
    shared = {"leak": _leak(account)} if account.leak is not None else {}
    return {
        "standings": [_standing(account, row) for row in account.standings.rows],
        "cross": _cross(account),
        "history": _history(account),
        "seats": _seats(account),
        "directions": _directions(account),
        "seat_nets": _seat_nets(account),
        "direction_nets": _direction_nets(account),
        "think": _think(account),
        "faults": _faults(account),
        **shared,
        "schedule": [{"checked": name, "value": value} for name, value in schedule_facts(account)],
    }


def schedule_facts(account: Account) -> list[tuple[str, str]]:
    """Returns what the check of the schedule counted; of a ladder, which follows from results, nothing."""
    schedule = account.plan.schedule
    return check_schedule(schedule).rows() if schedule.fixtures else []


def _standing(account: Account, row: StandingsRow) -> Row:
    entrant = account.plan.spec.entrants[row.entrant]
    shares: Row = {f"place_{place}_share": share for place, share in enumerate(row.place_shares, start=1)}
    return {
        "place": row.place,
        "best_place": row.best_place,
        "worst_place": row.worst_place,
        "bot": row.name,
        "version": clean(account.versions[row.entrant]),
        "owner": entrant.owner,
        "net_per_deal": row.net,
        "half_width_95": row.half_width,
        "points_per_deal": row.points,
        "deals": row.deals,
        **shares,
        "queen_share": row.queen_share,
        "moons_for": row.moons_for,
        "moons_against": row.moons_against,
        "luck_per_deal": account.luck.of(row.entrant) if account.luck is not None else None,
        "badge": account.badges[row.entrant].ordinal if account.badges else None,
        "forfeits": row.forfeits,
        "unreliable": row.unreliable,
        "winner_group": row.winner_group,
        "median_think_ms": row.median_think_ms,
        "max_think_ms": row.max_think_ms,
    }


def _cross(account: Account) -> list[Row]:
    names = account.bots
    return [
        {
            "bot": names[pair.entrant],
            "opponent": names[pair.opponent],
            "net_difference": pair.net,
            "half_width_95": pair.half_width,
            "significant": pair.significant,
        }
        for pair in account.standings.pairs()
    ]


def _history(account: Account) -> list[Row]:
    return [
        {"fixtures": moment.fixtures, "deals": moment.deals, "bot": name, "net_per_deal": net}
        for moment in account.moments
        for name, net in zip(account.bots, moment.nets, strict=False)
    ]


def _mean(mean: ClusteredMean, name: str) -> Row:
    return {name: mean.mean, "half_width_95": mean.half_width, "deals": mean.count}


def _seats(account: Account) -> list[Row]:
    return [
        {"seat": seat, **_mean(mean, "points_per_deal")}
        for seat, mean in enumerate(account.breakdown.seat_points)
    ]


def _directions(account: Account) -> list[Row]:
    return [
        {"direction": direction, "seat": seat, **_mean(mean, "points_per_deal")}
        for direction, means in account.breakdown.direction_points.items()
        for seat, mean in enumerate(means)
    ]


def _seat_nets(account: Account) -> list[Row]:
    return [
        {"bot": name, "seat": seat, **_mean(mean, "net_per_deal")}
        for name, means in zip(account.bots, account.breakdown.seat_nets, strict=True)
        for seat, mean in enumerate(means)
    ]


def _direction_nets(account: Account) -> list[Row]:
    return [
        {"bot": name, "direction": direction, **_mean(mean, "net_per_deal")}
        for name, means in zip(account.bots, account.breakdown.direction_nets, strict=True)
        for direction, mean in means.items()
    ]


def _think(account: Account) -> list[Row]:
    return [
        {
            "bot": name,
            "answers": times.counts.total(),
            **{f"{label}_ms": times.quantile(share) for label, share in THINK_QUANTILES.items()},
        }
        for name, times in zip(account.bots, account.think, strict=True)
    ]


def _faults(account: Account) -> list[Row]:
    return [
        {"bot": name, "kind": kind, "count": count}
        for name, kinds in faults_by_kind(account).items()
        for kind, count in kinds.items()
    ]


def _leak(account: Account) -> list[Row]:
    return [
        {
            "bot": account.bots[row.entrant],
            "boards": row.boards,
            "first_net": row.first,
            "later_net": row.later,
            "gain": row.gain,
            "half_width_95": row.half_width,
            "gained": row.gained,
        }
        for row in account.leak_rows
    ]


def match_row(account: Account, fixture: Fixture, record: MatchRecord) -> Row:
    """Returns one match; which set it belongs to is left out while that would name its boards."""
    hidden = account.boards_hidden
    return {
        "fixture": fixture.index,
        "attempt": record.header.attempt,
        "set": None if hidden else fixture.set_index,
        "arrangement": fixture.arrangement,
        "bots": [account.bots[bot] for bot in fixture.seats],
        "scores": list(record.scores),
        "placements": list(record.placements),
        "seat_ends": [cause.name.lower() for cause in record.seat_causes],
        "started_ms": record.start_ms,
        "ended_ms": record.end_ms,
        "digest": record.digest.hex(),
    }


def deal_rows(account: Account, fixture: Fixture, record: MatchRecord) -> Iterator[Row]:
    """Yields the deals of a match; nothing but points while their boards will be played again."""
    labels = {deal.number: (deal.label, deal.dealer) for deal in record.deals}
    for result in deal_results(record):
        label, dealer = labels[result.number]
        yield _deal(account, fixture, result, label, dealer)


def _deal(account: Account, fixture: Fixture, result: DealResult, label: str, dealer: int) -> Row:
    seats, hidden = range(account.rules.num_players), account.boards_hidden
    par = account.luck.par.get(label) if account.luck is not None else None
    return {
        "fixture": fixture.index,
        "deal": result.number,
        "board": result.board_number,
        "label": None if hidden else label,
        "direction": direction_of(account.rules, result.board_number),
        "dealer": dealer,
        "bots": [account.bots[bot] for bot in fixture.seats],
        "points": list(result.points),
        "totals": list(result.totals),
        "tricks": None if hidden else list(result.tricks),
        "queens": None if hidden else list(result.queens),
        "shooter": result.shooter,
        "moon": result.choice.value if result.choice is not None else None,
        "forfeited": [seat in result.forfeited for seat in seats],
        "faults": list(result.faults),
        "rejections": list(result.rejections),
        "par": list(par) if par is not None else None,
    }
