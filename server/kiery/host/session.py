"""One stream of one bot: bytes in, bytes out, and what lies between.

A session knows no gRPC. `transport` feeds it what it reads with `receive`, writes what `next_message`
returns, and ends the stream with the reason in `closed`. Reading never waits for writing: what is to
be told is marked, and built when the previous write has completed.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final

from google.protobuf.message import DecodeError

from kiery.host.bucket import Bucket
from kiery.host.clock import Clock
from kiery.table import take_turn
from kiery.terms import Delivery, Limits, Snapshots
from kiery.v1 import play_pb2, terms_pb2
from kiery.view import DecisionKind
from kiery.wire import action_from_message, fill_turn, fill_update

if TYPE_CHECKING:
    from google.protobuf.internal.containers import RepeatedCompositeFieldContainer

    from kiery.host.bot import Bot, Seating
    from kiery.host.lobby import Lobby

__all__ = ["REVISION", "Refusal", "RefusalReason", "Session"]

logger = logging.getLogger(__name__)

REVISION: Final = 1
"""The one revision of the protocol that this server speaks."""

_MS: Final = 1_000_000
_TEXT: Final = 64
_UPDATE_BYTES: Final = 128
"""More than an ordinary update takes; what carries news is measured."""


class RefusalReason(Enum):
    """Why a stream is refused or ended by the server; the value travels as `kiery-reason`."""

    TOKEN = "TOKEN"  # noqa: S105  (a reason, no secret)
    ROLE = "ROLE"
    REVISION = "REVISION"
    HELLO_EXPECTED = "HELLO_EXPECTED"
    HELLO_INVALID = "HELLO_INVALID"
    SESSION_REPLACED = "SESSION_REPLACED"
    SESSION_STALE = "SESSION_STALE"
    STRIKES = "STRIKES"
    WRITE_TIMEOUT = "WRITE_TIMEOUT"
    HEARTBEAT_TIMEOUT = "HEARTBEAT_TIMEOUT"
    HALF_CLOSED = "HALF_CLOSED"
    SHUTDOWN = "SHUTDOWN"
    FULL = "FULL"
    FAREWELL = "FAREWELL"
    """No refusal: the bot left."""
    INTERNAL = "INTERNAL"
    """A fault of the server; the log has it under the session's id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """How the server ends a stream."""

    reason: RefusalReason
    """For programs."""
    message: str
    """For people."""
    metadata: tuple[tuple[str, str], ...] = field(default=())
    """Further trailing metadata."""


