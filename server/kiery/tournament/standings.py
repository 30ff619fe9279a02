"""Standings: places, rank ranges and all columns of the leaderboard that need no par.

Source: docs/fairness.md, "Standings" and "Forfeits". What is not here: names of versions and owners,
and how standings are shown or sent.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kiery.tournament.fit import Fit, fit
from kiery.tournament.student import student_quantile, student_tail
from kiery.tournament.tally import Columns, Tally

__all__ = ["CONFIDENCE", "Standings", "StandingsPair", "StandingsRow", "compute_standings"]

CONFIDENCE: Final = 0.95
"""Of every interval; tests are at 5 % over all pairs together."""

_UNRELIABLE: Final = 0.05
"""Share of forfeited deals from which on a bot is called unreliable."""

_FEW_UNITS: Final = 12
"""A bot with fewer units is judged by their number alone: the variance of a few is known badly."""

_TIE_DECIMALS: Final = 4
_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingsRow:
    """The standing of one entrant. Points are a deal's, low is good; net is high is good."""

    entrant: int
    """Its index."""
    name: str
    """Its name."""
    place: int
    """From 1; equal for those who share it."""
    best_place: int
    """The best place that the results do not contradict."""
    worst_place: int
    """The worst place that the results do not contradict."""
    net: float | None
    """Estimated net points a deal against this field, forfeited deals as charged; none before a result."""
    half_width: float | None
    """Half the 95 % interval of `net`; none while too little is known."""
    points: float | None
    """Mean points a deal, forfeited deals as charged; none before a result."""
    deals: int
    """Deals, forfeited ones included."""
    place_shares: tuple[float, ...]
    """Shares of deals in place 1, 2, …; a tie counts for the best place shared. Empty before a result."""
    queen_share: float
    """Share of the deals not forfeited in which it took a queen of spades, 0 to 1."""
    moons_for: int
    """Moons that it shot."""
    moons_against: int
    """Moons that others shot at its tables."""
    forfeits: int
    """Deals forfeited."""
    median_think_ms: float | None
    """Median time of its answers, milliseconds; none before the first."""
    max_think_ms: int | None
    """Longest time of an answer, milliseconds; none before the first."""
    winner_group: bool
    """Whether these results cannot tell it from a leader."""
    unreliable: bool
    """Whether it forfeited 5 % of its deals or more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingsPair:
    """One entrant against another."""

    entrant: int
    """The one's index."""
    opponent: int
    """The other's."""
    net: float
    """Net of the one minus that of the other, points a deal."""
    half_width: float | None
    """Half its 95 % interval; none while too little is known."""
    significant: bool
    """Whether they differ at 5 %, corrected for the number of pairs (Holm)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Standings:
    """The standings after some of the deals."""

    rows: tuple[StandingsRow, ...]
    """By place, those of equal place by name; ranked entrants only."""
    deal_count: int
    """Deals they rest on."""
    unit_count: int
    """Units of the statistics."""
    differences: _Floats
    """Net of row minus net of column, by entrant; NaN where the two cannot be compared."""
    half_widths: _Floats
    """Half the 95 % intervals of the differences; NaN where none can be given."""
    significant: NDArray[np.bool_]
    """Whether two differ, by entrant."""
    met: NDArray[np.bool_]
    """Whether two sat at one table in a deal that neither forfeited."""

    def pair(self, entrant: int, opponent: int) -> StandingsPair | None:
        """Returns the comparison of two; none if they never met, or cannot be compared."""
        difference = float(self.differences[entrant, opponent])
        if not self.met[entrant, opponent] or np.isnan(difference):
            return None
        width = float(self.half_widths[entrant, opponent])
        return StandingsPair(
            entrant=entrant,
            opponent=opponent,
            net=difference,
            half_width=None if np.isnan(width) else width,
            significant=bool(self.significant[entrant, opponent]),
        )

    def pairs(self) -> Iterator[StandingsPair]:
        """Yields the cross table in the order of the rows; pairs that never met are left out."""
        order = [row.entrant for row in self.rows]
        for entrant in order:
            for opponent in order:
                pair = self.pair(entrant, opponent) if entrant != opponent else None
                if pair is not None:
                    yield pair


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Estimate:
    """Nets as printed, of the ranked entrants, and how well they are known."""

    nets: _Floats
    """NaN without data."""
    widths: _Floats
    """NaN where no interval can be given."""
    differences: _Floats
    pair_widths: _Floats
    significant: NDArray[np.bool_]


def compute_standings(tally: Tally, names: Sequence[str]) -> Standings:
    """Returns the standings of all that was tallied.

    Args:
        tally: The sums.
        names: Of the ranked entrants, by index; they order those who share a place.
    """
    ranked = tally.entrants
    result = fit(list(tally.patterns.values()), tally.substitute + 1, ranked)
    shown = [entrant for entrant in range(ranked) if entrant not in tally.hidden]
    estimate = _estimate(result, tally.columns[:ranked], tally.hidden)
    keys = _order_keys(tally, estimate.nets)
    better = estimate.significant & (estimate.differences < 0)  # column is better than row
    places = [1 + sum(keys[other] < key for other in shown) for key in keys]
    leaders = np.array([places[entrant] == 1 and entrant in shown for entrant in range(ranked)])
    rows = [
        _row(
            tally.columns[entrant],
            entrant=entrant,
            name=names[entrant],
            place=places[entrant],
            best=1 + int(better[entrant].sum()),
            worst=len(shown) - int(better[:, entrant].sum()),
            net=_some(estimate.nets[entrant]),
            half_width=_some(estimate.widths[entrant]),
            winner_group=not (better[entrant] & leaders).any(),
        )
        for entrant in shown
    ]
    return Standings(
        rows=tuple(sorted(rows, key=lambda row: (row.place, row.name))),
        deal_count=tally.deal_count,
        unit_count=result.unit_count,
        differences=estimate.differences,
        half_widths=estimate.pair_widths,
        significant=estimate.significant,
        met=tally.pair_deals[:ranked, :ranked] > 0,
    )


def _some(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _estimate(result: Fit, columns: Sequence[Columns], hidden: Collection[int]) -> _Estimate:
    """Applies the charges for forfeits, and finds intervals and significant pairs of those not hidden."""
    ranked = len(columns)
    deals = np.array([entry.deals for entry in columns], dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        honest = np.array([entry.honest for entry in columns]) / deals
        charged = np.array([entry.excess for entry in columns]) / deals
    nets = honest * result.theta[:ranked] - charged
    covariance = honest[:, None] * honest[None, :] * result.covariance[:ranked, :ranked]
    variance = np.diagonal(covariance)
    field = result.field[:ranked]
    units = result.units[:ranked]
    alone = np.where(units < _FEW_UNITS, np.minimum(units - 1, result.freedom), result.freedom)
    comparable = (field[:, None] == field[None, :]) & (field >= 0)[:, None]
    np.fill_diagonal(comparable, val=False)
    comparable[list(hidden)] = comparable[:, list(hidden)] = False
    connected = len(set(field[field >= 0].tolist())) == 1

    widths = np.full(ranked, np.nan)
    for entrant in np.flatnonzero((alone > 0) & (field >= 0)):
        if connected and ranked > 1:
            widths[entrant] = _half_width(float(variance[entrant]), int(alone[entrant]))
    differences = np.where(comparable, nets[:, None] - nets[None, :], np.nan)
    spread = np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 0.0)
    freedom = np.minimum(alone[:, None], alone[None, :])
    known = comparable & (freedom > 0)
    pair_widths = np.full((ranked, ranked), np.nan)
    tails: list[tuple[float, int, int]] = []
    for one, other in np.argwhere(np.triu(known)).tolist():
        degrees, error = int(freedom[one, other]), sqrt(spread[one, other])
        pair_widths[one, other] = pair_widths[other, one] = _half_width(spread[one, other], degrees)
        difference = float(differences[one, other])
        statistic = difference / error if error else inf if difference else 0.0
        tails.append((student_tail(statistic, degrees), one, other))
    return _Estimate(
        nets=nets,
        widths=widths,
        differences=differences,
        pair_widths=pair_widths,
        significant=_holm(tails, ranked, ranked - len(hidden)),
    )


def _half_width(variance: float, freedom: int) -> float:
    return student_quantile((1 + CONFIDENCE) / 2, freedom) * sqrt(max(variance, 0.0))


def _holm(tails: list[tuple[float, int, int]], ranked: int, shown: int) -> NDArray[np.bool_]:
    """Returns which pairs differ; pairs without a test count as tested and not different."""
    significant = np.zeros((ranked, ranked), dtype=np.bool_)
    left = shown * (shown - 1) // 2
    for tail, one, other in sorted(tails):
        if tail > (1 - CONFIDENCE) / left:
            break
        significant[one, other] = significant[other, one] = True
        left -= 1
    return significant


def _order_keys(tally: Tally, nets: _Floats) -> list[tuple[float, float, int, int]]:
    """Returns by entrant what places go by, the smaller the better: the tie-breaks in their order."""
    rounded = [inf if np.isnan(net) else -round(float(net), _TIE_DECIMALS) for net in nets]
    tied: dict[float, list[int]] = {}
    for entrant, key in enumerate(rounded):
        tied.setdefault(key, []).append(entrant)
    keys = []
    for entrant, key in enumerate(rounded):
        columns = tally.columns[entrant]
        mutual = _mutual_net(tally, entrant, tied[key])
        keys.append((key, -mutual, columns.forfeits, -columns.places[0]))
    return keys


def _mutual_net(tally: Tally, entrant: int, tied: Sequence[int]) -> float:
    """Returns the mean net in deals with others of the tied, weighted by how many of them sat.

    It decides nothing, and is 0 for all, if one of them met none of the others.
    """
    group = np.array(tied)
    if len(group) < 2 or not tally.pair_deals[np.ix_(group, group)].sum(axis=1).all():
        return 0.0
    mean = tally.pair_nets[entrant, group].sum() / tally.pair_deals[entrant, group].sum()
    return round(float(mean), _TIE_DECIMALS)


def _row(
    columns: Columns,
    *,
    entrant: int,
    name: str,
    place: int,
    best: int,
    worst: int,
    net: float | None,
    half_width: float | None,
    winner_group: bool,
) -> StandingsRow:
    deals = columns.deals
    return StandingsRow(
        entrant=entrant,
        name=name,
        place=place,
        best_place=best,
        worst_place=worst,
        net=net,
        half_width=half_width,
        points=columns.points / deals if deals else None,
        deals=deals,
        place_shares=tuple(count / deals for count in columns.places) if deals else (),
        queen_share=columns.queens / columns.honest if columns.honest else 0.0,
        moons_for=columns.moons_for,
        moons_against=columns.moons_against,
        forfeits=columns.forfeits,
        median_think_ms=_median(columns.think_ms),
        max_think_ms=max(columns.think_ms, default=None),
        winner_group=winner_group,
        unreliable=bool(deals) and columns.forfeits >= _UNRELIABLE * deals,
    )


def _median(times: Counter[int]) -> float | None:
    """Returns the median of counted values, the mean of the middle two if there are two."""
    count = times.total()
    if not count:
        return None
    middle: list[int] = []
    seen = 0
    for value in sorted(times):
        seen += times[value]
        while len(middle) < 2 and seen > (count - 1 + len(middle)) // 2:
            middle.append(value)
    return sum(middle) / 2
