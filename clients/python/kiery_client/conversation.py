"""What a bot knows of its tables across streams, and how it takes in what the server says.

Speaks messages, not streams: bytes come in through `receive`, answers leave through an `Outbox`.
"""

import logging
from collections.abc import Callable
from typing import Final

from google.protobuf.message import DecodeError

from kiery.cards import EMPTY, CardMask, mask_of
from kiery.terms import CloseCause, DeclineReason, RejectReason
from kiery.v1 import play_pb2, terms_pb2
from kiery.view import Action, DecisionKind, Fold, News, Update
from kiery.wire import WireError, update_from_message
from kiery_client.bot import Player
from kiery_client.outbox import Outbox
from kiery_client.table import Table, Turn
from kiery_client.thinking import Thinker

__all__ = ["Conversation"]

logger = logging.getLogger("kiery_client")

# Looked up once: a member of an enum is slower to reach than a name of the module.
_READY: Final = DecisionKind.READY
_PASS: Final = DecisionKind.PASS

_HEARTBEAT_S: Final = 10.0
"""The protocol's default, for a server that does not say."""


class Conversation:
    """All tables of a bot. Lives as long as its program; streams come and go."""

    def __init__(
        self, player: Player | None, thinker: Callable[[Callable[[Turn, Action | None], None]], Thinker]
    ) -> None:
        """Starts without tables.

        Args:
            player: The bot that serves all tables; none where each gets its own.
            thinker: Makes the thinker, given what it calls when a turn is over.
        """
        self._player = player
        self._thinker = thinker(self._finished)
        self._clock = self._thinker.clock
        self._tables: dict[tuple[str, int], Table] = {}
        self._by_handle: dict[int, Table] = {}
        self._set_aside: set[int] = set()
        self._outbox: Outbox | None = None
        self._resumed_left = 0
        self.welcome: play_pb2.Welcome | None = None
        """What holds on the present stream; none before the server has said it."""
        self.resume_secret = b""
        """Resumes the session; empty before the first welcome."""
        self.retry_after_s: float | None = None
        """The pause that a server asked for which goes down; none: it did not say so."""
        self.draining = False
        """Whether to leave after the last table."""

    @property
    def holds_seats(self) -> bool:
        """Whether the bot sits at a table of the present stream."""
        return bool(self._by_handle)

    @property
    def heartbeat_s(self) -> float:
        """The silence after which a side sends a heartbeat now, seconds."""
        if self.welcome is None:
            return _HEARTBEAT_S
        held = self.welcome.heartbeat_ms / 1000 or _HEARTBEAT_S
        return held if self.holds_seats else self.welcome.lobby_heartbeat_ms / 1000 or held

    @property
    def shortest_heartbeat_s(self) -> float:
        """The same while seats are held."""
        return (self.welcome.heartbeat_ms / 1000 if self.welcome is not None else 0) or _HEARTBEAT_S

    @property
    def positions(self) -> list[play_pb2.Position]:
        """How far each seat was followed."""
        return [
            play_pb2.Position(
                match_id=table.started.match_id, seat=table.started.seat, sequence=table.fold.sequence
            )
            for table in self._tables.values()
        ]

    # Streams.

    def connected(self, outbox: Outbox) -> None:
        """Takes up a new stream."""
        self._outbox = outbox
        self.welcome = None
        self.retry_after_s = None

    def lost(self) -> None:
        """Lets go of the stream. Handles and open decisions end with it; what the bot thinks of goes on."""
        self._outbox = None
        self._set_aside.clear()
        for table in self._by_handle.values():
            table.handle = table.open_id = 0
        self._by_handle.clear()

    def drain(self) -> None:
        """Says goodbye after the last table."""
        self.draining = True
        self._leave_if_drained()

    def _leave_if_drained(self) -> None:
        outbox = self._outbox
        if self.draining and not self._tables and self.welcome is not None and outbox is not None:
            outbox.leave(resign=False)

    def close(self) -> None:
        """Stops thinking."""
        self._thinker.close()

    # Messages.

    def receive(self, data: bytes) -> None:
        """Takes in one message of the server.

        Raises:
            WireError: It cannot be decoded; what it told is lost, so the stream has to be resumed.
        """
        try:
            message = play_pb2.PlayResponse.FromString(data)
        except DecodeError as error:
            raise WireError(f"the server sent a message that cannot be decoded: {error}") from None
        if message.HasField("welcome"):
            self._greet(message.welcome)
        for update in message.updates:
            self._update(update)
        outbox = self._outbox
        if message.HasField("heartbeat") and message.heartbeat.ping and outbox is not None:
            outbox.pong(message.heartbeat.ping)
        self._rare(message)
        self._thinker.pump()
        if self.draining:
            self._leave_if_drained()

    def _rare(self, message: play_pb2.PlayResponse) -> None:
        for notice in message.notices:
            logger.warning(
                "notice from the server: %s (%d strikes left)", notice.message, notice.strikes_left
            )
        if message.HasField("dial"):
            logger.info("asked to dial %s as well: not supported, ignored", message.dial.endpoint)
        if message.HasField("shutdown"):
            shutdown = message.shutdown
            self.retry_after_s = shutdown.retry_after_ms / 1000
            logger.warning(
                "the server goes down%s; connecting again after %.1f s",
                f": {shutdown.message}" if shutdown.message else "",
                self.retry_after_s,
            )

    def _greet(self, welcome: play_pb2.Welcome) -> None:
        self.welcome = welcome
        self.resume_secret = welcome.resume_secret
        if self._outbox is not None and welcome.max_message_bytes:
            self._outbox.max_message_bytes = welcome.max_message_bytes
        self._resumed_left = welcome.resumed_tables
        logger.info(
            "connected to %s as session %s: up to %d tables, %d resumed",
            welcome.server,
            welcome.session_id,
            welcome.max_tables,
            welcome.resumed_tables,
        )
        if not self._resumed_left:
            self._forget_unannounced()

    def _forget_unannounced(self) -> None:
        for key, table in list(self._tables.items()):
            if not table.handle:
                logger.warning("the server has no seat for us any more (%s)", table)
                del self._tables[key]

    def _update(self, message: play_pb2.TableUpdate) -> None:
        if message.table in self._set_aside:
            return
        table = self._by_handle.get(message.table)
        announced = message.HasField("news") and message.news.HasField("match_started")
        if table is None and not announced:
            logger.warning("an update for an unknown table %d: ignored", message.table)
            return
        try:
            if table is None or announced:
                self._announced(message)
            else:
                self._apply(table, update_from_message(message, table.started.rules, table.started.seat))
        except (WireError, ValueError, IndexError) as error:
            self._set_table_aside(message, error)
        if announced and self._resumed_left:
            self._resumed_left -= 1
            if not self._resumed_left:
                self._forget_unannounced()

    def _set_table_aside(self, message: play_pb2.TableUpdate, error: Exception) -> None:
        """Leaves a table to the substitute that this kit cannot follow, and goes on with the others."""
        self._set_aside.add(message.table)
        table = self._by_handle.pop(message.table, None)
        if table is not None:
            table.handle = table.open_id = 0
            # Without a position the next stream starts it from a snapshot.
            self._tables.pop(table.key, None)
        logger.error(
            "cannot follow table %d (%s), so the substitute plays there: %s",
            message.table,
            table or message.news.match_started.match_id or "unknown",
            error,
        )
        if message.decision and message.kind == terms_pb2.DECISION_KIND_READY and self._outbox is not None:
            refusal = Action(decline=DeclineReason.RULES)
            self._outbox.answer(message.table, message.decision, refusal, DecisionKind.READY)

    def _announced(self, message: play_pb2.TableUpdate) -> None:
        update = update_from_message(message, None, 0)
        # The caller saw the field.
        started = update.news.match_started if update.news is not None else None
        if started is None:
            raise WireError("a table was announced without its match")
        key = started.match_id, started.seat
        table = self._tables.get(key)
        if table is None:
            table = self._tables[key] = Table(started, self._player)
            if table.hears():
                table.events.append(started)
            if update.observation is not None and table.hears():
                table.events.append(update.observation)
        elif started.after != table.fold.sequence:
            # History was skipped: the snapshot, or the next deal, brings a new start.
            table.fold = Fold(started)
            if update.observation is not None and table.hears():
                table.events.append(update.observation)
        table.started = started
        table.handle = message.table
        self._by_handle[message.table] = table
        self._apply(table, update)

    def _apply(self, table: Table, update: Update) -> None:
        if table.hears():
            table.note_events(update)
        table.fold.apply(update, pass_sent=table.pass_sent)
        if update.news is not None:
            self._heed(table, update.news)
        if update.decision_id:
            self._open(table, update)
        elif table.events and not table.busy:
            self._submit(Turn(table=table))

    def _heed(self, table: Table, news: News) -> None:
        for closed in news.closed:
            if closed.decision_id == table.open_id:
                table.open_id = 0
            if closed.cause not in {CloseCause.MATCH_ENDED, CloseCause.REJECTED}:
                logger.warning(
                    "no answer in time (%s), the substitute acted: decision %d of %s",
                    closed.cause.name,
                    closed.decision_id,
                    table,
                )
        for rejection in news.rejections:
            late = rejection.illegality.reason in {RejectReason.DUPLICATE, RejectReason.LATE}
            if rejection.decision_id == table.open_id:
                table.open_id = 0
            logger.log(
                logging.INFO if late else logging.WARNING,
                "answer rejected (%s, %d retries left): %s (%s)",
                rejection.illegality.reason.name,
                rejection.retries_left,
                rejection.illegality.message,
                table,
            )
        if news.match_ended is not None:
            logger.info(
                "match over, %s: scores %s (%s)", news.match_ended.cause.name, news.match_ended.scores, table
            )
            self._by_handle.pop(table.handle, None)
            self._tables.pop(table.key, None)
            table.handle = table.open_id = 0

    # Decisions.

    def _open(self, table: Table, update: Update) -> None:
        decision_id, decision = update.decision_id, update.decision
        if not table.handle or decision is None:
            return
        if table.answered_id == decision_id:
            # The answer went down with an earlier stream, or is under way on this one.
            if table.sent_as != table.handle:
                self._send_answer(table)
            return
        table.open_id = decision_id
        if table.thinking_id == decision_id:
            return
        started = table.started
        seconds = (update.time_ms + update.bank_ms) / 1000
        kind = decision.kind
        if not started.time_control.decision_ms and kind is not _READY:
            seconds = started.time_control.ceiling_ms / 1000
        turn = Turn(
            table=table,
            decision_id=decision_id,
            kind=kind,
            decision=decision,
            observation=None if kind is _READY else table.fold.observation(),
            deadline=self._clock() + seconds,
        )
        table.thinking_id = decision_id
        if table.busy:
            table.waiting = turn
        else:
            self._submit(turn)

    def _submit(self, turn: Turn) -> None:
        table = turn.table
        table.busy = True
        if table.events:
            turn.events, table.events = table.events, []
        self._thinker.submit(turn)

    def _finished(self, turn: Turn, action: Action | None) -> None:
        """Takes the answer of a turn and starts the table's next one."""
        table = turn.table
        table.busy = False
        if action is not None and turn.kind is not None:
            # Without a stream it is kept, and sent when the decision is open again on the next one.
            if table.open_id == turn.decision_id or not table.handle:
                table.answered_id, table.answered, table.sent_as = turn.decision_id, action, 0
                table.answered_kind = turn.kind
                if turn.kind is _PASS:
                    table.pass_sent = _possible_pass(action)
                self._send_answer(table)
            else:
                logger.info(
                    "decision %d was closed meanwhile, its answer is not sent (%s)", turn.decision_id, table
                )
        waiting, table.waiting = table.waiting, None
        if waiting is not None and (table.open_id == waiting.decision_id or not table.handle):
            self._submit(waiting)
        elif table.events:
            self._submit(Turn(table=table))

    def _send_answer(self, table: Table) -> None:
        if table.handle and self._outbox is not None:
            table.open_id = 0
            table.sent_as = table.handle
            self._outbox.answer(table.handle, table.answered_id, table.answered, table.answered_kind)


def _possible_pass(action: Action) -> CardMask:
    """Returns the cards of a pass; none for what no hand can be, which the server rejects anyhow."""
    try:
        return mask_of(action.cards)
    except ValueError:
        return EMPTY
