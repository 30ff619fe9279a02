"""Standings as people and programs see them."""

from typing import Any

from rich.table import Table

from kiery.cli.console import make_table
from kiery.tournament import Standings, StandingsRow

__all__ = ["standings_as_json", "standings_table"]


def _net(row: StandingsRow) -> str:
    if row.net is None:
        return "-"
    return f"{row.net:+.2f}" if row.half_width is None else f"{row.net:+.2f} ± {row.half_width:.2f}"


def _place(row: StandingsRow) -> str:
    if row.net is None:
        return "-"
    span = "" if row.best_place == row.worst_place else f" ({row.best_place}-{row.worst_place})"
    return f"{row.place}{span}"


def standings_table(standings: Standings, title: str = "") -> Table:
    """Returns the leaderboard: the interval first, everything else behind it."""
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
        "forfeits",
        "think ms",
    )
    rows = [
        (
            _place(row),
            row.name,
            _net(row),
            "-" if row.points is None else f"{row.points:.2f}",
            row.deals,
            *(f"{share:.0%}" for share in row.place_shares or (0.0,) * seats),
            f"{row.queen_share:.0%}",
            f"{row.moons_for}/{row.moons_against}",
            f"{row.forfeits}{' unreliable' if row.unreliable else ''}",
            "-" if row.median_think_ms is None else f"{row.median_think_ms:.0f} (max {row.max_think_ms})",
        )
        for row in standings.rows
    ]
    return make_table(title, columns, rows)


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
