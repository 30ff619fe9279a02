"""Threads that run a bot's slow methods."""

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TypeVar

__all__ = ["Workers"]

_Result = TypeVar("_Result")
_Job = Callable[[], None]


class Workers:
    """A fixed number of threads. Started when needed, and daemons.

    `concurrent.futures` waits for its threads when the interpreter ends, so one bot that thinks for ever, or
    waits for a key, would keep a program alive that was told to stop.
    """

    def __init__(self, size: int) -> None:
        """Allows so many threads at a time."""
        self._size = size
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._started = 0
        self.free = size
        """How many more calls can start at once; below zero: so many wait. Counted on the loop's thread."""

    def start(
        self,
        loop: asyncio.AbstractEventLoop,
        call: Callable[[], _Result],
        done: Callable[[_Result | None, BaseException | None], None],
    ) -> None:
        """Runs a call in a thread and, when it is over, `done` with its result or error on the loop."""

        def job() -> None:
            result, error = None, None
            try:
                result = call()
            except BaseException as caught:  # noqa: BLE001  # also SystemExit: the loop decides
                error = caught
            # The loop is closed when the program stopped meanwhile: nobody waits for the result then.
            if not loop.is_closed():
                loop.call_soon_threadsafe(finish, result, error)

        def finish(result: _Result | None, error: BaseException | None) -> None:
            self.free += 1
            done(result, error)

        if self._size - self.free >= self._started and self._started < self._size:
            self._started += 1
            threading.Thread(target=self._work, name=f"kiery-bot-{self._started}", daemon=True).start()
        self.free -= 1
        self._jobs.put(job)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()

    def close(self) -> None:
        """Lets each thread end after what it does now."""
        for _ in range(self._started):
            self._jobs.put(None)
