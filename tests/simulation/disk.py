"""What survives a server: the journal's disk, and a store in memory, both of which fail when told to."""

import asyncio
import errno
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TypeVar

from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool
from tests.simulation.loop import VirtualLoop

from kiery.journal import JournalError
from kiery.store import Store, StoreError
from kiery.store.schema import METADATA

_Result = TypeVar("_Result")


class Disk:
    """Writes the journal; may be full for a while, and may be the last thing that a server does."""

    def __init__(self, loop: VirtualLoop, chance: Random) -> None:
        self._loop = loop
        self._chance = chance
        self.full_until = 0.0
        self.writes = 0
        self.die_in_write: Callable[[], None] | None = None
        """Called once instead of the next write that succeeds."""
        self._torn: tuple[int, bytes, int] | None = None

    def write(self, descriptor: int, data: bytes, offset: int) -> int:
        """Writes as `os.pwrite` does."""
        self.writes += 1
        if self._loop.time() < self.full_until:
            if self._chance.random() < 0.5:
                return os.pwrite(descriptor, data[: self._chance.randrange(len(data))], offset)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if self.die_in_write is not None and offset:
            # Not in the head of a segment: what is left of that is taken back before the process is dead.
            die, self.die_in_write = self.die_in_write, None
            # Cut anywhere, and in some cases whole: written, but nothing that depends on it was sent.
            length = self._chance.choice([len(data), self._chance.randrange(len(data))])
            self._torn = (descriptor, data[:length], offset)
            die()
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return os.pwrite(descriptor, data, offset)

    def forget_torn(self) -> None:
        """Forgets it: the process died in its last write before it had ended by itself."""
        self._torn = None

    def leave_torn(self) -> None:
        """Leaves on the disk what the dying process had written of its last batch."""
        if self._torn is not None:
            os.pwrite(*self._torn)
            self._torn = None


class DeadJournal:
    """The journal of a process that is no more: notes nothing, and lets nothing be sent."""

    def flush(self) -> None:
        raise JournalError("the process is dead")

    def __getattr__(self, name: str) -> Callable[..., int]:
        return lambda *arguments: 0


class SlowWriter:
    """The store's thread as the loop sees it: calls in order, late, failing for a while."""

    def __init__(self, loop: VirtualLoop, chance: Random, latency_s: float) -> None:
        self._loop = loop
        self._chance = chance
        self._latency_s = latency_s
        self._turn = asyncio.Lock()
        self.dead = False
        self.broken_until = 0.0
        self.die_at_call: Callable[[], None] | None = None
        """Called once around the next call: before it, or after it and before anybody learns of it."""

    async def do(self, call: Callable[[], _Result]) -> _Result:
        async with self._turn:
            await self._pause()
            before = self._chance.random() < 0.5
            if self.die_at_call is not None and before:
                await self._die()
            if self._loop.time() < self.broken_until:
                raise StoreError("the disk is full: make room")
            result = call()
            if self.die_at_call is not None:
                await self._die()
            await self._pause()
            return result

    async def _die(self) -> None:
        die, self.die_at_call = self.die_at_call, None
        if die is not None:
            die()
        await self._loop.create_future()

    async def _pause(self) -> None:
        if self.dead:
            await self._loop.create_future()
        if self._latency_s:
            await asyncio.sleep(self._chance.uniform(0, self._latency_s))


def memory_store(folder: Path) -> Store:
    """Returns a store in memory; its journal is in a folder."""
    engine = create_engine(
        "sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False}, hide_parameters=True
    )
    METADATA.create_all(engine)
    return Store(engine, folder / "s.sqlite", None, created=True)
