"""What a seat is told at once: everything since its last update, then its decision if it has one.

Order within an update: plays and rare events by kind, closed decisions, rejections, the snapshot,
the decision (docs/protocol.md). Not frozen: one is made for every decision and handed to `wire`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from kiery.terms import ActionCause, CloseCause
from kiery.view.decision import Decision, Illegality
from kiery.view.events import (
    CardsExchanged,
    DealScored,
    DealStarted,
    KittyTaken,
    MatchEnded,
    MatchStarted,
    MoonShot,
    SeatSubstituted,
)
from kiery.view.observation import Observation

__all__ = ["DecisionClosed", "News", "Rejection", "Update"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionClosed:
    """A decision ended without an accepted answer."""

    decision_id: int
    """Which one."""
    cause: CloseCause
    """Why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """An answer was not taken."""

    decision_id: int
    """The decision that was answered."""
    illegality: Illegality
    """Why not."""
    retries_left: int
    """Further tries at the decision that follows under the next id."""
    fault: bool
    """Whether it counted as a fault."""


@dataclass(slots=True, kw_only=True)
class News:
    """All that does not happen with every card."""

    match_started: MatchStarted | None = None
    """The seat is announced."""
    deal_started: DealStarted | None = None
    """A deal began."""
    cards_exchanged: CardsExchanged | None = None
    """The passes were exchanged."""
    substitutions: list[SeatSubstituted] = field(default_factory=list)
    """Seats that a substitute keeps from now on."""
    kitty_taken: KittyTaken | None = None
    """Somebody took the kitty."""
    moon_shot: MoonShot | None = None
    """Somebody shot the moon."""
    deal_scored: DealScored | None = None
    """The deal is complete."""
    match_ended: MatchEnded | None = None
    """The match is over."""
    closed: list[DecisionClosed] = field(default_factory=list)
    """Decisions of this seat that ended without an accepted answer."""
    rejections: list[Rejection] = field(default_factory=list)
    """Answers of this seat that were not taken."""
    pass_accepted: bool = False
    """The seat's own pass stands."""
    faults: int = 0
    """The seat's faults in this deal so far; 0 also where nothing changed."""


@dataclass(slots=True, kw_only=True)
class Update:
    """One seat's news of one table."""

    sequence: int
    """The last event covered."""
    seats: bytes = b""
    """Seats of the plays, in order."""
    cards: bytes = b""
    """Card numbers of the plays."""
    winners: bytes = b""
    """Winners of the tricks that these plays complete."""
    own_causes: Sequence[ActionCause] = ()
    """One for each of the seat's own plays among these; empty when all were answered."""
    decision_id: int = 0
    """The open decision, from 1; 0: none."""
    decision: Decision | None = None
    """What is asked."""
    time_ms: int = 0
    """The decision's limit before the bank, milliseconds; 0: no limit but the ceiling."""
    bank_ms: int = 0
    """The bank, milliseconds."""
    news: News | None = None
    """Anything rare."""
    observation: Observation | None = None
    """The state after all events of this update."""
