"""What a record keeps of a deal besides the cards: who decided, how long it took, what went wrong.

The engine does not look at any of it; `table` writes it down, `record` reads it.
"""

from dataclasses import dataclass, field

from kiery.cards import Seat
from kiery.terms import ActionCause, SeatCause, SubstitutionScope

__all__ = ["DealNotes", "Substitution"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Substitution:
    """A substitute took a seat over for the rest of a deal or match."""

    seat: Seat
    """The seat held."""
    cause: SeatCause
    """Why."""
    scope: SubstitutionScope
    """For how long."""
    after_plays: int
    """Plays of the deal made before it."""


@dataclass(slots=True, kw_only=True)
class DealNotes:
    """Notes of one deal; times are the bot's own thinking as the server measured it, milliseconds."""

    players: int
    """Seats at the table."""
    pass_causes: list[ActionCause | None] = field(default_factory=list)
    """Who decided each seat's pass; none: it did not pass (yet)."""
    pass_ms: list[int] = field(default_factory=list)
    """Think time of each seat's pass."""
    play_causes: list[ActionCause] = field(default_factory=list)
    """Who decided each play, in play order."""
    play_ms: list[int] = field(default_factory=list)
    """Think time of each play, in play order."""
    has_other_causes: bool = False
    """Whether anything but the bot's own answer decided a play."""
    moon_cause: ActionCause | None = None
    """Who decided the moon choice, if there was one."""
    moon_ms: int = 0
    """Think time of the moon choice."""
    faults: list[int] = field(default_factory=list)
    """Faults of each seat."""
    rejections: list[int] = field(default_factory=list)
    """Rejected answers of each seat."""
    substitutions: list[Substitution] = field(default_factory=list)
    """Seats taken over, in order, those still held from earlier deals first."""

    def __post_init__(self) -> None:
        """Starts every seat at nothing."""
        self.pass_causes = self.pass_causes or [None] * self.players
        self.pass_ms = self.pass_ms or [0] * self.players
        self.faults = self.faults or [0] * self.players
        self.rejections = self.rejections or [0] * self.players

    @property
    def forfeited(self) -> tuple[Seat, ...]:
        """Seats whose deal is forfeited: a substitute kept them to its end, ascending."""
        return tuple(sorted({substitution.seat for substitution in self.substitutions}))
