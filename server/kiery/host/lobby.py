"""Who is here: bots by token, their one live session, their seats, and the handles of these.

A bot is known by its token, never by what it calls itself. The latest hello wins: it takes the seats
over, and nothing that is read from the older stream afterwards counts.
"""

import hashlib
import hmac
import logging
import secrets
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from kiery.host.bot import Bot, Seating
from kiery.host.clock import Clock
from kiery.host.session import Refusal, RefusalReason, Session
from kiery.terms import Delivery, Limits, Snapshots
from kiery.v1 import play_pb2

if TYPE_CHECKING:
    from kiery.host.floor import Floor

__all__ = ["Lobby"]

logger = logging.getLogger(__name__)

_SECRET_BYTES: Final = 16
_FIRST_HANDLES: Final = 1 << 20
_KEPT_ENDED: Final = 64
"""Ended matches kept for a bot that was away, so that it can be told their end."""


class Lobby:
    """All bots of a server."""

    def __init__(self, floor: "Floor", clock: Clock, limits: Limits, name: str) -> None:
        """Starts empty.

        Args:
            floor: Where tables are played.
            clock: The monotonic clock.
            limits: What a peer may send and hold.
            name: The server's name and version, told in `Welcome`.
        """
        self.floor = floor
        self.name = name
        self.limits = limits
        self.changed: Callable[[], None] = _nothing
        """Called when a bot comes, goes or takes more tables."""
        self.sessions: set[Session] = set()
        """Every open stream, greeted or not."""
        self._clock = clock
        self._bots: dict[str, Bot] = {}
        # Old handles must not be mistaken for new ones after a restart.
        self._next_handle = secrets.randbelow(_FIRST_HANDLES) + 1

    def bot(self, bot_id: str, name: str) -> Bot:
        """Returns the bot of a token, made at its first mention."""
        bot = self._bots.get(bot_id)
        if bot is None:
            bot = self._bots[bot_id] = Bot(bot_id, name)
        return bot

    @property
    def bots(self) -> Mapping[str, Bot]:
        """Every bot that was mentioned, by its token's identity."""
        return self._bots

    def open_session(self, bot: Bot) -> Session:
        """Returns a session for a new stream of a bot."""
        session = Session(self, bot, self.limits, self._clock)
        self.sessions.add(session)
        return session

    def hold(self, seating: Seating, session: Session, position: int | None = None) -> None:
        """Gives a seat to a session under a new handle; it will be announced there."""
        seating.handle = self._next_handle
        self._next_handle += 1
        seating.session = session
        session.handles[seating.handle] = seating
        self.floor.connect(
            seating,
            position=position,
            immediate=session.delivery is Delivery.IMMEDIATE,
            every_decision=session.snapshots is Snapshots.EVERY_DECISION,
        )

    def greet(self, session: Session, hello: play_pb2.Hello) -> None:
        """Makes a session the live one of its bot, and hands it the bot's seats."""
        bot = session.bot
        secret = hello.resume_secret
        if secret and bot.secret_hash is not None and not _matches(secret, bot.secret_hash):
            message = "a newer session of this token exists"
            session.close(Refusal(reason=RefusalReason.SESSION_STALE, message=message))
            return
        if bot.session is not None:
            message = "a newer stream has taken this token's seats over"
            bot.session.close(Refusal(reason=RefusalReason.SESSION_REPLACED, message=message))
            self._release(bot.session)
        new_secret = secrets.token_bytes(_SECRET_BYTES)
        bot.secret_hash = hashlib.sha256(new_secret).digest()
        bot.session = session
        bot.was_here = True
        bot.version = hello.version
        bot.max_tables = hello.max_tables or self.limits.default_tables
        positions = {(each.match_id, each.seat): each.sequence for each in hello.positions}
        ended = [seating for key, seating in bot.ended.items() if key in positions]
        bot.ended.clear()
        live = list(bot.seatings.values())
        session.welcome(new_secret, bot.max_tables, len(live) + len(ended))
        for seating in (*live, *ended):
            self.hold(seating, session, positions.get(seating.key))
        logger.info("connected", extra={"bot": bot.name, "session": session.id, "resumed": len(live)})
        self.changed()

    def set_capacity(self, bot: Bot, max_tables: int) -> None:
        """Changes how many tables a bot takes; 0 drains."""
        bot.max_tables = min(max_tables, self.limits.max_tables)
        self.changed()

    def count_dropped(self, bot: Bot) -> None:
        """Counts an answer that names no seat of its stream."""
        bot.dropped += 1

    def farewell(self, session: Session, *, resign: bool) -> None:
        """Takes a bot's goodbye: the substitute takes its seats, and the stream ends in peace."""
        for seating in list(session.handles.values()):
            self.floor.leave(seating, resign=resign)
        session.close(Refusal(reason=RefusalReason.FAREWELL, message="goodbye"))

    def lost(self, session: Session) -> None:
        """Notes that a stream has ended, however it did."""
        self.sessions.discard(session)
        bot = session.bot
        self._release(session)
        if bot.session is session:
            bot.session = None
            logger.info("disconnected", extra={"bot": bot.name, "session": session.id})
            self.changed()

    def _release(self, session: Session) -> None:
        for seating in list(session.handles.values()):
            session.forget(seating)
            seating.session = None
            self.floor.disconnect(seating)

    def give_up(self, bot: Bot) -> None:
        """Treats a bot as gone for good: its seats are not waited for any longer."""
        bot.gone = True
        for seating in list(bot.seatings.values()):
            self.floor.abandon(seating)
        self.changed()

    def shut_down(self) -> None:
        """Tells every bot that the server goes down, and ends every stream."""
        for session in list(self.sessions):
            session.close(Refusal(reason=RefusalReason.SHUTDOWN, message="the server goes down"))

    def keep_ended(self, seating: Seating) -> None:
        """Keeps the end of a match for a bot that is away."""
        ended = seating.bot.ended
        ended[seating.key] = seating
        while len(ended) > _KEPT_ENDED:
            del ended[next(iter(ended))]

    def tick(self) -> None:
        """Looks after every stream; called about once a second."""
        now = self._clock.now()
        for session in list(self.sessions):
            session.tick(now)


def _matches(secret: bytes, secret_hash: bytes) -> bool:
    return hmac.compare_digest(hashlib.sha256(secret).digest(), secret_hash)


def _nothing() -> None:
    """Is called when nobody listens."""
