"""The real server, a process: floor, lobby and gRPC as `kiery serve` has them, with records kept.

What differs is only who decides which tables are played: the bench does, instead of a tournament.
Run by `kiery.bench.worker`: `python -m kiery.bench.server LOOP patient|plain timed|plain`.
"""

import asyncio
import logging
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

from kiery.access import AccessError, Role, TokenBook
from kiery.bench.contest import play_contest
from kiery.bench.control import reply, serve_commands
from kiery.bench.latency import TimedFloor, percentiles
from kiery.bench.process import mark, memory_kib, peak_kib, run_on
from kiery.bench.tables import PLAYERS, header_of, new_match, new_table
from kiery.host import Bot, Clock, Floor, Lobby, Refusal, RefusalReason, Run, Verdict, Writer
from kiery.record import build_record
from kiery.terms import Limits, MatchCause
from kiery.transport import GrpcServer
from kiery.wire_service import record_to_bytes

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

    def __init__(self, clock: Clock, *, patient: bool, timed: bool) -> None:
        """Puts the parts together.

        Args:
            clock: The clock of the loop.
            patient: Whether streams outlive a pause of minutes.
            timed: Whether the floor notes how long each table takes.
        """
        limits = _PATIENT if patient else Limits()
        self.clock = clock
        self.floor = TimedFloor(clock, limits) if timed else Floor(clock, limits)
        self.lobby = Lobby(self.floor, clock, limits, "kiery bench")
        self.floor.lobby = self.lobby
        self.server = GrpcServer(self.lobby, self._authenticate, limits)
        self.writer = Writer()
        self.tokens = TokenBook()
        self.finished = 0
        """Matches whose record is kept, of those that the bench opened."""
        self.count_finished: Callable[[], int] = lambda: self.finished
        """Counts the finished matches; a tournament knows its own."""
        self.record_bytes = 0
        """Their size as stored."""
        self._headers: dict[Run, tuple[int, int]] = {}
        self._opened = 0
        self._deals = 0
        self._failure = ""
        self._keeping: set[asyncio.Task[None]] = set()

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
        secrets = [
            self.tokens.add(f"b{number}", Role.BOT, now_ms=0, kept=False).secret for number in range(count)
        ]
        return {"tokens": secrets}

    async def ask_mark(self) -> dict[str, Any]:
        """Tells CPU time and decisions so far."""
        if self._failure:
            raise RuntimeError(self._failure)
        return {**mark(), "decisions": self.floor.decisions, "finished": self.count_finished()}

    async def ask_memory(self) -> dict[str, Any]:
        """Tells the memory in use, and the peak."""
        return {"kib": memory_kib(), "peak_kib": peak_kib()}

    async def ask_here(self) -> dict[str, Any]:
        """Tells how many bots are in the lobby."""
        return {"bots": len(self.greeted)}

    async def ask_open(self, tables: int, deals: int) -> dict[str, Any]:
        """Opens tables: four bots each in turn, as often round as it takes.

        Args:
            tables: How many.
            deals: Deals in a match.
        """
        here = self.greeted
        self._deals = deals
        for table in range(tables):
            first = PLAYERS * table % len(here)
            self._open(here[first : first + PLAYERS])
        return {}

    async def ask_contest(self, matches: int, max_tables: int) -> dict[str, Any]:
        """Begins a whole tournament between the four bots."""
        task = asyncio.create_task(play_contest(self, matches, max_tables))
        self._keeping.add(task)
        task.add_done_callback(self._kept)
        return {}

    async def ask_waits(self) -> dict[str, Any]:
        """Tells how long tables took since this was last asked, and forgets it."""
        if not isinstance(self.floor, TimedFloor):
            raise RuntimeError("this server notes no waits")  # noqa: TRY004  (the bench's own mistake)
        found = percentiles(self.floor.waits)
        del self.floor.waits[:]
        return found

    def _open(self, bots: Sequence[Bot]) -> None:
        number = self._opened
        self._opened += 1
        table = new_table(new_match(number, deals=self._deals), f"m{number}")
        run = self.floor.open(table, bots, self._ended)
        self._headers[run] = (number, int(self.clock.today().timestamp() * 1000))

    def _ended(self, run: Run, verdict: Verdict) -> None:
        if verdict is not Verdict.PLAYED:
            # What goes on now is not what is to be measured.
            self._failure = "a match failed"
            return
        task = asyncio.create_task(self._keep(run))
        self._keeping.add(task)
        task.add_done_callback(self._kept)

    def _kept(self, task: asyncio.Task[None]) -> None:
        self._keeping.discard(task)
        if not task.cancelled() and task.exception() is not None:
            logger.error("cannot go on", exc_info=task.exception())
            self._failure = repr(task.exception())

    async def _keep(self, run: Run) -> None:
        """Builds the record and packs it off the loop, as the director and the store do."""
        await asyncio.sleep(0)
        number, start_ms = self._headers.pop(run)
        record = build_record(
            run.table.match,
            header_of(number, deals=self._deals),
            cause=MatchCause.COMPLETED,
            seat_causes=run.table.seat_causes(),
            start_ms=start_ms,
            end_ms=int(self.clock.today().timestamp() * 1000),
        )
        packed = await self.writer.do(lambda: record_to_bytes(record))
        self.finished += 1
        self.record_bytes += len(packed)
        self.floor.finish(run, MatchCause.COMPLETED, record.digest)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK_S)
            self.lobby.tick()

    async def run(self) -> None:
        """Serves until the bench is done."""
        port = await self.server.start("127.0.0.1:0")
        ticker = asyncio.create_task(self._tick())
        reply({"port": port})
        await serve_commands(
            {
                "tokens": self.ask_tokens,
                "mark": self.ask_mark,
                "memory": self.ask_memory,
                "here": self.ask_here,
                "open": self.ask_open,
                "contest": self.ask_contest,
                "waits": self.ask_waits,
            }
        )
        ticker.cancel()
        await self.server.stop(0)
        self.floor.close()
        self.writer.close()


def set_up_logging() -> None:
    """Logs as `kiery serve` does: every line of level INFO is formatted and written to standard error."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(message)s")


def main() -> None:
    """Runs the process."""
    loop, patience, timing = sys.argv[1:]
    set_up_logging()

    async def serve(clock: Clock) -> None:
        # Made here, since gRPC takes the running loop.
        await BenchServer(clock, patient=patience == "patient", timed=timing == "timed").run()

    run_on(loop, serve)


if __name__ == "__main__":
    main()
