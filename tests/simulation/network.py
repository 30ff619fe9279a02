"""A network in memory: streams of bytes that are late, freeze, tear and are never told apart by gRPC.

The server's end stands in for gRPC's context, so that the production handler runs on it unchanged.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import grpc
from tests.simulation.loop import VirtualLoop

WINDOW = 64 << 10
"""Bytes under way and unread from which on a write does not complete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather:
    """How a bot's way to the server is."""

    fastest_s: float = 0.001
    slowest_s: float = 0.02
    cut_chance: float = 0.0
    """That a message is the last one before the stream is lost."""
    freeze_chance: float = 0.0
    """That a message is the last one before nothing moves for up to five minutes."""

    @property
    def fair(self) -> bool:
        """Whether nothing that happens to its bot is the fault of the way."""
        return not (self.cut_chance or self.freeze_chance)


class Pipe:
    """One direction of one stream: in order, late, and frozen now and then."""

    def __init__(self, loop: VirtualLoop, delay: Callable[[], float]) -> None:
        self._loop = loop
        self._delay = delay
        self._under_way: deque[bytes | None] = deque()
        self._arrived: deque[bytes | None] = deque()
        self._last_at = 0.0
        self._size = 0
        self._reader: asyncio.Future[None] | None = None
        self._writer: asyncio.Future[None] | None = None
        self.frozen_until = 0.0
        self.torn = False
        self.closed = False
        """Whether nothing more is sent."""

    def put(self, data: bytes | None) -> None:
        """Sends a message; none: the end."""
        if self.torn or self.closed:
            return
        self.closed = data is None
        self._under_way.append(data)
        self._size += len(data or b"")
        self._last_at = max(self._loop.time() + self._delay(), self._last_at)
        self._loop.call_at(self._last_at, self._arrive)

    def _arrive(self) -> None:
        if self.torn:
            return
        if self._loop.time() + 1e-9 < self.frozen_until:
            self._loop.call_at(self.frozen_until, self._arrive)
            return
        # The oldest, whichever timer rang first.
        self._arrived.append(self._under_way.popleft())
        _wake(self._reader)

    def tear(self) -> None:
        """Loses what is under way; the reader sees the end."""
        if not self.torn:
            self.torn = True
            self._under_way.clear()
            self._arrived.append(None)
            _wake(self._reader)

    def lose(self) -> None:
        """Loses what is under way, and nobody notices."""
        self.torn = True
        self._under_way.clear()

    async def take(self) -> bytes | None:
        """Returns the next message; none at the end, again and again."""
        while not self._arrived:
            self._reader = self._loop.create_future()
            await self._reader
        data = self._arrived[0]
        if data is not None:
            self._arrived.popleft()
            self._size -= len(data)
            if self._size <= WINDOW:
                _wake(self._writer)
        return data

    async def room(self) -> None:
        """Returns once a write would complete."""
        while self._size > WINDOW:
            self._writer = self._loop.create_future()
            await self._writer


def _wake(waiter: "asyncio.Future[None] | None") -> None:
    if waiter is not None and not waiter.done():
        waiter.set_result(None)


class Stream:
    """One play stream: the bot's end by its methods, the server's by `context`."""

    def __init__(self, loop: VirtualLoop, name: str, weather: Weather, chance: Random, number: int) -> None:
        self.name = name
        self.number = number
        self._loop = loop
        self._weather = weather
        self._chance = chance
        self.up = Pipe(loop, self._delay)
        self.down = Pipe(loop, self._delay)
        self.reason: str | None = None
        """What the server said when it ended the stream."""
        self.over = False
        """Whether it is lost or ended."""
        self.handler: asyncio.Task[None] | None = None
        """The server's task, while it runs."""
        self.context = Context(self)

    def _delay(self) -> float:
        return self._chance.uniform(self._weather.fastest_s, self._weather.slowest_s)

    def moved(self) -> None:
        """Lets the weather have its way after a message."""
        weather = self._weather
        if weather.fair or self.over:
            return
        if self._chance.random() < weather.cut_chance:
            self.cut()
        elif self._chance.random() < weather.freeze_chance:
            self.freeze(self._chance.uniform(0, 300))

    def freeze(self, seconds: float) -> None:
        """Stops both directions for a while."""
        self.up.frozen_until = self.down.frozen_until = self._loop.time() + seconds

    def cut(self) -> None:
        """Loses the stream in one of the ways in which streams are lost."""
        if self.over:
            return
        self.over = True
        way = self._chance.randrange(4)
        if way == 0:
            # A half-close, a kill and a cancelled call look the same to the server's reader.
            self.up.tear()
            self.down.tear()
        elif way == 1:
            self.down.tear()
            self._cancel_handler()
        else:
            # Nobody notices, but for the keepalive in half of the cases.
            self.up.lose()
            self.down.lose()
            if way == 2:
                self._loop.call_later(20, self._cancel_handler)

    def _cancel_handler(self) -> None:
        if self.handler is not None and not self.handler.done():
            self.handler.cancel()

    def server_died(self) -> None:
        """The server's machine closes the connection; what was under way may still arrive."""
        self.over = True
        self.up.lose()
        if self._chance.random() < 0.5:
            self.down.tear()
        else:
            self.down.put(None)

    # The bot's end

    def send(self, data: bytes) -> None:
        """Sends a message to the server."""
        if not self.over:
            self.up.put(data)
            self.moved()

    async def read(self) -> bytes | None:
        """Returns the next message from the server; none at the end."""
        return await self.down.take()

    def half_close(self) -> None:
        """Says that nothing more comes."""
        self.up.put(None)


class Context:
    """The server's end, as gRPC's `ServicerContext` is."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.wrote: Callable[[Stream, bytes], None] = lambda stream, data: None
        """Is told what the server writes, when it calls write."""

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", self.stream.name),)

    async def send_initial_metadata(self, metadata: object) -> None:
        """Is sent at once."""

    async def read(self) -> Any:
        data = await self.stream.up.take()
        return grpc.aio.EOF if data is None else data

    async def write(self, data: bytes) -> None:
        self.wrote(self.stream, data)
        self.stream.down.put(data)
        self.stream.moved()
        await self.stream.down.room()

    async def abort(self, code: object, message: str, metadata: tuple[tuple[str, str], ...]) -> None:
        self.stream.reason = dict(metadata).get("kiery-reason")
        raise grpc.aio.AbortError


class Details:
    """A call as gRPC describes it to its handlers."""

    def __init__(self, method: str) -> None:
        self.method = method
        self.invocation_metadata = ()
