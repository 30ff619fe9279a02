"""All deadlines of a process: one heap and one timer, whatever the number of tables.

A deadline that has passed is decided only after the input that had arrived was read: the timer's
callback waits two more loop turns. Each item has at most one live entry; an item whose deadline
moved on is asked again when its old entry comes up.
"""

import asyncio
import heapq
from collections.abc import Callable
from typing import Final, Generic, Protocol, TypeVar

from kiery.host.clock import Clock

__all__ = ["Deadlines", "Timed"]

_NS: Final = 1_000_000_000
_SLACK_NS: Final = 1_000_000


class Timed(Protocol):
    """Something that time can run out for."""

    scheduled: int | None
    """The deadline of its live entry; kept by `Deadlines`."""

    def deadline(self) -> int | None:
        """Returns the current deadline, monotonic nanoseconds; none: nothing is pending."""
        ...


_Item = TypeVar("_Item", bound=Timed)


class Deadlines(Generic[_Item]):
    """Calls back for items whose deadline has passed."""

    def __init__(self, clock: Clock, expire: Callable[[_Item, int], None]) -> None:
        """Starts empty.

        Args:
            clock: The monotonic clock.
            expire: Called with an item whose deadline has passed, and the time.
        """
        self._clock = clock
        self._expire = expire
        self._heap: list[tuple[int, int, _Item]] = []
        self._count = 0
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0

    def watch(self, item: _Item, deadline: int) -> None:
        """Makes sure that an item is looked at when its deadline has passed."""
        if item.scheduled is not None and item.scheduled <= deadline:
            return
        item.scheduled = deadline
        self._count += 1
        heapq.heappush(self._heap, (deadline, self._count, item))
        self._arm()

    def _arm(self) -> None:
        if not self._heap:
            return
        first = self._heap[0][0]
        if self._timer is not None:
            if self._timer_at <= first:
                return
            self._timer.cancel()
        delay = max(0, first + _SLACK_NS - self._clock.now()) / _NS
        self._timer_at = first
        self._timer = asyncio.get_running_loop().call_later(delay, self._rang)

    def _rang(self) -> None:
        self._timer = None
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, self._decide)

    def _decide(self) -> None:
        # Answers that arrived in time have been read by now.
        now = self._clock.now()
        heap = self._heap
        while heap and heap[0][0] <= now:
            deadline, _, item = heapq.heappop(heap)
            if item.scheduled != deadline:
                continue
            item.scheduled = None
            current = item.deadline()
            if current is not None and current < now:
                self._expire(item, now)
                current = item.deadline()
            if current is not None:
                self.watch(item, max(current, now + _SLACK_NS))
        self._arm()

    def close(self) -> None:
        """Forgets everything."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._heap.clear()
