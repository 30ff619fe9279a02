"""Bots that wait in the lobby, a process: sockets that speak just enough HTTP/2, and echo pings.

A gRPC client library would need more CPU to open a stream than the server needs to accept it.

Run by `kiery.bench.worker`: `python -m kiery.bench.crowd LOOP`.
"""

import asyncio
import sys
from collections.abc import Sequence
from typing import Any, Final

from kiery.bench.control import serve_commands
from kiery.bench.frames import (
    ACK,
    DATA,
    GOAWAY,
    PING,
    RST_STREAM,
    SETTINGS,
    frame,
    message_frame,
    opening,
    take_frames,
)
from kiery.bench.process import mark, raise_file_limit, run_on
from kiery.host import Clock
from kiery.v1 import play_pb2

__all__ = ["main"]

_METHOD: Final = "/kiery.v1.PlayService/Play"
_HELLO: Final = play_pb2.PlayRequest(hello=play_pb2.Hello(min_revision=1, max_revision=1)).SerializeToString()
_LOOK_S: Final = 0.005


class Crowd:
    """All bots of this process."""

    def __init__(self) -> None:
        """Starts without bots."""
        self.welcomed = 0
        """Bots that the server has accepted."""
        self.lost = 0
        """Connections that the server, or the system, has ended."""
        self._bots: list[_Bot] = []

    async def ask_connect(self, port: int, tokens: Sequence[str], at_a_time: int) -> dict[str, Any]:
        """Connects one bot for each token, and tells when the first dialled and the last was welcomed.

        Args:
            port: Where the server listens.
            tokens: One a bot.
            at_a_time: Bots that may be dialling or waiting for their welcome.
        """
        raise_file_limit(len(tokens))
        loop = asyncio.get_running_loop()
        places = asyncio.Semaphore(at_a_time)
        start = mark()

        async def connect(token: str) -> None:
            async with places:
                bot = _Bot(self, token)
                await loop.create_connection(lambda: bot, "127.0.0.1", port)
                self._bots.append(bot)
                await bot.welcome

        await asyncio.gather(*map(connect, tokens))
        end = mark()
        return {
            "seconds": (end["at_ns"] - start["at_ns"]) / 1e9,
            "cpu_s": (end["cpu_ns"] - start["cpu_ns"]) / 1e9,
        }

    async def ask_mark(self) -> dict[str, Any]:
        """Tells CPU time and who is there."""
        return {**mark(), "welcomed": self.welcomed, "lost": self.lost}


class _Bot(asyncio.Protocol):
    """One bot on its connection."""

    def __init__(self, crowd: Crowd, token: str) -> None:
        self._crowd = crowd
        self._token = token
        self._buffer = bytearray()
        self._transport: asyncio.Transport
        self.welcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.Transport):
            self._transport = transport
            transport.write(opening(_METHOD, self._token, _HELLO))

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        for kind, flags, payload in take_frames(self._buffer):
            if kind == DATA:
                self._read(payload)
            elif kind == PING and not flags & ACK:
                self._transport.write(frame(PING, ACK, 0, payload))
            elif kind == SETTINGS and not flags & ACK:
                self._transport.write(frame(SETTINGS, ACK, 0, b""))
            elif kind in {RST_STREAM, GOAWAY}:
                self._transport.close()

    def _read(self, payload: bytes) -> None:
        # The server writes a message in one frame as long as it is as short as these are.
        response = play_pb2.PlayResponse.FromString(payload[5:])
        if response.HasField("welcome"):
            self._crowd.welcomed += 1
            self.welcome.set_result(None)
        if response.heartbeat.ping:
            pong = play_pb2.Heartbeat(pong=response.heartbeat.ping)
            self._transport.write(message_frame(play_pb2.PlayRequest(heartbeat=pong).SerializeToString()))

    def connection_lost(self, exc: Exception | None) -> None:
        self._crowd.lost += 1
        if not self.welcome.done():
            self.welcome.set_exception(
                exc or ConnectionError("the server closed a connection without a welcome")
            )


async def serve(_: Clock) -> None:
    """Waits in the lobby until the bench is done."""
    crowd = Crowd()
    await serve_commands({"connect": crowd.ask_connect, "mark": crowd.ask_mark})


def main() -> None:
    """Runs the process."""
    run_on(sys.argv[1], serve)


if __name__ == "__main__":
    main()
