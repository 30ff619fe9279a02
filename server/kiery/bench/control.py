"""How the bench's processes are steered: JSON lines on standard input, one reply each on standard output.

A process ends when its standard input does, so none outlives the bench.
"""

import asyncio
import json
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

__all__ = ["Commands", "reply", "serve_commands"]

logger = logging.getLogger(__name__)

Commands = Mapping[str, Callable[..., Awaitable[dict[str, Any]]]]
"""What a process can be asked, by name; arguments by keyword."""


def reply(values: Mapping[str, object]) -> None:
    """Says something to the bench."""
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


async def serve_commands(commands: Commands) -> None:
    """Answers what the bench asks, one after the other, until it closes its end."""
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes] = asyncio.Queue()
    rest = b""

    def read() -> None:
        nonlocal rest
        data = os.read(sys.stdin.fileno(), 1 << 16)
        if not data:
            loop.remove_reader(sys.stdin.fileno())
            lines.put_nowait(b"")
            return
        *whole, rest = (rest + data).split(b"\n")
        for line in whole:
            lines.put_nowait(line)

    loop.add_reader(sys.stdin.fileno(), read)
    while line := await lines.get():
        request = json.loads(line)
        name = request.pop("command")
        try:
            answer = await commands[name](**request)
        except Exception as error:  # the root of the process: the bench ends it, and says why
            logger.exception("cannot %s", name)
            reply({"error": repr(error)})
        else:
            reply(answer)
