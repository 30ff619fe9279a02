"""Points and nets by seat and by pass direction: what should be equal, and what a bot is better at."""

from dataclasses import dataclass
from typing import Final

from kiery.rules import Rules
from kiery.tournament import DealRow
from kiery.tournament.spread import ClusteredMean

__all__ = ["Breakdown", "direction_of"]


def direction_of(rules: Rules, board_number: int) -> str:
    """Returns the pass direction of a board, such as `left`."""
    return rules.pass_cycle[(board_number - 1) % len(rules.pass_cycle)].value


@dataclass(frozen=True, slots=True, kw_only=True)
class _Play:
    """What is kept of a deal until its board has been played for the last time."""

    seats: tuple[int, ...]
    points: tuple[int, ...]
    forfeited: frozenset[int]


class Breakdown:
    """Means by seat and by direction. Clusters are boards, since plays of one board are not independent."""

    def __init__(self, rules: Rules, *, bots: int, plays_per_board: int) -> None:
        """Starts without deals.

        Args:
            rules: What is played.
            bots: Entrants and house bots.
            plays_per_board: How often each board is played.
        """
        seats = rules.num_players
        self.directions: Final = tuple(dict.fromkeys(direction.value for direction in rules.pass_cycle))
        """In the order of the cycle, each once."""
        self.seat_points: Final = [ClusteredMean() for _ in range(seats)]
        """Points a deal by seat, whoever sat there."""
        self.direction_points: Final = {
            direction: [ClusteredMean() for _ in range(seats)] for direction in self.directions
        }
        """Points a deal by direction and seat."""
        self.seat_nets: Final = [[ClusteredMean() for _ in range(seats)] for _ in range(bots)]
        """Net a deal by bot and seat, forfeited deals left out."""
        self.direction_nets: Final = [
            {direction: ClusteredMean() for direction in self.directions} for _ in range(bots)
        ]
        """Net a deal by bot and direction, forfeited deals left out."""
        self._rules = rules
        self._plays_per_board = plays_per_board
        self._open: dict[str, tuple[str, list[_Play]]] = {}

    def add(self, row: DealRow, board_number: int) -> None:
        """Adds a deal, once."""
        direction = direction_of(self._rules, board_number)
        _, plays = self._open.setdefault(row.unit, (direction, []))
        plays.append(_Play(seats=row.seats, points=row.points, forfeited=row.forfeited))
        if len(plays) == self._plays_per_board:
            self._close(*self._open.pop(row.unit))

    def close(self) -> None:
        """Counts the boards that are not played to the last lap as far as they are."""
        for direction, plays in self._open.values():
            self._close(direction, plays)
        self._open.clear()

    def _close(self, direction: str, plays: list[_Play]) -> None:
        by_bot: dict[int, list[float]] = {}
        by_seat: dict[tuple[int, int], list[float]] = {}
        for seat, points in enumerate(zip(*(play.points for play in plays), strict=True)):
            self.seat_points[seat].add(sum(points), len(points))
            self.direction_points[direction][seat].add(sum(points), len(points))
        for play in plays:
            mean = sum(play.points) / len(play.points)
            for seat, bot in enumerate(play.seats):
                if seat not in play.forfeited:
                    net = mean - play.points[seat]
                    by_bot.setdefault(bot, []).append(net)
                    by_seat.setdefault((bot, seat), []).append(net)
        for bot, nets in by_bot.items():
            self.direction_nets[bot][direction].add(sum(nets), len(nets))
        for (bot, seat), nets in by_seat.items():
            self.seat_nets[bot][seat].add(sum(nets), len(nets))
