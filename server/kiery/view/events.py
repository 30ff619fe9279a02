"""The rare events of a match, as one seat may know them.

A card played is no value here but a byte in an `Update`.
Sequence numbers count these and the plays; `MatchStarted` is no event and stands before sequence 1.
"""

from dataclasses import dataclass

from kiery.cards import CardMask, Seat
from kiery.rules import MoonChoice, Rules
from kiery.terms import FaultPolicy, ForcedActions, MatchCause, SeatCause, SubstitutionScope, TimeControl

__all__ = [
    "CardsExchanged",
    "DealScored",
    "DealStarted",
    "KittyTaken",
    "MatchEnded",
    "MatchStarted",
    "MoonShot",
    "SeatSubstituted",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStarted:
    """Announces a seat at a table: all that holds for the whole match."""

    match_id: str
    """The lasting name of the match, at most 16 ASCII characters."""
    seat: Seat
    """The seat announced."""
    names: tuple[str, ...]
    """Entrants by seat."""
    rules: Rules
    """What is played."""
    deal_limit: int
    """The fixed number of deals; 0: to the target of the rules."""
    time_control: TimeControl
    """The clocks."""
    fault_policy: FaultPolicy
    """What a fault costs."""
    forced_actions: ForcedActions
    """Who plays a single legal card."""
    tournament_id: str
    """The tournament's name; empty outside one."""
    commitment: bytes
    """The commitment C to the secret of the deals, 32 bytes; empty if none is in force."""
    after: int
    """The sequence after which events follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DealStarted:
    """A deal begins."""

    deal_number: int
    """From 1 in the match."""
    dealer: Seat
    """The seat that deals."""
    hand: CardMask
    """The seat's own cards, as dealt."""
    pass_offset: int
    """Seats clockwise that cards are passed; 0: nobody passes."""
    key_hash: bytes
    """The hash of the board's key, 32 bytes; empty where boards are shared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsExchanged:
    """All seats have passed."""

    passed: CardMask
    """What the seat itself gave away."""
    received: CardMask
    """What it was given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KittyTaken:
    """A seat took the kitty with its trick; the cards are public from now on."""

    seat: Seat
    """The taker."""
    cards: CardMask
    """The kitty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoonShot:
    """A seat took every penalty card, and how that is awarded."""

    seat: Seat
    """The shooter."""
    choice: MoonChoice
    """What was chosen, or what the rules leave no choice about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatSubstituted:
    """A substitute keeps a seat from now on."""

    seat: Seat
    """The seat held."""
    cause: SeatCause | None
    """Why; none unless it is the viewer's own seat."""
    scope: SubstitutionScope
    """For how long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DealScored:
    """A deal is complete."""

    points: tuple[int, ...]
    """Points awarded, by seat."""
    scores: tuple[int, ...]
    """Totals after the deal, by seat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded:
    """The match is over."""

    cause: MatchCause
    """How it ended."""
    placements: tuple[int, ...]
    """Places by seat, 1 the best, ties shared; empty unless completed."""
    scores: tuple[int, ...]
    """Final totals by seat."""
    seat_causes: tuple[SeatCause, ...]
    """How each seat's part ended."""
    digest: bytes
    """The digest of the record, 32 bytes; empty unless completed."""
