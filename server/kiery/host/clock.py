"""The one place that reads a clock.

Game time is the monotonic clock in nanoseconds. An answer counts as arrived when the event loop last
looked for input before it was read: if the loop was busy for 200 ms, those are not charged to a bot
whose answer was waiting. The wall clock only dates records.
"""

import asyncio
import selectors
import time
from datetime import UTC, datetime
from typing import Final

__all__ = ["Clock", "new_event_loop"]

_WAITED_NS: Final = 50_000
"""A look that took this long was waiting: what it found arrived just now."""

_HOPS: Final = 4
"""Loop turns from the socket to the coroutine that reads a message, one to spare."""


class _WatchedSelector(selectors.DefaultSelector):
    """A selector that remembers when input could have arrived that is being handled now."""

    def __init__(self) -> None:
        super().__init__()
        self._looks = [time.monotonic_ns()] * _HOPS

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        before = time.monotonic_ns()
        ready = super().select(timeout)
        after = time.monotonic_ns()
        looks = self._looks
        if after - before > _WAITED_NS:
            looks[:] = [after] * _HOPS
        else:
            looks.pop(0)
            looks.append(after)
        return ready

    def oldest_look(self) -> int:
        """Returns the earliest time at which input handled in this turn may have arrived."""
        return self._looks[0]


class Clock:
    """Time as the host sees it; tests inject their own."""

    def __init__(self, selector: object = None) -> None:
        """Uses the selector of the running loop, if it is ours, to date what arrives."""
        self._selector = selector if isinstance(selector, _WatchedSelector) else None

    def now(self) -> int:
        """Returns monotonic nanoseconds."""
        return time.monotonic_ns()

    def arrived(self) -> int:
        """Returns when the input being handled counts as arrived, monotonic nanoseconds."""
        return self._selector.oldest_look() if self._selector is not None else time.monotonic_ns()

    def today(self) -> datetime:
        """Returns the date and time, UTC, for records and people only."""
        return datetime.now(UTC)


def new_event_loop() -> tuple[asyncio.AbstractEventLoop, Clock]:
    """Returns an event loop and the clock that knows when it looked for input."""
    selector = _WatchedSelector()
    return asyncio.SelectorEventLoop(selector), Clock(selector)
