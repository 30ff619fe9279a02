"""One stream to a server: reads, writes, and keeps it alive, until it ends.

Reading never waits for writing: what is to be said goes into the outbox, and one task writes it.
"""

import asyncio
import logging
from dataclasses import dataclass
from typing import Final

import grpc
import grpc.aio

from kiery.wire import WireError
from kiery_client.conversation import Conversation
from kiery_client.endpoint import Endpoint
from kiery_client.outbox import Outbox

__all__ = ["FAREWELL_S", "Ending", "Stream"]

logger = logging.getLogger("kiery_client")

_PLAY: Final = "/kiery.v1.PlayService/Play"
_WELCOME_S: Final = 10.0
"""From dialling to the welcome; a server that takes longer is tried again."""
FAREWELL_S: Final = 1.0
"""So long the server may take to end the stream after a goodbye, seconds."""
_SILENT_INTERVALS: Final = 2.5
"""So many heartbeat intervals without a byte from the server, and the stream is given up."""

_Call = grpc.aio.StreamStreamCall[bytes, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a stream ended."""

    code: grpc.StatusCode
    """The status."""
    details: str
    """Its text, for people."""
    reason: str = ""
    """The metadata `kiery-reason`; empty if there was none."""
    revisions: tuple[str, str] = ("", "")
    """The metadata `kiery-min-revision` and `kiery-max-revision`."""
    welcomed: bool = False
    """Whether the server took the greeting."""
    broken: bool = False
    """Whether the server sent what cannot be decoded."""
    left: bool = False
    """Whether the bot said goodbye."""


class Stream:
    """A stream, from dialling to its end."""

    def __init__(self, endpoint: Endpoint, conversation: Conversation, outbox: Outbox) -> None:
        """Prepares to dial.

        Args:
            endpoint: The server.
            conversation: Takes in what it says.
            outbox: What is said to it; starts with the greeting.
        """
        self._endpoint = endpoint
        self._conversation = conversation
        self._outbox = outbox
        self._loop = asyncio.get_running_loop()
        self._sent_at = self._heard_at = self._loop.time()
        self._lost_because = ""

    async def run(self) -> Ending:
        """Dials, and returns how the stream ended. A task that is cancelled drops the stream."""
        async with self._endpoint.channel() as channel:
            play: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(_PLAY)
            call = play(metadata=(("authorization", f"Bearer {self._endpoint.token}"),))
            tasks = [self._loop.create_task(self._write_pending(call))]
            self._conversation.connected(self._outbox)
            broken = False
            try:
                await self._read_welcome(call)
                if self._conversation.welcome is not None:
                    tasks.append(self._loop.create_task(self._keep_alive(call)))
                    await self._read_all(call)
            except WireError as error:
                logger.error("%s", error)  # noqa: TRY400  # the text says all
                broken = True
            except TimeoutError:
                self._lost_because = f"no welcome within {_WELCOME_S:.0f} s"
            except grpc.aio.AioRpcError:
                pass  # The status below says it.
            except asyncio.CancelledError:
                # So ends the read of a call that this side gave up, and so does a task that is cancelled.
                if not self._lost_because:
                    raise
            finally:
                for task in tasks:
                    task.cancel()
                call.cancel()
                welcomed = self._conversation.welcome is not None
                self._conversation.lost()
            return await self._ending(call, welcomed=welcomed, broken=broken)

    async def _read_welcome(self, call: _Call) -> None:
        async with asyncio.timeout(_WELCOME_S):
            first = await call.read()
        if isinstance(first, bytes):
            self._receive(first)
            if self._conversation.welcome is None:
                raise WireError("the server's first message has no welcome")

    async def _read_all(self, call: _Call) -> None:
        read, receive = call.read, self._receive
        while isinstance(data := await read(), bytes):
            receive(data)

    def _receive(self, data: bytes) -> None:
        self._heard_at = self._loop.time()
        self._conversation.receive(data)

    async def _write_pending(self, call: _Call) -> None:
        outbox = self._outbox
        try:
            while not outbox.left:
                await outbox.wait()
                for data in outbox.take():
                    await call.write(data)
                self._sent_at = self._loop.time()
            await call.done_writing()
            await asyncio.sleep(FAREWELL_S)
            self._give_up(call, f"the server did not end the stream within {FAREWELL_S:.0f} s of the goodbye")
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError, grpc.aio.UsageError):
            # The stream has ended; the reader learns how.
            return

    async def _keep_alive(self, call: _Call) -> None:
        """Pings after silence of this side, and gives the stream up after long silence of the other."""
        ping = 0
        suspected_at = -1.0
        while True:
            interval = self._conversation.heartbeat_s
            now = self._loop.time()
            silent_at = self._heard_at + _SILENT_INTERVALS * interval
            if now >= silent_at:
                if suspected_at == self._heard_at:
                    self._give_up(call, f"the server was silent for {now - self._heard_at:.1f} s")
                    return
                # Perhaps it was this loop that was busy, and the sign of life waits to be read.
                suspected_at = self._heard_at
                await asyncio.sleep(interval / 10)
                continue
            if now >= self._sent_at + interval:
                ping += 1
                self._outbox.ping(ping)
                self._sent_at = now
            # The interval is shorter while seats are held, so look again when it could have become due.
            due = min(self._sent_at + interval, silent_at) - now
            await asyncio.sleep(min(due, self._conversation.shortest_heartbeat_s))

    def _give_up(self, call: _Call, because: str) -> None:
        self._lost_because = because
        call.cancel()

    async def _ending(self, call: _Call, *, welcomed: bool, broken: bool) -> Ending:
        code, details = await call.code(), await call.details() or ""
        if self._lost_because:
            code, details = grpc.StatusCode.UNAVAILABLE, self._lost_because
        trailing = {key: str(value) for key, value in await call.trailing_metadata() or ()}
        return Ending(
            code=code,
            details=details,
            reason=trailing.get("kiery-reason", ""),
            revisions=(trailing.get("kiery-min-revision", ""), trailing.get("kiery-max-revision", "")),
            welcomed=welcomed,
            broken=broken,
            left=self._outbox.leaving,
        )
