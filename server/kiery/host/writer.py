"""The one thread that writes to the store: commits wait for the disk, the event loop does not."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["Writer"]

_Result = TypeVar("_Result")


class Writer:
    """Runs blocking calls in order, one at a time, off the loop."""

    def __init__(self) -> None:
        """Starts its thread with the first call."""
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")

    async def do(self, call: Callable[[], _Result]) -> _Result:
        """Returns what a call returns, or raises what it raises."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    def close(self) -> None:
        """Waits for what is under way."""
        self._thread.shutdown(wait=True)
