"""A server process on the virtual loop: put together as the real one is, killed and stopped at will."""

import asyncio
import contextlib
import os
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import grpc
from tests.simulation.disk import DeadJournal, SlowWriter
from tests.simulation.loop import VirtualClock
from tests.simulation.network import Details, Stream
from tests.simulation.watch import WatchedFloor, WatchedLobby

from kiery.access import Role
from kiery.host import Bot, Contest, Launcher, Refusal, RefusalReason, Scoreboard, enter, open_journal
from kiery.store import StoredToken
from kiery.terms import Limits
from kiery.transport.play import METHOD, PlayHandler

if TYPE_CHECKING:
    from tests.simulation.world import World

OWNER: ContextVar["Node | None"] = ContextVar("owner", default=None)
"""The process that a task belongs to; tasks inherit it."""


class Tokens:
    """The token of each bot is its name."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._tokens = [
            StoredToken(token_id=f"id-{name}", name=name, role=Role.BOT.word, created_ms=0, revoked_ms=None)
            for name in names
        ]

    def tokens(self) -> list[StoredToken]:
        return self._tokens


class Node:
    """One process of the server, from its start to its end."""

    def __init__(self, world: "World") -> None:
        """Starts; raises what a start of the real one raises."""
        self._world = world
        self._loop = world.loop
        scenario = world.scenario
        self.tasks: dict[asyncio.Task[Any], None] = {}
        """Every task that the process ever began and that has not ended."""
        self.streams: dict[Stream, None] = {}
        self.dead = False
        self.clock = VirtualClock(self._loop, world.booted_at)
        self.writer = SlowWriter(self._loop, world.chance, scenario.store_latency_s)
        self.journal, self.recovery = open_journal(
            world.store, self.clock, boot=world.boot, write=world.disk.write
        )
        self.journal._segment_bytes = scenario.segment_bytes
        self.plan = enter(world.store, scenario.spec, world.secret, 0)
        self.board = Scoreboard(self.plan)
        limits = Limits()
        self.floor = WatchedFloor(self.clock, limits, self.journal, world.watch, self._later)
        self.lobby = WatchedLobby(self.floor, self.clock, limits, "kiery simulated", world.watch)
        self.floor.lobby = self.lobby
        handler = PlayHandler(self.lobby, self._authenticate).service(Details(METHOD))
        self._handle: Callable[[object, object], Coroutine[Any, Any, None]] = handler.stream_stream
        self.contest = Contest(
            self.plan,
            world.store,
            self.writer,  # type: ignore[arg-type]
            self.lobby,
            self.clock,
            Tokens(tuple(script.name for script in scenario.scripts)),  # type: ignore[arg-type]
            Launcher("", ended=self.lobby.give_up),
            seen=self.board.add,
            unseen=self.board.clear,
            max_tables=scenario.max_tables,
            connect_s=60,
            in_flight=self.recovery.in_flight.get(self.plan.spec.name, ()),
        )
        self._ticker = self.begin(self._tick(), "tick")
        self.playing = self.begin(self.contest.play(), "play")

    def _authenticate(self, metadata: tuple[tuple[str, str | bytes], ...]) -> Bot | Refusal:
        name = dict(metadata)["authorization"]
        if not isinstance(name, str):
            return Refusal(reason=RefusalReason.TOKEN, message="no token")
        return self.lobby.bot(f"id-{name}", name)

    def _later(self, call: Callable[[], None]) -> None:
        self._loop.call_later(0.5, lambda: None if self.dead else call())

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(1)
            self.lobby.tick()

    def begin(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Begins a task of this process."""
        token = OWNER.set(self)
        try:
            return self._loop.create_task(work, name=name)
        finally:
            OWNER.reset(token)

    def accept(self, stream: Stream) -> None:
        """Takes a new stream."""
        self.streams[stream] = None
        stream.context.wrote = self._wrote
        stream.handler = self.begin(self._serve(stream), f"stream {stream.number}")

    def _wrote(self, stream: Stream, data: bytes) -> None:
        if not self.dead:
            self._world.wrote(stream, data)

    async def _serve(self, stream: Stream) -> None:
        try:
            with contextlib.suppress(grpc.aio.AbortError):
                await self._handle(None, stream.context)
        finally:
            if not self.dead:
                stream.down.put(None)
                del self.streams[stream]

    # The end

    def kill(self) -> None:
        """Ends at once: nothing more is written, sent or stored."""
        self.dead = self.writer.dead = True
        self._world.disk.leave_torn()
        os.close(self.journal._descriptor)
        self.journal._descriptor = -1
        self.floor._journal = DeadJournal()  # type: ignore[assignment]
        self.floor.watch_over(None)
        self.floor.close()
        for stream in self.streams:
            stream.context.wrote = lambda stream, data: None
            stream.server_died()
        for task in list(self.tasks):
            task.cancel()

    async def stop(self) -> None:
        """Ends in order: the tournament is laid down, the journal is complete."""
        self.playing.cancel()
        self._ticker.cancel()
        await asyncio.gather(self.playing, self._ticker, return_exceptions=True)
        self.floor.watch_over(None)
        self.lobby.shut_down()
        # As the server gives its handlers half a second.
        await asyncio.sleep(0.5)
        for stream in list(self.streams):
            stream.handler.cancel()  # type: ignore[union-attr]
            stream.server_died()
        await asyncio.gather(*list(self.tasks), return_exceptions=True)
        self.floor.close()
        self.dead = True
        self.journal.close()
