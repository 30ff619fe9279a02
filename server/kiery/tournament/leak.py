"""The leak audit of shared boards: does a bot do better when it meets a board again?

For each bot and each board, d is the mean of its nets in the later plays minus its net in the first one.
The bot's cards differ between plays, but they are dealt without regard to who comes to hold them, and the
others at the table are the same: a bot that remembers nothing has a d of 0 on average.
Source: docs/fairness.md, "The leak audit".
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from kiery.tournament.results import DealRow
from kiery.tournament.spread import ClusteredMean

__all__ = ["LeakAudit", "LeakRow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakRow:
    """One entrant on first and on later plays of the same boards; forfeited deals are in neither."""

    entrant: int
    """Its index."""
    boards: int
    """Boards that it played first and again."""
    first: float | None
    """Mean net of the first plays, points a deal; none without such a board."""
    later: float | None
    """Mean over boards of its mean net in the later plays; none without such a board."""
    gain: float | None
    """`later` minus `first`; none without such a board."""
    half_width: float | None
    """Half the 95 % interval of the gain, by boards; none with fewer than two."""

    @property
    def gained(self) -> bool:
        """Whether the whole interval is above 0, as if the bot knew the board; by chance 1 in 40 is."""
        return self.gain is not None and self.half_width is not None and self.gain > self.half_width


@dataclass(slots=True)
class _Plays:
    """A bot's nets on one board."""

    first: list[float] = field(default_factory=list)
    later: list[float] = field(default_factory=list)


class LeakAudit:
    """Compares first and later plays as deals are added."""

    def __init__(self, entrants: int, plays_per_board: int) -> None:
        """Starts without deals.

        Args:
            entrants: Ranked entrants, indices 0 … entrants - 1; others are left out.
            plays_per_board: How often each board is played.
        """
        self._entrants = entrants
        self._plays_per_board = plays_per_board
        self._open: dict[str, tuple[int, dict[int, _Plays]]] = {}
        self._firsts = [ClusteredMean() for _ in range(entrants)]
        self._laters = [ClusteredMean() for _ in range(entrants)]
        self._gains = [ClusteredMean() for _ in range(entrants)]

    def add(self, row: DealRow, *, first: bool) -> None:
        """Adds a deal, once.

        Args:
            row: The deal.
            first: Whether it was in the first lap.
        """
        seen, bots = self._open.pop(row.unit, (0, {}))
        mean = sum(row.points) / len(row.points)
        for seat, bot in enumerate(row.seats):
            if bot < self._entrants and seat not in row.forfeited:
                plays = bots.setdefault(bot, _Plays())
                (plays.first if first else plays.later).append(mean - row.points[seat])
        if seen + 1 < self._plays_per_board:
            self._open[row.unit] = seen + 1, bots
        else:
            for bot, plays in bots.items():
                self._close(bot, plays)

    def _close(self, bot: int, plays: _Plays) -> None:
        if plays.first and plays.later:
            first, later = (sum(nets) / len(nets) for nets in (plays.first, plays.later))
            self._firsts[bot].add(first)
            self._laters[bot].add(later)
            self._gains[bot].add(later - first)

    def rows(self) -> Sequence[LeakRow]:
        """Returns what the boards say that have been played to the last lap, by entrant."""
        return [
            LeakRow(
                entrant=bot,
                boards=gain.clusters,
                first=self._firsts[bot].mean,
                later=self._laters[bot].mean,
                gain=gain.mean,
                half_width=gain.half_width,
            )
            for bot, gain in enumerate(self._gains)
        ]
