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
_SPARE_ENTRIES: Final = 1_000
"""Dead entries that are not worth sweeping out."""


class Timed(Protocol):
    """Something that time can run out for."""

    scheduled: int | None
    """The deadline of its live entry; kept by `Deadlines`."""
    entry: int
    """The number of its live entry; kept by `Deadlines`."""

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
        # The heap holds numbers only, so that what has ended is not kept until its deadline.
        self._heap: list[tuple[int, int]] = []
        self._items: dict[int, _Item] = {}
        self._count = 0
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0

    def watch(self, item: _Item, deadline: int) -> None:
        """Makes sure that an item is looked at when its deadline has passed."""
        if item.scheduled is not None and item.scheduled <= deadline:
            return
        self.forget(item)
        self._count += 1
        item.scheduled = deadline
        item.entry = self._count
        self._items[self._count] = item
        heapq.heappush(self._heap, (deadline, self._count))
        if len(self._heap) > _SPARE_ENTRIES + 2 * len(self._items):
            self._heap = [entry for entry in self._heap if entry[1] in self._items]
            heapq.heapify(self._heap)
        self._arm()

    def forget(self, item: _Item) -> None:
        """Drops an item: nothing of it is kept, and it is not looked at any more."""
        if item.scheduled is not None:
            item.scheduled = None
            self._items.pop(item.entry, None)

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
        while self._heap and self._heap[0][0] <= now:
            item = self._items.pop(heapq.heappop(self._heap)[1], None)
            if item is None:
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
        self._items.clear()
