"""A bot's program: keeps one stream to the server, and comes back when it is lost."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from random import Random, SystemRandom
from typing import Final

from kiery.errors import InputError, KieryError
from kiery.terms import Delivery
from kiery.v1 import play_pb2
from kiery_client.backoff import Backoff
from kiery_client.bot import bot_factory, bot_name
from kiery_client.conversation import Conversation
from kiery_client.endpoint import Endpoint, find_endpoint
from kiery_client.errors import GarbledError, GaveUpError, refusal
from kiery_client.outbox import Outbox
from kiery_client.stream import FAREWELL_S, Ending, Stream
from kiery_client.thinking import Thinker

__all__ = ["Client", "run", "run_async"]

logger = logging.getLogger("kiery_client")

_SDK: Final = "kiery-python/0.1.0"
_REVISION: Final = 1
_MAX_TABLES: Final = 2_000
_TEXT_BYTES: Final = 64
_MOST_BROKEN: Final = 5


class Client:
    """A bot on the way to a server. `run` is all that most need; this is for those who steer it."""

    def __init__(
        self,
        bot: object,
        address: str | None = None,
        token: str | None = None,
        *,
        ca: str | os.PathLike[str] | None = None,
        insecure: bool = False,
        max_tables: int = 0,
        delivery: Delivery = Delivery.COALESCED,
        workers: int = 8,
        give_up_after: float | None = None,
    ) -> None:
        """Checks the settings; nothing is dialled yet.

        Args:
            bot: An instance, which serves all tables; or a class or function that makes one for each seat.
            address: `host:port` of the server, perhaps after `https://`; else `KIERY_ADDRESS`.
            token: The bot's token; else `KIERY_TOKEN`.
            ca: A PEM file that the server's certificate is checked with; else `KIERY_CA`, else the system's.
            insecure: Allows another machine without TLS. The token can be read on the way.
            max_tables: Tables at a time, 1 to 2000; 0: the server's default.
            delivery: When the server writes: COALESCED with decisions, or IMMEDIATE after every event.
            workers: Threads for slow methods, at least 1.
            give_up_after: Seconds without a server after which `run` raises; else `KIERY_GIVE_UP_S`, which a
                server sets for the bots that it launches; none: never.

        Raises:
            AddressError: Address, token or certificate is missing or cannot be used.
            BotError: `bot` has no `pass_cards` or no `play`.
            InputError: A number is out of range.
        """
        if not 0 <= max_tables <= _MAX_TABLES:
            raise InputError(f"max_tables is {max_tables}: expected 1 to {_MAX_TABLES}, or 0 for the default")
        if workers < 1:
            raise InputError(f"workers is {workers}: expected at least 1")
        self._player, self._make = bot_factory(bot)
        name, bot_version = bot_name(bot)
        self._hello = play_pb2.Hello(
            min_revision=_REVISION,
            max_revision=_REVISION,
            sdk=_SDK,
            bot=_fitting(name),
            version=_fitting(bot_version),
            max_tables=max_tables,
            delivery=play_pb2.Delivery.ValueType(delivery),
        )
        self._endpoint = find_endpoint(address, token, ca=ca, insecure=insecure)
        self._workers = workers
        self._give_up_after = _patience(os.environ) if give_up_after is None else give_up_after
        self._chance: Random = SystemRandom()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._conversation: Conversation | None = None
        self._outbox: Outbox | None = None
        self._capacity: int | None = None
        self._draining = False
        self._leaving = asyncio.Event()
        self._stopped_by: BaseException | None = None

    # What others may call, from any thread.

    def set_capacity(self, max_tables: int) -> None:
        """Takes so many tables at a time from now on, 0 to 2000; 0: running ones go on, no new one comes.

        Raises:
            InputError: The number is out of range.
        """
        if not 0 <= max_tables <= _MAX_TABLES:
            raise InputError(f"max_tables is {max_tables}: expected 0 to {_MAX_TABLES}")
        self._on_loop(lambda: self._apply_capacity(max_tables))

    def drain(self) -> None:
        """Takes no new table, and lets `run` return after the last one."""
        self._on_loop(self._apply_drain)

    def leave(self, *, resign: bool = False) -> None:
        """Says goodbye now, and lets `run` return: the substitute takes the seats.

        Args:
            resign: Gives up all running matches; the remaining deals are forfeited. Else the bot may come
                back, and is asked again from the next deal on.
        """
        self._on_loop(lambda: self._apply_leave(resign=resign))

    def _on_loop(self, call: Callable[[], None]) -> None:
        if self._loop is None:
            call()
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(call)

    def _apply_capacity(self, max_tables: int) -> None:
        self._capacity = max_tables
        if self._outbox is not None:
            self._outbox.capacity(max_tables)

    def _apply_drain(self) -> None:
        self._draining = True
        self._apply_capacity(0)
        if self._conversation is not None:
            self._conversation.drain()

    def _apply_leave(self, *, resign: bool) -> None:
        self._leaving.set()
        if self._outbox is not None:
            self._outbox.leave(resign=resign)

    def _stop(self, error: BaseException) -> None:
        """Says goodbye and lets `run` raise what a bot raised to stop the program."""
        if self._stopped_by is None:
            self._stopped_by = error
            self._apply_leave(resign=False)

    # Streams.

    async def run(self) -> None:
        """Plays until it is told to leave; a task that is cancelled says goodbye first.

        Raises:
            RefusedError: The server refused for good; the subclass and `metadata` say why.
            GaveUpError: There was no server for `give_up_after` seconds.
            SystemExit: The bot raised it; the goodbye is said.
        """
        self._loop = asyncio.get_running_loop()
        self._conversation = Conversation(
            self._player, lambda finished: Thinker(self._make, finished, self._stop, self._workers)
        )
        if self._draining:
            self._conversation.drain()
        try:
            await self._stay_connected(self._conversation, self._loop)
        finally:
            self._conversation.close()
            self._conversation = self._outbox = None
        if self._stopped_by is not None:
            raise self._stopped_by

    async def _stay_connected(self, conversation: Conversation, loop: asyncio.AbstractEventLoop) -> None:
        backoff = Backoff(self._chance)
        greeted = False
        broken = 0
        away_since: float | None = None
        while not self._leaving.is_set():
            ending = await self._one_stream(conversation)
            now = loop.time()
            if ending.welcomed:
                greeted, away_since = True, None
                backoff.succeeded()
            if ending.left or self._leaving.is_set():
                return
            error = refusal(
                reason=ending.reason,
                code=ending.code,
                details=ending.details,
                revisions=ending.revisions,
                greeted=greeted,
            )
            if error is not None:
                raise error
            broken = broken + 1 if ending.broken else 0
            if broken >= _MOST_BROKEN:
                raise GarbledError(f"the server's messages cannot be decoded, {broken} streams in a row")
            if away_since is None:
                away_since = now
                _log_loss(self._endpoint, ending)
            if self._give_up_after is not None and now - away_since >= self._give_up_after:
                raise GaveUpError(
                    f"no server at {self._endpoint.target} for {self._give_up_after:g} s: {ending.details}"
                )
            pause_s = backoff.pause_s(now - away_since) + (conversation.retry_after_s or 0.0)
            conversation.retry_after_s = None
            logger.info("trying again in %.2f s (%s)", pause_s, ending.details)
            await self._pause(pause_s)

    async def _one_stream(self, conversation: Conversation) -> Ending:
        hello = play_pb2.Hello()
        hello.CopyFrom(self._hello)
        hello.resume_secret = conversation.resume_secret
        hello.positions.extend(conversation.positions)
        self._outbox = Outbox(hello)
        if self._capacity is not None:
            self._outbox.capacity(self._capacity)
        stream = asyncio.create_task(Stream(self._endpoint, conversation, self._outbox).run())
        try:
            return await asyncio.shield(stream)
        except asyncio.CancelledError:
            self._outbox.leave(resign=False)
            await asyncio.wait({stream}, timeout=2 * FAREWELL_S)
            stream.cancel()
            raise
        finally:
            self._outbox = None

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._leaving.wait()
        except TimeoutError:
            return


async def run_async(
    bot: object,
    address: str | None = None,
    token: str | None = None,
    *,
    ca: str | os.PathLike[str] | None = None,
    insecure: bool = False,
    max_tables: int = 0,
    delivery: Delivery = Delivery.COALESCED,
    workers: int = 8,
    give_up_after: float | None = None,
) -> None:
    """Plays with a bot inside a running event loop. Arguments and errors are those of `Client`."""
    client = Client(
        bot,
        address,
        token,
        ca=ca,
        insecure=insecure,
        max_tables=max_tables,
        delivery=delivery,
        workers=workers,
        give_up_after=give_up_after,
    )
    await client.run()


def run(
    bot: object,
    address: str | None = None,
    token: str | None = None,
    *,
    ca: str | os.PathLike[str] | None = None,
    insecure: bool = False,
    max_tables: int = 0,
    delivery: Delivery = Delivery.COALESCED,
    workers: int = 8,
    give_up_after: float | None = None,
) -> None:
    """Plays with a bot until Ctrl-C: the whole of a bot's program. Arguments are those of `Client`.

    Raises:
        SystemExit: Status 2 when a setting is wrong, 1 when the server refused for good; one line on the
            standard error says why. `run_async` raises the errors themselves.
    """
    try:
        client = Client(
            bot,
            address,
            token,
            ca=ca,
            insecure=insecure,
            max_tables=max_tables,
            delivery=delivery,
            workers=workers,
            give_up_after=give_up_after,
        )
        asyncio.run(_run_until_interrupted(client))
    except KeyboardInterrupt:
        # A second Ctrl-C: at once.
        return
    except KieryError as error:
        print(f"kiery: {error}", file=sys.stderr)  # noqa: T201  # a program's last word
        raise SystemExit(2 if isinstance(error, InputError) else 1) from None


async def _run_until_interrupted(client: Client) -> None:
    """Plays until Ctrl-C, and says goodbye then.

    The handler is the loop's own: the one that `asyncio.run` installs misses a signal that comes just before
    the loop waits, until something else wakes it.
    """
    loop = asyncio.get_running_loop()
    playing = loop.create_task(client.run())

    def interrupt() -> None:
        # A second Ctrl-C raises KeyboardInterrupt.
        loop.remove_signal_handler(signal.SIGINT)
        playing.cancel()

    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        # Windows has no such handlers, nor has any thread but the main one.
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(signal.SIGINT, interrupt)
    with suppress(asyncio.CancelledError):
        await playing


def _patience(environment: Mapping[str, str]) -> float | None:
    """Returns after how many seconds without a server a bot gives up, as its launcher wants it.

    Raises:
        InputError: The variable holds no number above 0.
    """
    text = environment.get("KIERY_GIVE_UP_S")
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise InputError(f"KIERY_GIVE_UP_S is {text[:32]!a}: expected seconds, such as 30")
    return seconds


def _fitting(text: str) -> str:
    """Returns a text cut to what the greeting may hold."""
    return text.encode()[:_TEXT_BYTES].decode(errors="ignore")


def _log_loss(endpoint: Endpoint, ending: Ending) -> None:
    if ending.welcomed:
        logger.warning(
            "lost the stream to %s (%s); resuming", endpoint.target, ending.details or ending.reason
        )
    else:
        logger.warning("cannot reach %s (%s); trying again", endpoint.target, ending.details or ending.reason)
