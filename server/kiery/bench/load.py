"""The bots, a process: bare gRPC clients that answer any legal card.

No SDK and no state: bytes are parsed by protobuf and answered in the coroutine that read them. Each bot
has a connection of its own. Cheaper than the server, which reads and writes as many messages and plays.

Run by `kiery.bench.worker`: `python -m kiery.bench.load LOOP`.
"""

import asyncio
import sys
from collections.abc import Sequence
from typing import Any, Final

import grpc
import grpc.aio

from kiery.bench.answers import answer_all
from kiery.bench.control import serve_commands
from kiery.bench.process import mark, run_on
from kiery.host import Clock
from kiery.v1 import play_pb2

__all__ = ["main"]

_METHOD: Final = "/kiery.v1.PlayService/Play"
_OPTIONS: Final = (
    # Else all channels of a process share one connection, and look cheaper than bots do.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.enable_http_proxy", 0),
)
_AT_A_TIME: Final = 64
_MAX_TABLES: Final = 2_000


class Load:
    """All bots of this process."""

    def __init__(self) -> None:
        """Starts without bots."""
        self.messages = 0
        """Messages read that bring a decision or news."""
        self.asked = 0
        """Decisions in them."""
        self._tasks: list[asyncio.Task[None]] = []
        self._dialling = asyncio.Semaphore(_AT_A_TIME)

    async def ask_connect(self, port: int, tokens: Sequence[str]) -> dict[str, Any]:
        """Connects one bot for each token; the server knows when all are there, so nobody waits here."""
        self._tasks += [asyncio.create_task(self._play(port, token)) for token in tokens]
        return {}

    async def ask_mark(self) -> dict[str, Any]:
        """Tells CPU time and messages so far."""
        for task in self._tasks:
            if task.done():
                task.result()
                raise RuntimeError("a bot's stream has ended")
        return {**mark(), "messages": self.messages, "asked": self.asked}

    async def _play(self, port: int, token: str) -> None:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=_OPTIONS) as channel:
            play: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(_METHOD)
            async with self._dialling:
                call = play(metadata=(("authorization", f"Bearer {token}"),))
                hello = play_pb2.Hello(min_revision=1, max_revision=1, max_tables=_MAX_TABLES)
                await call.write(play_pb2.PlayRequest(hello=hello).SerializeToString())
                # gRPC cancels calls at random when more than a thousand wait to be accepted.
                await call.initial_metadata()
            read, write = call.read, call.write
            while isinstance(data := await read(), bytes):
                response = play_pb2.PlayResponse.FromString(data)
                self.messages += bool(response.updates)
                request = answer_all(response)
                count = len(request.answers)
                self.asked += count
                if count or request.HasField("heartbeat"):
                    await write(request.SerializeToString())


async def serve(_: Clock) -> None:
    """Plays until the bench is done."""
    load = Load()
    await serve_commands({"connect": load.ask_connect, "mark": load.ask_mark})


def main() -> None:
    """Runs the process."""
    run_on(sys.argv[1], serve)


if __name__ == "__main__":
    main()
