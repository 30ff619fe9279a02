"""One server process: loop, clock, floor, lobby, gRPC, launched bots, store thread, all ended together."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from kiery import __version__
from kiery.access import AccessError, TokenBook, may_call
from kiery.cli.console import note
from kiery.errors import InputError
from kiery.host import (
    Bot,
    Clock,
    Contest,
    JournaledFloor,
    Launcher,
    Lobby,
    Plan,
    Refusal,
    RefusalReason,
    Scoreboard,
    Writer,
    boot_id,
    open_journal,
)
from kiery.store import Store
from kiery.terms import Limits
from kiery.transport import GrpcServer, Tls, is_loopback
from kiery.transport.play import METHOD

__all__ = ["Listen", "Node", "listen_on"]

_TICK_S = 1.0
_BEARER = "Bearer "
_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listen:
    """Where a server listens and how."""

    address: str = "127.0.0.1:0"
    """`HOST:PORT`; port 0 takes any free one."""
    tls: Tls | None = None
    """Key and certificate; none: plain text."""
    insecure: bool = False
    """Whether plain text is allowed beyond this machine."""

    @property
    def is_plain_loopback(self) -> bool:
        """Whether the bots that are launched here can use it, too."""
        return self.tls is None and is_loopback(self.address.rpartition(":")[0])


class Node:
    """A running server."""

    def __init__(self, store: Store, tokens: TokenBook, clock: Clock, limits: Limits) -> None:
        """Puts the parts together, journal first; `running` starts them.

        Raises:
            JournalError: The journal beside the store cannot be read or written.
        """
        self.store = store
        self.tokens = tokens
        self.clock = clock
        self.writer = Writer()
        self.journal, self.recovery = open_journal(store, clock, boot=boot_id())
        """What a killed server has left is judged before anything else happens."""
        self.floor = JournaledFloor(clock, limits, self.journal)
        self.lobby = Lobby(self.floor, clock, limits, f"kiery {__version__}")
        self.floor.lobby = self.lobby
        self.server = GrpcServer(self.lobby, self._authenticate, limits)
        self.address = ""
        """Where bots dial in, once listening."""
        self.launcher: Launcher

    def _authenticate(self, metadata: tuple[tuple[str, str | bytes], ...]) -> Bot | Refusal:
        secret = next((value for key, value in metadata if key == "authorization"), "")
        if not isinstance(secret, str) or not secret.startswith(_BEARER):
            message = "no token: expected the metadata `authorization: Bearer TOKEN`"
            return Refusal(reason=RefusalReason.TOKEN, message=message)
        try:
            identity = self.tokens.authenticate(secret.removeprefix(_BEARER))
        except AccessError as error:
            return Refusal(reason=RefusalReason.TOKEN, message=str(error))
        if not may_call(identity.role, METHOD):
            message = f"a token of role {identity.role.word} does not play: expected one of role bot"
            return Refusal(reason=RefusalReason.ROLE, message=message)
        return self.lobby.bot(identity.token_id, identity.name)

    @classmethod
    @asynccontextmanager
    async def running(
        cls, store: Store, tokens: TokenBook, clock: Clock, listen: Listen, limits: Limits | None = None
    ) -> AsyncIterator["Node"]:
        """Runs a server until the block is left; then its bots, streams and threads are ended.

        Raises:
            ListenError: The address cannot be listened on.
            JournalError: The journal beside the store cannot be read or written.
        """
        limits = limits or Limits()
        node = cls(store, tokens, clock, limits)
        with contextlib.closing(node.journal):
            found = str(node.recovery)
            if found:
                note(f"kiery: {found}")
            async with node._serving(listen, limits):
                yield node

    @asynccontextmanager
    async def _serving(self, listen: Listen, limits: Limits) -> AsyncIterator[None]:
        port = await self.server.start(listen.address, tls=listen.tls, insecure=listen.insecure)
        host = listen.address.rpartition(":")[0]
        self.address = inner = f"{host}:{port}"
        servers = [self.server]
        if not listen.is_plain_loopback:
            # Launched bots need no certificate, and an address like 0.0.0.0 cannot be dialled.
            door = GrpcServer(self.lobby, self._authenticate, limits)
            inner = f"{_LOOPBACK}:{await door.start(f'{_LOOPBACK}:0')}"
            servers.append(door)
        self.launcher = Launcher(inner, ended=self.lobby.give_up)
        ticker = asyncio.create_task(self._tick(), name="tick")
        try:
            yield
        finally:
            ticker.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await ticker
            self.lobby.shut_down()
            await self.launcher.stop()
            await asyncio.gather(*(server.stop(0.5) for server in servers))
            self.floor.close()
            self.writer.close()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK_S)
            self.lobby.tick()

    def contest(self, plan: Plan, scoreboard: Scoreboard, max_tables: int, connect_s: float) -> Contest:
        """Returns a tournament that is ready to be played here, and to be shown on a scoreboard."""
        return Contest(
            plan,
            self.store,
            self.writer,
            self.lobby,
            self.clock,
            self.tokens,
            self.launcher,
            seen=scoreboard.add,
            unseen=scoreboard.clear,
            max_tables=max_tables,
            connect_s=connect_s,
            in_flight=self.recovery.in_flight.get(plan.spec.name, ()),
        )


def listen_on(address: str, certificate: Path | None, key: Path | None, *, insecure: bool) -> Listen:
    """Returns where to listen, with key and certificate read from their files.

    Raises:
        InputError: Only one of the files is given, or one cannot be read.
    """
    if (certificate is None) != (key is None):
        raise InputError("TLS needs both --tls-cert and --tls-key")
    tls = None
    if certificate is not None and key is not None:
        try:
            tls = Tls(certificate=certificate.read_bytes(), key=key.read_bytes())
        except OSError as error:
            raise InputError(f"cannot read {error.filename}: {error.strerror}") from None
    return Listen(address=address, tls=tls, insecure=insecure)
