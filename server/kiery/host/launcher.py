"""Bots that the server starts itself: their processes, what they print, and what happens when they end.

A launched process gets its address and a token of its own by the environment. A bot that dies is
started again a few times; its seats wait for it as for any bot whose stream is lost.
"""

import asyncio
import contextlib
import logging
import os
import shlex
import signal
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from kiery.errors import InputError
from kiery.host.bot import Bot

__all__ = ["LaunchError", "Launched", "Launcher"]

logger = logging.getLogger(__name__)

_KEPT_LINES: Final = 40
_LINE_BYTES: Final = 400
_RESTARTS: Final = 3
_STOP_S: Final = 3.0
_CHUNK: Final = 4_096


class LaunchError(InputError):
    """A bot's command that cannot be started, or whose process never connects."""

    reason = "BOT_FAILED"


class Launched:
    """One bot's process, restarted where it must be."""

    def __init__(self, bot: Bot, command: Sequence[str], token: str) -> None:
        """Prepares a process that is not started.

        Args:
            bot: Whom it will connect as.
            command: The program and its arguments.
            token: Its own token.
        """
        self.bot = bot
        self.command = tuple(command)
        self.token = token
        self.process: asyncio.subprocess.Process | None = None
        self.restarts_left = _RESTARTS
        self.lines: deque[str] = deque(maxlen=_KEPT_LINES)
        """The last lines that it printed on either stream, shortened."""
        self.stopping = False
        self._rest = b""

    @property
    def printed(self) -> str:
        """What it printed last, for an error message; empty if nothing."""
        return " | ".join(line for line in list(self.lines)[-6:] if line.strip())

    def hear(self, data: bytes) -> None:
        """Keeps what the process printed, within bounds."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._rest = self._rest[-_LINE_BYTES:]
        for line in lines:
            text = line[:_LINE_BYTES].decode("utf-8", "replace")
            self.lines.append("".join(char if char.isprintable() else " " for char in text))


class Launcher:
    """Starts, watches and stops bots' processes."""

    def __init__(self, address: str, *, ended: Callable[[Bot], None]) -> None:
        """Launches nothing yet.

        Args:
            address: Where the processes connect to.
            ended: Called with a bot whose process will not come back.
        """
        self._address = address
        self._ended = ended
        self._watchers: set[asyncio.Task[None]] = set()
        self.launched: list[Launched] = []

    async def start(self, bot: Bot, command: Sequence[str], token: str) -> Launched:
        """Starts a bot's process.

        Raises:
            LaunchError: The program cannot be started.
        """
        launched = Launched(bot, command, token)
        await self._spawn(launched)
        self.launched.append(launched)
        watcher = asyncio.create_task(self._watch(launched), name=f"bot {bot.name}")
        self._watchers.add(watcher)
        watcher.add_done_callback(self._watchers.discard)
        return launched

    async def _spawn(self, launched: Launched) -> None:
        environment = {**os.environ, "KIERY_ADDRESS": self._address, "KIERY_TOKEN": launched.token}
        # A pipe that nobody drains would stop the bot; unbuffered output is there when it dies.
        environment["PYTHONUNBUFFERED"] = "1"
        try:
            launched.process = await asyncio.create_subprocess_exec(
                *launched.command,
                env=environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                # An interrupt at the terminal is for the server, which then stops its bots itself.
                start_new_session=True,
            )
        except OSError as error:
            shown = shlex.join(launched.command)
            raise LaunchError(
                f"bot {launched.bot.name}: cannot start {shown} ({error.strerror}): expected a program"
            ) from None

    async def _watch(self, launched: Launched) -> None:
        """Drains a process's output until it ends; starts it again or gives it up."""
        while True:
            process = launched.process
            if process is None or process.stdout is None:
                return
            while data := await process.stdout.read(_CHUNK):
                launched.hear(data)
            code = await process.wait()
            if launched.stopping:
                return
            logger.warning("bot ended", extra={"bot": launched.bot.name, "status": code})
            if launched.restarts_left <= 0 or not launched.bot.was_here:
                self._ended(launched.bot)
                return
            launched.restarts_left -= 1
            try:
                await self._spawn(launched)
            except LaunchError:
                self._ended(launched.bot)
                return

    def check_alive(self) -> None:
        """Finds a bot whose process ended before it ever connected.

        Raises:
            LaunchError: There is one; says what it printed.
        """
        for launched in self.launched:
            process = launched.process
            if process is not None and process.returncode is not None and not launched.bot.was_here:
                raise LaunchError(
                    f"bot {launched.bot.name}: {shlex.join(launched.command)} ended with status"
                    f" {process.returncode} without connecting; it printed: {launched.printed or 'nothing'}"
                )

    def absent(self) -> LaunchError | None:
        """Returns what is to be said about a bot that has not connected, if there is one."""
        for launched in self.launched:
            if not launched.bot.was_here:
                return LaunchError(
                    f"bot {launched.bot.name}: {shlex.join(launched.command)} runs but never connected;"
                    f" it printed: {launched.printed or 'nothing'}"
                )
        return None

    async def restart_all(self) -> None:
        """Ends every process and starts it afresh: nothing that a process remembers survives."""
        for launched in self.launched:
            launched.bot.was_here = False
            launched.stopping = True
        await asyncio.gather(*(self._stop(launched) for launched in self.launched))
        await asyncio.gather(*self._watchers)
        again = [launched for launched in self.launched if not launched.bot.gone]
        self.launched.clear()
        for launched in again:
            await self.start(launched.bot, launched.command, launched.token)

    async def _stop(self, launched: Launched) -> None:
        launched.stopping = True
        process = launched.process
        if process is None or process.returncode is not None:
            return
        _signal(process, signal.SIGTERM)
        try:
            await asyncio.wait_for(process.wait(), _STOP_S)
        except TimeoutError:
            _signal(process, signal.SIGKILL)
            await process.wait()

    async def stop(self) -> None:
        """Ends every process, those it started included, and waits for them."""
        await asyncio.gather(*(self._stop(launched) for launched in self.launched))
        for watcher in list(self._watchers):
            watcher.cancel()
        await asyncio.gather(*self._watchers, return_exceptions=True)


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    # The process leads a session of its own, so this reaches what it started as well.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)
