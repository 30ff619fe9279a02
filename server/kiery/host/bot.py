"""A bot and its seats, as the host knows them."""

from typing import TYPE_CHECKING

from kiery.table import Place

if TYPE_CHECKING:
    from kiery.host.floor import Run
    from kiery.host.session import Session

__all__ = ["Bot", "SeatKey", "Seating"]

SeatKey = tuple[str, int]
"""A match's id and a seat in it: the lasting name of a seating."""


class Seating:
    """A bot in one seat of one running match."""

    __slots__ = ("bot", "entry", "handle", "place", "run", "scheduled", "seat", "session")

    def __init__(self, run: "Run", seat: int, bot: "Bot") -> None:
        """Seats a bot; the handle comes with its session."""
        self.run = run
        self.seat = seat
        self.bot = bot
        self.place: Place = run.table.places[seat]
        self.handle = 0
        """Its number on the current stream."""
        self.session: Session | None = None
        """The stream that holds it."""
        self.scheduled: int | None = None
        self.entry = 0

    @property
    def key(self) -> SeatKey:
        """The lasting name."""
        return self.run.table.match_id, self.seat

    def deadline(self) -> int | None:
        """Returns when its open decision is lost if nothing happens."""
        return self.place.due_at


class Bot:
    """A remote program, known by its token."""

    def __init__(self, bot_id: str, name: str) -> None:
        """Starts away, without seats.

        Args:
            bot_id: The token's identity.
            name: What the organiser calls it.
        """
        self.id = bot_id
        self.name = name
        self.version = ""
        """What its last hello said."""
        self.session: Session | None = None
        """Its live stream."""
        self.was_here = False
        """Whether it has connected since its process was started, or at all."""
        self.seatings: dict[SeatKey, Seating] = {}
        """Its seats in matches that have not ended for it."""
        self.ended: dict[SeatKey, Seating] = {}
        """Seats whose match ended while it was away."""
        self.max_tables = 0
        """Tables that it takes at a time."""
        self.secret_hash: bytes | None = None
        """The hash of its newest session's resume secret."""
        self.gone = False
        """Whether it is known never to come back: its process has ended for good."""
        self.dropped = 0
        """Answers that named no seat of its stream."""

    @property
    def room(self) -> int:
        """How many more tables it takes now."""
        return max(0, self.max_tables - len(self.seatings)) if self.session is not None else 0
