"""The events of one deal in order, each in every seat's own projection.

Plays are not stored twice: they stay in the deal's own columns, and the log holds the rare events
with their sequence numbers. A sequence number is a pure function of the match.
"""

from dataclasses import dataclass

from kiery.cards import Seat
from kiery.engine.deal import Deal
from kiery.view import (
    CardsExchanged,
    DealScored,
    DealStarted,
    KittyTaken,
    MatchEnded,
    MoonShot,
    SeatSubstituted,
)

__all__ = ["DealLog", "Event", "RareEvent"]

Event = DealStarted | CardsExchanged | SeatSubstituted | KittyTaken | MoonShot | DealScored | MatchEnded
"""Anything in a match that is not the play of a card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RareEvent:
    """One event and where it stands."""

    sequence: int
    """Its number in the match, from 1."""
    views: tuple[Event, ...]
    """What each seat is told."""


class DealLog:
    """The events of one deal."""

    __slots__ = ("base", "deal", "rare")

    def __init__(self, deal: Deal, base: int) -> None:
        """Starts the log of a deal.

        Args:
            deal: Where the plays are.
            base: The sequence of the last event before the deal.
        """
        self.deal = deal
        self.base = base
        self.rare: list[RareEvent] = []
        """In order."""

    @property
    def sequence(self) -> int:
        """The sequence of the last event so far."""
        return self.base + len(self.deal.cards) + len(self.rare)

    def add(self, *views: Event) -> None:
        """Appends an event: one view for each seat, or one that all seats share."""
        if len(views) == 1:
            views *= self.deal.rules.num_players
        self.rare.append(RareEvent(sequence=self.sequence + 1, views=views))

    def cursor_at(self, sequence: int) -> tuple[int, int]:
        """Returns how many plays and how many rare events lie at or before a sequence, in this deal."""
        rare = sum(event.sequence <= sequence for event in self.rare)
        plays = max(0, min(sequence, self.sequence) - self.base - rare)
        return plays, rare

    def view_of(self, seat: Seat, first: int) -> list[Event]:
        """Returns a seat's view of the rare events from an index on."""
        return [event.views[seat] for event in self.rare[first:]]
