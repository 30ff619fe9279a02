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
_SHOWN_LINES: Final = 6
_RESTARTS: Final = 3
_STOP_S: Final = 3.0
_DRAIN_S: Final = 1.0
_LOOK_S: Final = 0.02
_CHUNK: Final = 4_096
_GIVE_UP_S: Final = "30"
"""A bot whose server was killed ends after so many seconds without one."""


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
        self.over = False
        """Whether its process has ended and will not be started again; all that it printed was heard."""
        self.away_since: float | None = None
        """Since when its process has run without a stream, seconds of the loop's clock."""
        self._rest = b""

    @property
    def printed(self) -> str:
        """What it printed last, for an error message; empty if nothing."""
        lines = [*self.lines, *self._unended()]
        return " | ".join([line for line in lines if line.strip()][-_SHOWN_LINES:])

    def hear(self, data: bytes) -> None:
        """Keeps what the process printed, within bounds."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._rest = self._rest[:_LINE_BYTES]
        self.lines.extend(map(_readable, lines))

    def hear_end(self) -> None:
        """Notes that nothing more comes from this process."""
        self.lines.extend(self._unended())
        self._rest = b""

    def _unended(self) -> Sequence[str]:
        return [_readable(self._rest)] if self._rest else []


def _readable(line: bytes) -> str:
    text = line[:_LINE_BYTES].decode("utf-8", "replace")
    return "".join(char if char.isprintable() else " " for char in text)


class Launcher:
    """Starts, watches and stops bots' processes."""

    def __init__(self, address: str, *, ended: Callable[[Bot], None]) -> None:
        """Launches nothing yet.

        Args:
            address: Where the processes connect to, on this machine and in plain text.
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
        environment = {
            **os.environ,
            "KIERY_ADDRESS": self._address,
            "KIERY_TOKEN": launched.token,
            # A server that is killed cannot stop its bots.
            "KIERY_GIVE_UP_S": _GIVE_UP_S,
            # Output that is not held back is there when the bot dies.
            "PYTHONUNBUFFERED": "1",
        }
        # It would ask for TLS, and the address is on this machine.
        environment.pop("KIERY_CA", None)
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
        """Hears a process until it ends; starts it again or gives it up."""
        while (process := launched.process) is not None:
            code = await _run_out(process, launched)
            if launched.stopping:
                return
            logger.warning("bot ended", extra={"bot": launched.bot.name, "status": code})
            if launched.restarts_left <= 0 or not launched.bot.was_here:
                break
            launched.restarts_left -= 1
            launched.away_since = None
            try:
                await self._spawn(launched)
            except LaunchError:
                break
            if launched.stopping:
                # It was stopped while it was being started.
                await self._stop(launched)
                return
        launched.over = True
        self._ended(launched.bot)

    def check_alive(self) -> None:
        """Finds a bot whose process ended before it ever connected.

        Raises:
            LaunchError: There is one; says what it printed.
        """
        for launched in self.launched:
            process = launched.process
            if launched.over and process is not None and not launched.bot.was_here:
                raise LaunchError(
                    f"bot {launched.bot.name}: {shlex.join(launched.command)} ended with status"
                    f" {process.returncode} without connecting: expected a bot that plays until it is"
                    f" stopped; it printed: {launched.printed or 'nothing'}"
                )

    def absent(self) -> LaunchError | None:
        """Returns what is to be said about a bot that has not connected, if there is one."""
        for launched in self.launched:
            if not launched.bot.was_here:
                return LaunchError(
                    f"bot {launched.bot.name}: {shlex.join(launched.command)} runs but never connected:"
                    " expected it to dial KIERY_ADDRESS with KIERY_TOKEN;"
                    f" it printed: {launched.printed or 'nothing'}"
                )
        return None

    def end_absent(self, now: float, limit_s: float) -> None:
        """Kills processes that run but have had no stream for too long, as if they had died.

        Without this a tournament would wait for ever for a bot that hangs.

        Args:
            now: Seconds of the loop's clock.
            limit_s: How long a process may be away.
        """
        for launched in self.launched:
            process = launched.process
            if launched.bot.session is not None or process is None or process.returncode is not None:
                launched.away_since = None
            elif launched.away_since is None:
                launched.away_since = now
            elif now - launched.away_since > limit_s:
                launched.away_since = None
                logger.warning("bot is away, its process is ended", extra={"bot": launched.bot.name})
                _signal(process, signal.SIGKILL)

    async def restart_all(self) -> None:
        """Ends every process and starts it afresh: nothing that a process remembers survives."""
        before = list(self.launched)
        await self.stop()
        self.launched.clear()
        for launched in before:
            if not launched.bot.gone:
                launched.bot.was_here = False
                again = await self.start(launched.bot, launched.command, launched.token)
                again.lines.extend(launched.lines)

    async def _stop(self, launched: Launched) -> None:
        launched.stopping = True
        process = launched.process
        if process is None or process.returncode is not None:
            return
        for number, patience_s in ((signal.SIGTERM, _STOP_S), (signal.SIGKILL, _DRAIN_S)):
            _signal(process, number)
            if await _exited(process, patience_s):
                return

    async def stop(self) -> None:
        """Ends every process, those it started included, and waits for them."""
        await asyncio.gather(*(self._stop(launched) for launched in self.launched))
        if self._watchers:
            # They hear the last lines; one that was just starting a process stops that as well.
            await asyncio.wait(self._watchers, timeout=_STOP_S + 2 * _DRAIN_S)
        for watcher in list(self._watchers):
            watcher.cancel()
        await asyncio.gather(*self._watchers, return_exceptions=True)

    async def dismiss(self) -> None:
        """Ends every process and forgets it."""
        await self.stop()
        self.launched.clear()


async def _run_out(process: asyncio.subprocess.Process, launched: Launched) -> int | None:
    """Hears a process until it has ended, and returns its status.

    A child that outlives it may hold its output open; that is not waited for.
    """
    hearing = asyncio.create_task(_hear(process, launched), name=f"hear {launched.bot.name}")
    try:
        while process.returncode is None and not hearing.done():
            await asyncio.wait({hearing}, timeout=_DRAIN_S)
        await asyncio.wait({hearing}, timeout=_DRAIN_S)
        while process.returncode is None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), _DRAIN_S)
    finally:
        hearing.cancel()
        launched.hear_end()
        # The pipe, which nobody else closes as long as a child has it; asyncio has no public way.
        process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001
    return process.returncode


async def _exited(process: asyncio.subprocess.Process, patience_s: float) -> bool:
    """Waits until a process has ended, at most for some seconds, and tells whether it has."""
    # Not by `process.wait`, which before Python 3.13 also waits for whoever else holds the output open; there
    # is no earlier event to wait for.
    until = asyncio.get_running_loop().time() + patience_s
    while process.returncode is None and asyncio.get_running_loop().time() < until:  # noqa: ASYNC110
        await asyncio.sleep(_LOOK_S)
    return process.returncode is not None


async def _hear(process: asyncio.subprocess.Process, launched: Launched) -> None:
    # A pipe that nobody drains would stop the bot.
    while process.stdout is not None and (data := await process.stdout.read(_CHUNK)):
        launched.hear(data)


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    # The process leads a session of its own, so this reaches what it started as well.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)
