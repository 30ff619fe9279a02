"""The real server, a process: floor with its journal, lobby, gRPC, store, as `kiery serve` has them.

What differs is only who decides which tables are played: the bench does, unless it asks for a tournament.
Run by `kiery.bench.worker`: `python -m kiery.bench.server LOOP patient|plain timed|plain`.
"""

import asyncio
import logging
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from kiery.access import AccessError, Role, TokenBook
from kiery.bench.contest import play_contest
from kiery.bench.control import reply, serve_commands
from kiery.bench.latency import TimedFloor, TimedLobby, percentiles
from kiery.bench.process import mark, memory_kib, peak_kib, run_on
from kiery.bench.tables import PLAYERS, header_of, new_match, new_table
from kiery.host import (
    Bot,
    Clock,
    JournaledFloor,
    Lobby,
    Refusal,
    RefusalReason,
    Run,
    Verdict,
    Writer,
    boot_id,
    open_journal,
)
from kiery.journal import JournalWriter, Opening
from kiery.store import Store
from kiery.terms import Limits
from kiery.transport import GrpcServer

__all__ = ["BenchServer", "main"]

logger = logging.getLogger(__name__)

_TICK_S: Final = 1.0
_BEARER: Final = "Bearer "
_PATIENT: Final = Limits(
    heartbeat_ms=600_000, lobby_heartbeat_ms=600_000, write_timeout_ms=600_000, hello_timeout_ms=600_000
)
"""For figures in which the bench stops both processes between rounds: a pause must not end a stream."""


