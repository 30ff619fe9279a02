"""Bots written with the Python SDK, a process: what `load` does bare, for the cost of the kit.

Run by `kiery.bench.worker`: `python -m kiery.bench.kit LOOP`.
"""

import asyncio
import sys
from collections.abc import Sequence
from typing import Any

from kiery.bench.control import serve_commands
from kiery.bench.process import mark, run_on
from kiery.cards import Card
from kiery.host import Clock
from kiery_client import Bot, Observation, run_async

__all__ = ["main"]


class _Plain(Bot):
    """Takes the first legal cards; counts what it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def pass_cards(self, observation: Observation) -> Sequence[Card]:
        self.asked += 1
        return observation.legal[: observation.choose_count]

    def play(self, observation: Observation) -> Card:
        self.asked += 1
        return observation.legal[0]


class Kit:
    """All bots of this process."""

    def __init__(self) -> None:
        """Starts without bots."""
        self._bots: list[_Plain] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def ask_connect(self, port: int, tokens: Sequence[str]) -> dict[str, Any]:
        """Connects one bot for each token."""
        for token in tokens:
            bot = _Plain()
            self._bots.append(bot)
            self._tasks.append(
                asyncio.create_task(run_async(bot, f"127.0.0.1:{port}", token, max_tables=2_000))
            )
        return {}

    async def ask_mark(self) -> dict[str, Any]:
        """Tells CPU time and decisions so far; the kit does not count messages."""
        for task in self._tasks:
            if task.done():
                task.result()
                raise RuntimeError("a bot has ended")
        return {**mark(), "messages": 0, "asked": sum(bot.asked for bot in self._bots)}


async def serve(_: Clock) -> None:
    """Plays until the bench is done."""
    kit = Kit()
    await serve_commands({"connect": kit.ask_connect, "mark": kit.ask_mark})


def main() -> None:
    """Runs the process."""
    run_on(sys.argv[1], serve)


if __name__ == "__main__":
    main()