class Session:
    """The conversation with one bot on one stream."""

    def __init__(self, lobby: "Lobby", bot: "Bot", limits: Limits, clock: Clock) -> None:
        """Opens a session that waits for its hello."""
        self.id = secrets.token_hex(8)
        """A name for logs."""
        self.bot = bot
        self.greeted = False
        """Whether a hello was accepted."""
        self.closed: Refusal | None = None
        """Set once the stream has to end."""
        self.hung_up = False
        """Whether the peer has half-closed, or is gone."""
        self.interrupt: Callable[[], object] | None = None
        """Breaks off a write that may never complete; set by the transport."""
        self.delivery = Delivery.COALESCED
        self.snapshots = Snapshots.ON_RESUME
        self.handles: dict[int, Seating] = {}
        """The bot's seats by their handle on this stream."""
        self.opened_at = clock.now()
        self.sent_at = self.opened_at
        self.write_began_at: int | None = None
        """When the write that has not completed was called."""
        self._lobby = lobby
        self._limits = limits
        self._clock = clock
        self._due: dict[Seating, None] = {}
        self._control: list[play_pb2.PlayResponse] = []
        self._parked: asyncio.Future[None] | None = None
        self._strikes_left = limits.strikes
        self._spare = Bucket(limits.spare_answers_per_second, self.opened_at)
        self._pinged_at: int | None = None
        self._ping = 0
        self._pong: play_pb2.PlayResponse | None = None
        """The echo that waits to be written."""
        self._cut = limits.max_message_bytes * 3 // 4

    # Out

    def mark(self, seating: "Seating") -> None:
        """Notes that a seat is owed something."""
        self._due[seating] = None
        if self._parked is not None:
            self.wake()

    def forget(self, seating: "Seating") -> None:
        """Drops a seat from this stream."""
        self._due.pop(seating, None)
        self.handles.pop(seating.handle, None)

    def wake(self) -> None:
        """Looks again whether there is something to write."""
        parked, self._parked = self._parked, None
        if parked is not None and not parked.done():
            parked.set_result(None)

    async def wait(self) -> None:
        """Returns once there is something to write, or the stream has to end."""
        due = self._due and not self._lobby.floor.stalled
        if due or self._control or self.hung_up or self.closed is not None:
            return
        self._parked = asyncio.get_running_loop().create_future()
        await self._parked

    def next_message(self) -> bytes | None:
        """Returns the next message to write now, none if there is nothing to say.

        Control goes before updates. The clocks of the decisions in it start with this call.
        """
        now = self._clock.now()
        if self._control:
            response = self._control.pop(0)
            if response is self._pong:
                self._pong = None
        elif self._due and self.greeted and self._lobby.floor.commit():
            response = play_pb2.PlayResponse()
            self._fill(response, now)
        else:
            return None
        self.sent_at = self.write_began_at = now
        return response.SerializeToString()

    def _fill(self, response: play_pb2.PlayResponse, now: int) -> None:
        size = 0
        updates = response.updates
        due, self._due = self._due, {}
        for seating in due:
            if seating.session is not self:
                # Dropped by a step at another seat of the same table.
                continue
            if size >= self._cut:
                self._due[seating] = None
                continue
            before = len(updates)
            try:
                turn = take_turn(seating.run.table, seating.place, now)
                if turn is None:
                    size += self._tell(updates, seating, now)
                else:
                    fill_turn(updates.add(), seating.handle, *turn[:-1])
                    size += _UPDATE_BYTES
                    scheduled = seating.scheduled
                    if scheduled is None or turn[-1] < scheduled:
                        self._lobby.floor.watch(seating, turn[-1])
            except Exception as error:  # noqa: BLE001  (a step at one table must not cost the bot the others)
                del updates[before:]
                self._lobby.floor.fail(seating.run, error)

    def _tell(
        self, updates: "RepeatedCompositeFieldContainer[play_pb2.TableUpdate]", seating: "Seating", now: int
    ) -> int:
        """Adds all that a seat is owed; returns how many bytes that takes, about."""
        size = 0
        for update in seating.run.table.take(seating.seat, now):
            message = updates.add()
            fill_update(message, seating.handle, update)
            # Only news and snapshots are of any size.
            rare = update.news is not None or update.observation is not None
            size += message.ByteSize() if rare else _UPDATE_BYTES
        self._lobby.floor.written(seating, now)
        return size

    def write_completed(self) -> None:
        """Notes that the last write has completed."""
        self.write_began_at = None

    def say(self, response: play_pb2.PlayResponse) -> None:
        """Queues a control message."""
        self._control.append(response)
        self.wake()

    def last_words(self) -> bytes | None:
        """Returns what is still to be written to a stream that has to end: when the server goes down."""
        if self.closed is None or self.closed.reason is not RefusalReason.SHUTDOWN or not self.greeted:
            return None
        shutdown = play_pb2.Shutdown(
            retry_after_ms=self._limits.retry_after_ms, message="the server goes down; nothing is lost"
        )
        return play_pb2.PlayResponse(shutdown=shutdown).SerializeToString()

    def hang_up(self) -> None:
        """Notes that nothing more can be read: half-closed, cancelled and killed look the same."""
        self.hung_up = True
        message = "nothing more can be read from this stream: it is lost, connect again"
        self.close(Refusal(reason=RefusalReason.HALF_CLOSED, message=message))

    def close(self, refusal: Refusal) -> None:
        """Ends the stream; the first reason counts."""
        if self.closed is not None:
            return
        self.closed = refusal
        self.wake()
        if refusal.reason is RefusalReason.SHUTDOWN:
            # The write under way completes or is cut with the server; last words follow it.
            return
        if self.write_began_at is not None and self.interrupt is not None:
            self.interrupt()

    # In

    def receive(self, data: bytes) -> None:
        """Takes one message from the bot. Nothing that it holds can raise."""
        if self.closed is not None:
            return
        arrived = self._clock.arrived()
        self._pinged_at = None
        try:
            request = play_pb2.PlayRequest.FromString(data)
        except DecodeError:
            self._strike(terms_pb2.NOTICE_REASON_UNDECODABLE, "the message cannot be decoded")
            return
        if not self.greeted:
            self._greet(request)
            if self.closed is not None:
                return
        elif request.HasField("hello"):
            self._strike(terms_pb2.NOTICE_REASON_SECOND_HELLO, "a stream has one hello")
        if request.HasField("capacity"):
            self._lobby.set_capacity(self.bot, request.capacity.max_tables)
        if request.answers:
            self._answer(request, arrived)
        if request.HasField("heartbeat") and request.heartbeat.ping:
            self._echo(request.heartbeat.ping)
        if request.HasField("leave"):
            self._lobby.farewell(self, resign=request.leave.resign)

    def _echo(self, ping: int) -> None:
        """Answers a ping. One echo stands for all that wait: a bot that does not read takes no memory."""
        if self._pong is None:
            self._pong = play_pb2.PlayResponse()
            self._pong.heartbeat.pong = ping
            self.say(self._pong)
        else:
            self._pong.heartbeat.pong = ping

    def _answer(self, request: play_pb2.PlayRequest, arrived: int) -> None:
        handles = self.handles
        floor = self._lobby.floor
        for answer in request.answers:
            seating = handles.get(answer.table)
            if seating is None:
                self._lobby.count_dropped(self.bot)
                self._spend()
                continue
            place = seating.place
            decision = place.decision
            if decision is None or place.decision_id != answer.decision:
                if self._spend():
                    floor.answer(seating, answer.decision, action_from_message(answer), arrived)
            elif decision.kind is DecisionKind.PLAY and not (answer.moon_choice or answer.decline):
                floor.play(seating, answer.cards, arrived)
            else:
                floor.answer(seating, answer.decision, action_from_message(answer), arrived)
            if self.closed is not None:
                return

    def _spend(self) -> bool:
        """Takes one answer that no decision is open for from the bucket; false if it is empty."""
        if self._spare.take(self._clock.now()):
            return True
        if self._spare.overdrawn_once():
            self._notice(
                terms_pb2.NOTICE_REASON_TOO_MANY_ANSWERS, "answers without an open decision are dropped"
            )
        return False

    def _strike(self, reason: terms_pb2.NoticeReason.ValueType, message: str) -> None:
        self._strikes_left -= 1
        logger.warning("strike", extra={"session": self.id, "bot": self.bot.name, "left": self._strikes_left})
        if self._strikes_left <= 0:
            self.close(Refusal(reason=RefusalReason.STRIKES, message=f"{message}: the last strike"))
            return
        self._notice(reason, message)

    def _notice(self, reason: terms_pb2.NoticeReason.ValueType, message: str) -> None:
        notice = play_pb2.Notice(reason=reason, message=message, strikes_left=max(0, self._strikes_left))
        self.say(play_pb2.PlayResponse(notices=[notice]))

    # The handshake

    def _greet(self, request: play_pb2.PlayRequest) -> None:
        if not request.HasField("hello"):
            self.close(
                Refusal(
                    reason=RefusalReason.HELLO_EXPECTED,
                    message="the first message of a stream must have a hello",
                )
            )
            return
        hello = request.hello
        refusal = _judge_hello(hello, self._limits)
        if refusal is not None:
            self.close(refusal)
            return
        if hello.delivery == play_pb2.DELIVERY_IMMEDIATE:
            self.delivery = Delivery.IMMEDIATE
        if hello.snapshots == play_pb2.SNAPSHOTS_EVERY_DECISION:
            self.snapshots = Snapshots.EVERY_DECISION
        self._lobby.greet(self, hello)

    def welcome(self, secret: bytes, max_tables: int, resumed: int) -> None:
        """Accepts the hello: everything that is told from now on comes after this."""
        self.greeted = True
        limits = self._limits
        welcome = play_pb2.Welcome(
            session_id=self.id,
            revision=REVISION,
            server=self._lobby.name,
            resume_secret=secret,
            max_message_bytes=limits.max_message_bytes,
            heartbeat_ms=limits.heartbeat_ms,
            lobby_heartbeat_ms=limits.lobby_heartbeat_ms,
            max_tables=max_tables,
            resumed_tables=resumed,
            spare_answers_per_second=limits.spare_answers_per_second,
            write_timeout_ms=limits.write_timeout_ms,
        )
        self._control.insert(0, play_pb2.PlayResponse(welcome=welcome))
        self.wake()

    # Time

    def tick(self, now: int) -> None:
        """Looks after what only time shows: a missing hello, a write that hangs, silence."""
        limits = self._limits
        if self.closed is not None:
            return
        if not self.greeted:
            if now - self.opened_at > limits.hello_timeout_ms * _MS:
                self.close(Refusal(reason=RefusalReason.HELLO_EXPECTED, message="no hello came in time"))
            return
        if self.write_began_at is not None:
            if now - self.write_began_at > limits.write_timeout_ms * _MS:
                self.close(Refusal(reason=RefusalReason.WRITE_TIMEOUT, message="the bot does not read"))
            return
        pause = (limits.heartbeat_ms if self.handles else limits.lobby_heartbeat_ms) * _MS
        if self._pinged_at is not None:
            if now - self._pinged_at > limits.heartbeat_ms * _MS:
                message = "a heartbeat was not echoed"
                self.close(Refusal(reason=RefusalReason.HEARTBEAT_TIMEOUT, message=message))
        elif now - self.sent_at >= pause:
            self._ping = self._ping % 0x7FFFFFFF + 1
            self._pinged_at = now
            self.say(play_pb2.PlayResponse(heartbeat=play_pb2.Heartbeat(ping=self._ping)))


def _judge_hello(hello: play_pb2.Hello, limits: Limits) -> Refusal | None:
    if not hello.min_revision <= REVISION <= hello.max_revision:
        return Refusal(
            reason=RefusalReason.REVISION,
            message=f"this server speaks revision {REVISION} only",
            metadata=(("kiery-min-revision", str(REVISION)), ("kiery-max-revision", str(REVISION))),
        )
    long_text = any(len(text) > _TEXT for text in (hello.sdk, hello.bot, hello.version))
    if long_text or hello.max_tables > limits.max_tables or len(hello.positions) > limits.max_tables:
        return Refusal(
            reason=RefusalReason.HELLO_INVALID,
            message=f"hello: texts have at most {_TEXT} characters,"
            f" max_tables and positions at most {limits.max_tables}",
        )
    return None
