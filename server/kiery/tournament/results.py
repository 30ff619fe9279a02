"""Results of deals: what standings are made of.

What is not here: how a row is read from a match record (`record`), and sums over rows (`tally`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["DealRow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DealRow:
    """One deal that counts: of a valid attempt at a fixture. Tuples by seat have n entries."""

    fixture: int
    """The fixture's index."""
    set_index: int
    """The fixture's set."""
    unit: str
    """The board's label: deals with the same one share their cards, and are one unit of the statistics."""
    seats: tuple[int, ...]
    """The entrant in each seat, as its index in `TournamentSpec.seated_entrants`."""
    points: tuple[int, ...]
    """Points awarded to each seat in this deal, the moon and all bonuses included."""
    pack_points: int
    """Penalty points in the pack, `Rules.pack_points`: a forfeit is charged half of them at least."""
    forfeited: frozenset[int] = frozenset()
    """Seats that a substitute kept to the end of the deal."""
    shooter: int | None = None
    """The seat that shot the moon."""
    queen_seats: frozenset[int] = frozenset()
    """Seats that took a queen of spades."""
    think_ms: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """By seat, the time of each of the bot's own answers, milliseconds; none where not recorded."""

    def charge(self, seat: int) -> float:
        """Returns the points that a seat is charged: its own, or for a forfeit half the pack's at least."""
        points = self.points[seat]
        return max(points, self.pack_points / 2) if seat in self.forfeited else points

    def place(self, seat: int) -> int:
        """Returns a seat's place in the deal, from 1; ties share the better, a forfeit counts as charged."""
        own = self.charge(seat)
        return 1 + sum(points < own for other, points in enumerate(self.points) if other != seat)
