"""The play stream: one reader, one parked writer, raw bytes.

Messages are decoded by the session, not by gRPC, so that bad bytes cost a strike and not the seat.
Nothing that escapes here reaches the peer as text.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

import grpc
import grpc.aio

from kiery.host import Bot, Lobby, Refusal, RefusalReason, Session
from kiery.transport.status import status_of

__all__ = ["PlayHandler"]

logger = logging.getLogger(__name__)

_ABORT_S: Final = 1.0
"""Seconds that a peer has to take the status of a refused stream."""

METHOD: Final = "/kiery.v1.PlayService/Play"

Authenticate = Callable[[tuple[tuple[str, str | bytes], ...]], Bot | Refusal]
"""Finds the bot of a call by its metadata."""

_Context = grpc.aio.ServicerContext[bytes, bytes]


class PlayHandler(grpc.GenericRpcHandler):
    """Serves `PlayService.Play`."""

    def __init__(self, lobby: Lobby, authenticate: Authenticate) -> None:
        """Serves one lobby.

        Args:
            lobby: Where sessions are opened.
            authenticate: Finds the bot of a call, or says why it is refused.
        """
        self._lobby = lobby
        self._authenticate = authenticate
        self._handler: Any = grpc.stream_stream_rpc_method_handler(self._play)
        self.open = 0
        """Streams whose handler has not returned."""

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:  # noqa: ANN401  (gRPC's own type)
        """Returns the handler of the one method served here."""
        return self._handler if handler_call_details.method == METHOD else None

    def _admit(self, context: _Context) -> Session | Refusal:
        try:
            found = self._authenticate(tuple(context.invocation_metadata() or ()))
            return found if isinstance(found, Refusal) else self._lobby.open_session(found)
        except Exception:  # a root: what escapes here would reach the peer as text
            fault_id = secrets.token_hex(8)
            logger.exception("stream not admitted", extra={"fault": fault_id})
            return _internal(fault_id)

    async def _play(self, _: object, context: _Context) -> None:
        session = self._admit(context)
        if isinstance(session, Refusal):
            await _refuse(context, session)
            return
        self.open += 1
        breaker = _Breaker()
        session.interrupt = breaker.break_off
        reader: asyncio.Task[None] | None = None
        try:
            # Clients that await headers before they send would hang without this.
            await context.send_initial_metadata(())
            reader = asyncio.create_task(_read(session, context), name=f"read {session.id}")
            reader.add_done_callback(partial(_read_ended, session))
            await _write_all(session, context)
        except asyncio.CancelledError:
            # The peer is gone or the server stops, unless the session itself broke off a write.
            if not breaker.mended():
                raise
        except Exception:  # the root of the stream's task: nothing may reach the peer as text
            logger.exception("stream failed", extra={"session": session.id, "bot": session.bot.name})
            session.close(_internal(session.id))
        finally:
            session.interrupt = None
            self._lobby.lost(session)
            self.open -= 1
            if reader is not None:
                reader.cancel()
        if session.closed is not None and session.closed.reason is not RefusalReason.FAREWELL:
            await _refuse(context, session.closed)


class _Breaker:
    """Breaks off the write of the current task, and tells this from a cancellation by gRPC."""

    def __init__(self) -> None:
        self._task = asyncio.current_task()
        self._broke = False

    def break_off(self) -> None:
        """Cancels the task, once."""
        if self._task is not None and not self._broke:
            self._broke = True
            self._task.cancel()

    def mended(self) -> bool:
        """Takes the own cancellation back; false if there is another one."""
        return self._broke and self._task is not None and not self._task.uncancel()


async def _read(session: Session, context: _Context) -> None:
    """Reads until the peer has half-closed or is gone, which look the same: a lost stream."""
    while True:
        data = await context.read()
        if not isinstance(data, bytes):  # grpc.aio.EOF
            return
        session.receive(data)


def _read_ended(session: Session, reader: asyncio.Task[None]) -> None:
    if reader.cancelled():
        return
    error = reader.exception()
    if error is None:
        session.hang_up()
        return
    logger.error("stream failed", exc_info=error, extra={"session": session.id, "bot": session.bot.name})
    session.close(_internal(session.id))


async def _write_all(session: Session, context: _Context) -> None:
    """Writes everything pending whenever the previous write has completed, until the stream ends."""
    ending = False
    while not ending:
        ending = session.closed is not None
        data = session.last_words() if ending else session.next_message()
        if data is not None:
            await context.write(data)
            session.write_completed()
        elif not ending:
            await session.wait()


def _internal(fault_id: str) -> Refusal:
    return Refusal(reason=RefusalReason.INTERNAL, message=f"internal error {fault_id}")


async def _refuse(context: _Context, refusal: Refusal) -> None:
    metadata = (("kiery-reason", refusal.reason.value), *refusal.metadata)
    # A peer that does not read cannot be told either: it is not waited for longer than this.
    with suppress(TimeoutError):
        async with asyncio.timeout(_ABORT_S):
            await context.abort(status_of(refusal.reason), refusal.message, metadata)
