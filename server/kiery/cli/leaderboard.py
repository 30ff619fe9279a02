"""Standings as people and programs see them."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from kiery.cli.console import make_table
from kiery.tournament import Standings, StandingsRow
from kiery.tournament.leak import LeakRow

__all__ = ["cross_table", "leak_table", "standings_as_json", "standings_table"]


def _place(row: StandingsRow) -> str:
    if row.net is None:
        return "-"
    span = "" if row.best_place == row.worst_place else f" ({row.best_place}-{row.worst_place})"
    return f"{row.place}{span}"


def standings_table(
    standings: Standings, title: str = "", luck: Mapping[str, float | None] | None = None
) -> Table:
    """Returns the leaderboard: the interval first, everything else behind it.

    Args:
        standings: What is shown.
        title: Stands above.
        luck: By name, points a deal by which the cards were better than the tables'; none: no such column.
    """
    seats = max((len(row.place_shares) for row in standings.rows), default=0)
    places = [f"{place}." for place in range(1, seats + 1)]
    columns = (
        "place",
        "bot",
        "net/deal ± 95 %",
        "points/deal",
        "deals",
        *places,
        "Q♠",
        "moons",
        *(["luck"] if luck else []),
        "forfeits",
        "think ms",
    )
    rows = [
        (
            _place(row),
            row.name,
            _signed(row.net, row.half_width),
            "-" if row.points is None else f"{row.points:.2f}",
            row.deals,
            *(f"{share:.0%}" for share in row.place_shares or (0.0,) * seats),
            f"{row.queen_share:.0%}",
            f"{row.moons_for}/{row.moons_against}",
            *([_signed(luck[row.name])] if luck else []),
            f"{row.forfeits}{' unreliable' if row.unreliable else ''}",
            "-" if row.median_think_ms is None else f"{row.median_think_ms:.0f} (max {row.max_think_ms})",
        )
        for row in standings.rows
    ]
    return make_table(title, columns, rows)


def _signed(value: float | None, half_width: float | None = None) -> str:
    if value is None:
        return "-"
    return f"{value:+.2f}" if half_width is None else f"{value:+.2f} ± {half_width:.2f}"


def cross_table(standings: Standings) -> Table:
    """Returns everybody against everybody: the row's net minus the column's, with a star if they differ."""
    names = [row.name for row in standings.rows]
    rows: list[list[str]] = []
    for row in standings.rows:
        cells = [row.name]
        for other in standings.rows:
            pair = standings.pair(row.entrant, other.entrant) if other is not row else None
            star = " *" if pair is not None and pair.significant else ""
            cells.append("" if pair is None else f"{_signed(pair.net, pair.half_width)}{star}")
        rows.append(cells)
    return make_table("net difference ± 95 %; * differs at 5 %, all pairs together", ["", *names], rows)


def leak_table(names: Sequence[str], leak: Sequence[LeakRow]) -> Table:
    """Returns the leak audit: each bot on first and on later plays of the same boards."""
    columns = ("bot", "boards", "first net", "later net", "gain ± 95 %")
    rows = [
        (
            names[row.entrant],
            row.boards,
            _signed(row.first),
            _signed(row.later),
            f"{_signed(row.gain, row.half_width)}{' gained' if row.gained else ''}",
        )
        for row in leak
    ]
    return make_table("leak audit: boards met again", columns, rows)


def standings_as_json(standings: Standings) -> dict[str, Any]:
    """Returns the leaderboard and the cross table as plain values."""
    names = {row.entrant: row.name for row in standings.rows}
    return {
        "deals": standings.deal_count,
        "rows": [
            {
                "place": row.place,
                "best_place": row.best_place,
                "worst_place": row.worst_place,
                "bot": row.name,
                "net_per_deal": row.net,
                "half_width_95": row.half_width,
                "points_per_deal": row.points,
                "deals": row.deals,
                "place_shares": list(row.place_shares),
                "queen_share": row.queen_share,
                "moons_for": row.moons_for,
                "moons_against": row.moons_against,
                "forfeits": row.forfeits,
                "median_think_ms": row.median_think_ms,
                "max_think_ms": row.max_think_ms,
                "unreliable": row.unreliable,
            }
            for row in standings.rows
        ],
        "pairs": [
            {
                "bot": names[pair.entrant],
                "opponent": names[pair.opponent],
                "net_difference": pair.net,
                "half_width_95": pair.half_width,
                "significant": pair.significant,
            }
            for pair in standings.pairs()
        ],
    }
