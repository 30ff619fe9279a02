"""Badges of a ladder: a familiar number beside the standings, and never in their place.

Plackett–Luce ratings (openskill) by the places of each set, computed anew from the records in the order of
the fixtures. They depend on that order and throw away margins, so they rank nobody. Source:
docs/fairness.md, "Formats".
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from kiery.tournament.results import DealRow

__all__ = ["Badge", "badges"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """A bot's rating; everybody begins at 25 ± 8.33."""

    mu: float
    """The mean of what is believed of its strength."""
    sigma: float
    """The standard deviation of that."""

    @property
    def ordinal(self) -> float:
        """What it is worth at least, as badges are shown: mu - 3 sigma."""
        return self.mu - 3 * self.sigma


def badges(rows: Iterable[DealRow], bots: int, set_size: int) -> list[Badge]:
    """Returns the badge of each bot by index.

    Args:
        rows: Valid deals in the order of their fixtures; sets of which fixtures are missing count nothing.
        bots: How many.
        set_size: Fixtures of a set.
    """
    # Only ladders need it, and importing it takes as long as all the rest.
    from openskill.models import PlackettLuce  # noqa: PLC0415

    model = PlackettLuce()
    ratings = [model.rating() for _ in range(bots)]
    points: defaultdict[int, defaultdict[int, float]] = defaultdict(lambda: defaultdict(float))
    fixtures: defaultdict[int, set[int]] = defaultdict(set)
    for row in rows:
        fixtures[row.set_index].add(row.fixture)
        for seat, bot in enumerate(row.seats):
            points[row.set_index][bot] += row.charge(seat)
    for number in sorted(points):
        if len(fixtures[number]) < set_size:
            continue
        table = sorted(points[number])
        teams = model.rate([[ratings[bot]] for bot in table], ranks=[points[number][bot] for bot in table])
        for bot, (rating,) in zip(table, teams, strict=True):
            ratings[bot] = rating
    return [Badge(mu=rating.mu, sigma=rating.sigma) for rating in ratings]