class BenchServer:
    """A server whose tables the bench opens."""

    def __init__(
        self, clock: Clock, store: Store, journal: JournalWriter, *, patient: bool, timed: bool
    ) -> None:
        """Puts the parts together.

        Args:
            clock: The clock of the loop.
            store: Where records are kept.
            journal: Where inputs are noted.
            patient: Whether streams outlive a pause of minutes.
            timed: Whether the floor notes how long each table takes.
        """
        limits = _PATIENT if patient else Limits()
        self.clock = clock
        self.store = store
        self.floor, self.lobby = _timed(clock, limits, journal) if timed else _plain(clock, limits, journal)
        self.floor.lobby = self.lobby
        self.server = GrpcServer(self.lobby, self._authenticate, limits)
        self.writer = Writer()
        self.tokens = TokenBook()
        self.count_finished: Callable[[], int] = lambda: 0
        """Counts the finished matches of a tournament; tables that the bench opens do not end."""
        self._failure = ""
        self._contest: asyncio.Task[None] | None = None

    def _authenticate(self, metadata: tuple[tuple[str, str | bytes], ...]) -> Bot | Refusal:
        secret = next((value for key, value in metadata if key == "authorization"), "")
        if not isinstance(secret, str) or not secret.startswith(_BEARER):
            return Refusal(reason=RefusalReason.TOKEN, message="no token")
        try:
            identity = self.tokens.authenticate(secret.removeprefix(_BEARER))
        except AccessError as error:
            return Refusal(reason=RefusalReason.TOKEN, message=str(error))
        return self.lobby.bot(identity.token_id, identity.name)

    @property
    def greeted(self) -> list[Bot]:
        """The bots that are in the lobby, by their number."""
        here = [bot for bot in self.lobby.bots.values() if bot.session is not None and bot.session.greeted]
        return sorted(here, key=lambda bot: int(bot.name[1:]))

    # What the bench asks

    async def ask_tokens(self, count: int) -> dict[str, Any]:
        """Makes the tokens of some bots, `b0` and so on."""
        names = [f"b{number}" for number in range(count)]
        return {"tokens": [self.tokens.add(name, Role.BOT, now_ms=0, kept=False).secret for name in names]}

    async def ask_here(self) -> dict[str, Any]:
        """Tells how many bots are in the lobby."""
        return {"bots": len(self.greeted)}

    async def ask_mark(self) -> dict[str, Any]:
        """Tells CPU time and decisions so far."""
        if self._failure:
            raise RuntimeError(self._failure)
        return {**mark(), "decisions": self.floor.decisions, "finished": self.count_finished()}

    async def ask_memory(self) -> dict[str, Any]:
        """Tells the memory in use, and the peak."""
        return {"kib": memory_kib(), "peak_kib": peak_kib()}

    async def ask_open(self, tables: int, deals: int) -> dict[str, Any]:
        """Opens tables: four bots each in turn, as often round as it takes.

        Args:
            tables: How many.
            deals: Deals in a match: more than can be played.
        """
        here = self.greeted
        for number in range(tables):
            first = PLAYERS * number % len(here)
            self._open(number, deals, here[first : first + PLAYERS])
        return {}

    def _open(self, number: int, deals: int, bots: Sequence[Bot]) -> None:
        header = header_of(number, deals=deals)
        opening = Opening(
            tournament=header.tournament,
            fixture=number,
            attempt=1,
            start_ms=int(self.clock.today().timestamp() * 1000),
            versions=("1",) * PLAYERS,
            terms=bytes(32),
        )
        self.floor.open(
            new_table(new_match(number, deals=deals), header.match_id), bots, self._ended, opening
        )

    def _ended(self, run: Run, verdict: Verdict) -> None:
        # What goes on now is not what is to be measured.
        self._failure = f"match {run.table.match_id} has {verdict.value}"

    async def ask_contest(self, matches: int, max_tables: int) -> dict[str, Any]:
        """Begins a whole tournament between the four bots."""
        self._contest = asyncio.create_task(play_contest(self, matches, max_tables))
        self._contest.add_done_callback(self._contest_ended)
        return {}

    def _contest_ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            self._failure = f"the tournament has ended: {task.exception()!r}"

    async def ask_waits(self) -> dict[str, Any]:
        """Tells how long tables took since this was last asked, and forgets it."""
        if not isinstance(self.floor, TimedFloor):
            raise RuntimeError("this server notes no waits")  # noqa: TRY004  (the bench's own mistake)
        found = percentiles(self.floor.waits)
        del self.floor.waits[:]
        return found

    async def run(self) -> None:
        """Serves until the bench is done."""
        port = await self.server.start("127.0.0.1:0")
        ticker = asyncio.create_task(self._tick())
        reply({"port": port})
        await serve_commands(
            {
                "tokens": self.ask_tokens,
                "here": self.ask_here,
                "mark": self.ask_mark,
                "memory": self.ask_memory,
                "open": self.ask_open,
                "contest": self.ask_contest,
                "waits": self.ask_waits,
            }
        )
        for task in (ticker, self._contest):
            if task is not None:
                task.cancel()
        await self.server.stop(0)
        self.floor.close()
        self.writer.close()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK_S)
            self.lobby.tick()


def _plain(clock: Clock, limits: Limits, journal: JournalWriter) -> tuple[JournaledFloor, Lobby]:
    floor = JournaledFloor(clock, limits, journal)
    return floor, Lobby(floor, clock, limits, "kiery bench")


def _timed(clock: Clock, limits: Limits, journal: JournalWriter) -> tuple[JournaledFloor, Lobby]:
    floor = TimedFloor(clock, limits, journal)
    return floor, TimedLobby(floor, clock, limits)


def main() -> None:
    """Runs the process."""
    loop, patience, timing = sys.argv[1:]
    # As `kiery serve` does: every line of level INFO is formatted and written to standard error.
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(message)s")

    async def serve(clock: Clock) -> None:
        with (
            tempfile.TemporaryDirectory() as folder,
            Store.open(f"sqlite:///{Path(folder) / 'bench.sqlite'}") as store,
            closing(open_journal(store, clock, boot=boot_id())[0]) as journal,
        ):
            # Made here, since gRPC takes the running loop.
            server = BenchServer(
                clock, store, journal, patient=patience == "patient", timed=timing == "timed"
            )
            await server.run()

    run_on(loop, serve)


if __name__ == "__main__":
    main()
