"""What a process of the bench says about itself: CPU time, memory, and the loop that it runs on."""

import asyncio
import gc
import os
import resource
import time
from collections.abc import Callable, Coroutine
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from kiery.errors import InputError
from kiery.host import Clock, new_event_loop

__all__ = [
    "LOOPS",
    "FileLimitError",
    "check_loop",
    "loop_of",
    "mark",
    "memory_kib",
    "peak_kib",
    "raise_file_limit",
    "run_on",
]

LOOPS: Final = ("asyncio", "uvloop")
_STATM: Final = Path("/proc/self/statm")
_KIB: Final = 1024
_SPARE_FILES: Final = 256


def mark() -> dict[str, Any]:
    """Returns the process's CPU time of all threads and the monotonic time, both in nanoseconds."""
    return {"cpu_ns": time.process_time_ns(), "at_ns": time.monotonic_ns()}


def memory_kib() -> float:
    """Returns the resident memory now, KiB, after a collection; where /proc is missing, the peak."""
    gc.collect()
    if not _STATM.exists():
        return peak_kib()
    pages = int(_STATM.read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / _KIB


def peak_kib() -> float:
    """Returns the most resident memory so far, KiB."""
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


class FileLimitError(InputError):
    """The system allows too few open files for a figure."""

    reason = "TOO_FEW_FILES"


def raise_file_limit(connections: int) -> None:
    """Makes sure that this process, and those it starts, may hold so many connections.

    Raises:
        FileLimitError: The system's hard limit is lower.
    """
    needed = connections + _SPARE_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise FileLimitError(
            f"{connections} connections need {needed} open files and the system allows {hard}:"
            " raise the hard limit (ulimit -Hn) to measure this"
        )
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def check_loop(name: str) -> None:
    """Makes sure that processes can run on an event loop of that name.

    Raises:
        InputError: There is none, or it is not installed.
    """
    if name not in LOOPS:
        raise InputError(f"no event loop is called {name!a}: expected one of {', '.join(LOOPS)}")
    if name == "uvloop" and find_spec("uvloop") is None:
        raise InputError("uvloop is not installed: pip install 'kiery[uvloop]', or say --loop asyncio")


def loop_of(name: str) -> tuple[asyncio.AbstractEventLoop, Clock]:
    """Returns a new event loop and its clock.

    Raises:
        InputError: There is no loop of that name here.
    """
    check_loop(name)
    if name == "asyncio":
        return new_event_loop()
    loop: asyncio.AbstractEventLoop = import_module("uvloop").new_event_loop()
    return loop, Clock()


def run_on(name: str, main: Callable[[Clock], Coroutine[Any, Any, None]]) -> None:
    """Runs a process's main coroutine on a loop of that name, with the server's clock."""
    loop, clock = loop_of(name)
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(main(clock))
