"""The play stream: one reader, one parked writer, raw bytes.

Messages are decoded by the session, not by gRPC, so that bad bytes cost a strike and not the seat.
Nothing that escapes here reaches the peer as text.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final

import grpc
import grpc.aio

from kiery.host import Bot, Lobby, Refusal, RefusalReason, Session
from kiery.transport.status import status_of

__all__ = ["PlayHandler"]

logger = logging.getLogger(__name__)

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

    async def _play(self, _: object, context: _Context) -> None:
        found = self._authenticate(tuple(context.invocation_metadata() or ()))
        if isinstance(found, Refusal):
            await _refuse(context, found)
            return
        # Clients that await headers before they send would hang without this.
        await context.send_initial_metadata(())
        session = self._lobby.open_session(found)
        self.open += 1
        task = asyncio.current_task()
        if task is not None:
            session.interrupt = task.cancel
        reader = asyncio.create_task(_read(session, context), name=f"read {session.id}")
        try:
            await _write_all(session, context, reader)
        except asyncio.CancelledError:
            # The peer is gone or the server stops, unless the session itself broke off a hanging write.
            if session.closed is None or session.closed.reason is RefusalReason.HALF_CLOSED or task is None:
                raise
            task.uncancel()
        except Exception:  # the root of the stream's task: nothing may reach the peer as text
            logger.exception("stream failed", extra={"session": session.id, "bot": session.bot.name})
            session.close(Refusal(reason=RefusalReason.INTERNAL, message=f"internal error {session.id}"))
        finally:
            self._lobby.lost(session)
            self.open -= 1
            reader.cancel()
        if session.closed is not None and session.closed.reason is not RefusalReason.FAREWELL:
            await _refuse(context, session.closed)


async def _read(session: Session, context: _Context) -> None:
    """Reads until the peer has half-closed or is gone, which look the same: a lost stream."""
    while True:
        data = await context.read()
        if not isinstance(data, bytes):  # grpc.aio.EOF
            return
        session.receive(data)


async def _write_all(session: Session, context: _Context, reader: asyncio.Task[None]) -> None:
    """Writes everything pending whenever the previous write has completed, until the stream ends."""
    reader.add_done_callback(lambda _: session.hang_up())
    while session.closed is None:
        data = session.next_message()
        if data is None:
            await session.wait()
            continue
        await context.write(data)
        session.write_completed()
    if reader.done() and not reader.cancelled():
        # An error while reading is ours.
        reader.result()


async def _refuse(context: _Context, refusal: Refusal) -> None:
    metadata = (("kiery-reason", refusal.reason.value), *refusal.metadata)
    await context.abort(status_of(refusal.reason), refusal.message, metadata)
