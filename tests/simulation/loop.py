"""An event loop without a clock: time jumps to the next timer, and what is ready runs in a seeded order."""

import asyncio
import heapq
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from math import ceil
from random import Random

from kiery.host import Clock

MS = 1_000_000
S = 1_000 * MS

_HOPS = 4
_BEGIN = datetime(2026, 1, 2, tzinfo=UTC)


class StuckError(AssertionError):
    """Nothing is ready and no timer is set: nothing would ever happen again."""


class VirtualLoop(asyncio.BaseEventLoop):
    """Runs callbacks as asyncio does, but for time and order.

    What became ready in one turn runs in the next, in an order that the seed decides: whatever relies on
    more than that relies on luck.
    """

    def __init__(self, chance: Random) -> None:
        super().__init__()
        self._chance = chance
        self.now_ns = 1_000 * S
        self.turns = 0
        self.looks = [self.now_ns] * _HOPS
        """When the loop last looked for input: a stalled loop finds what arrived meanwhile."""
        self.stall_ns = 0
        """Time that the next turn loses before it does anything."""
        self.after_turn: Callable[[], None] = lambda: None

    def time(self) -> float:
        return self.now_ns / 1e9

    def _run_once(self) -> None:
        ready, scheduled = self._ready, self._scheduled
        while scheduled and scheduled[0]._cancelled:
            heapq.heappop(scheduled)
        first = ceil(scheduled[0]._when * 1e9) if scheduled else None
        if ready or self._stopping or (first is not None and first <= self.now_ns):
            self.looks.pop(0)
            self.looks.append(self.now_ns)
        elif first is None:
            raise StuckError("nothing is ready and no timer is set")
        else:
            self.now_ns = first
            self.looks[:] = [first] * _HOPS
        self.now_ns += self.stall_ns
        self.stall_ns = 0
        end = self.time() + 1e-9
        while scheduled and scheduled[0]._when <= end:
            ready.append(heapq.heappop(scheduled))
        batch = list(ready)
        ready.clear()
        if len(batch) > 1:
            self._chance.shuffle(batch)
        for handle in batch:
            if not handle._cancelled:
                handle._run()
        self.turns += 1
        self.after_turn()

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Leaves cancelled timers to the heap."""

    def _write_to_self(self) -> None:
        """Needs no waking: there is one thread."""

    def _process_events(self, event_list: object) -> None:
        """Has no events: there is no selector."""


class VirtualClock(Clock):
    """The clock of one boot of a machine on a virtual loop."""

    def __init__(self, loop: VirtualLoop, booted_at: int) -> None:
        super().__init__()
        self._loop = loop
        self._booted_at = booted_at
        self.wall_error = timedelta()
        """How wrong the wall clock is: nothing but dates may depend on it."""

    def now(self) -> int:
        return self._loop.now_ns - self._booted_at

    def arrived(self) -> int:
        return self._loop.looks[0] - self._booted_at

    def today(self) -> datetime:
        return _BEGIN + timedelta(microseconds=self._loop.now_ns // 1000) + self.wall_error
