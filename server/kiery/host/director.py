"""Plays a tournament: offers fixtures in order to bots that have room, and keeps every record.

The order in which fixtures end decides nothing: seats, boards and labels follow from the plan.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from kiery import __version__
from kiery.engine import Board, Match, derive_board
from kiery.host.bot import Bot
from kiery.host.clock import Clock
from kiery.host.floor import Floor, Run, Verdict
from kiery.host.plan import Plan
from kiery.journal import InFlight, Opening, ReplayError, replay
from kiery.record import MatchHeader, MatchRecord, RecordEntrant, build_record
from kiery.record.chain import header_link
from kiery.rules import MatchLength
from kiery.table import Table
from kiery.terms import ForcedActions, MatchCause
from kiery.tournament import Fixture, Sharing, label

__all__ = ["Archive", "Director", "Plan"]

logger = logging.getLogger(__name__)

ENGINE: Final = f"kiery/{__version__}"
_MAX_ATTEMPTS: Final = 5
"""Tries at a fixture that the server's own faults may void; then the tournament stops with an error."""


@dataclass(slots=True)
class _Open:
    """A fixture being played."""

    fixture: Fixture
    header: MatchHeader
    start_ms: int


class Archive(Protocol):
    """Where the director keeps what was played."""

    async def keep(self, record: MatchRecord) -> None:
        """Commits the record of a match, and gives the planner its result if it is valid.

        The match is not shown as ended before.
        """
        ...

    async def void(self, fixture: int, attempt: int) -> None:
        """Makes a kept attempt void."""
        ...

    async def lose(self, fixture: int, attempt: int) -> None:
        """Notes a void attempt that has no record."""
        ...


class Director:
    """Plays the fixtures of one tournament."""

    def __init__(
        self,
        plan: Plan,
        floor: Floor,
        clock: Clock,
        bots: Sequence[Bot],
        *,
        archive: Archive,
        finished: Collection[int],
        voids: Mapping[str, int],
        max_tables: int,
        between_laps: Callable[[], Awaitable[None]],
        in_flight: Sequence[InFlight] = (),
    ) -> None:
        """Plans what is left to play.

        Args:
            plan: The tournament.
            floor: Where tables are played.
            clock: Dates the records.
            bots: By index in `spec.seated_entrants`.
            archive: Keeps the records.
            finished: Fixtures that have a valid record already.
            voids: The last void attempt at a stream of boards; absent: none.
            max_tables: Tables at a time, at most.
            between_laps: Awaited before each lap but the first that is played.
            in_flight: Matches that were being played when the server was killed, from its journal.
        """
        self.plan = plan
        self._floor = floor
        self._clock = clock
        self._bots = tuple(bots)
        self._archive = archive
        self._voids = dict(voids)
        self._finished = set(finished)
        self._max_tables = max_tables
        self._between_laps = between_laps
        self._in_flight = tuple(in_flight)
        self._waiting = [
            fixture for fixture in plan.fixtures if fixture.index not in finished and not fixture.dropped
        ]
        self._open: dict[Run, _Open] = {}
        self._keeping: set[asyncio.Task[None]] = set()
        self._wake = asyncio.Event()
        self._failure: BaseException | None = None
        self._lap: int | None = None

    @property
    def fixtures_done(self) -> int:
        """Fixtures with a valid record."""
        return len(self._finished)

    @property
    def tables(self) -> Sequence[Run]:
        """Tables in play."""
        return tuple(self._open)

    def look(self) -> None:
        """Looks for fixtures that can begin: a bot has come, or has room again."""
        self._wake.set()

    async def play(self) -> None:
        """Plays until every fixture has a valid record.

        Raises:
            RuntimeError: The server's own faults voided a fixture too often.
            Exception: Whatever keeping a record raised; nothing that was kept before is lost.
        """
        try:
            await self._go_on_all()
            while self._waiting or self._open or self._keeping:
                if self._failure is not None:
                    raise self._failure
                await self._enter_lap()
                self._begin_fixtures()
                self._wake.clear()
                if not (self._waiting and self._can_begin()):
                    await self._wake.wait()
            if self._failure is not None:
                raise self._failure
        finally:
            await self._give_up_open()

    async def _enter_lap(self) -> None:
        """Waits for the end of a lap before fixtures of the next one begin."""
        if self.plan.spec.sharing is not Sharing.LAPS or not self._waiting:
            return
        lap = self._waiting[0].arrangement
        if self._lap is None:
            self._lap = lap
        if lap != self._lap and not self._open and not self._keeping:
            self._lap = lap
            await self._between_laps()

    def _can_begin(self) -> bool:
        return len(self._open) < self._max_tables and any(self._has_room(each) for each in self._waiting[:1])

    def _has_room(self, fixture: Fixture) -> bool:
        if self._lap is not None and fixture.arrangement != self._lap:
            return False
        needed: dict[Bot, int] = {}
        for entrant in fixture.seats:
            bot = self._bots[entrant]
            needed[bot] = needed.get(bot, 0) + 1
        return all(bot.gone or bot.room >= count for bot, count in needed.items())

    def _begin_fixtures(self) -> None:
        """Begins every waiting fixture whose bots have room, in order, within bounds.

        A table is opened as long as a bot is missing only if that bot is gone for good: a fixture whose
        bot is reconnecting waits, others overtake it.
        """
        held: list[Fixture] = []
        # Looking far ahead finds little: whoever has no room for the first has none for most.
        horizon = self._waiting[: 4 * self._max_tables]
        rest = self._waiting[len(horizon) :]
        for fixture in horizon:
            if len(self._open) < self._max_tables and self._has_room(fixture):
                self._begin(fixture)
            else:
                held.append(fixture)
        self._waiting = held + rest

    # One fixture

    def _begin(self, fixture: Fixture) -> None:
        attempt = self._voids.get(fixture.stream, 0) + 1
        seated = self.plan.spec.seated_entrants
        versions = [seated[index].version or self._bots[index].version for index in fixture.seats]
        header = self._header(fixture, attempt, versions)
        start_ms = self._now_ms()
        opening = Opening(
            tournament=header.tournament,
            fixture=fixture.index,
            attempt=attempt,
            start_ms=start_ms,
            versions=tuple(versions),
            terms=header_link(header),
        )
        opened = _Open(fixture=fixture, header=header, start_ms=start_ms)
        bots = [self._bots[index] for index in fixture.seats]
        run = self._floor.open(self._table(fixture, header), bots, self._ended, opening)
        self._open[run] = opened

    def _header(self, fixture: Fixture, attempt: int, versions: Sequence[str]) -> MatchHeader:
        plan = self.plan
        spec = plan.spec
        shared = spec.sharing is Sharing.LAPS
        entrants = [spec.seated_entrants[index] for index in fixture.seats]
        return MatchHeader(
            match_id=plan.match_id(fixture.index, attempt),
            tournament=spec.name,
            fixture=fixture.index,
            attempt=attempt,
            set_index=fixture.set_index if shared else None,
            lap=fixture.arrangement + 1 if shared else None,
            entropy=spec.entropy.encode(),
            commitment=plan.derivation.commitment,
            rules=spec.played_rules,
            deal_limit=fixture.deal_count,
            entrants=tuple(
                RecordEntrant(
                    name=entrant.name,
                    version=version,
                    owner=entrant.owner,
                    house=index >= plan.schedule.entrant_count,
                )
                for index, entrant, version in zip(fixture.seats, entrants, versions, strict=True)
            ),
            engine=ENGINE,
            time_control=spec.time_control.terms,
            fault_policy=spec.fault_policy.terms,
            forced_actions=spec.forced_actions,
        )

    def _table(self, fixture: Fixture, header: MatchHeader) -> Table:
        plan = self.plan
        rules = header.rules

        def board_of(number: int) -> Board:
            name = label(header.tournament, fixture.stream, header.attempt, number)
            board = derive_board(rules, number, name, plan.derivation.key(name))
            # A hash of the key would show that a board is an old one.
            return replace(board, key_hash=b"") if header.lap is not None else board

        return Table(
            Match(rules, MatchLength(deal_limit=fixture.deal_count), board_of),
            match_id=header.match_id,
            names=[entrant.name for entrant in header.entrants],
            time_control=header.time_control,
            fault_policy=header.fault_policy,
            forced_actions=ForcedActions(header.forced_actions),
            tournament_id=header.tournament,
            commitment=header.commitment,
        )

    # Matches that were in flight when the server was killed

    async def _go_on_all(self) -> None:
        """Goes on with every match in flight from its exact card; one that cannot is voided."""
        fixtures = {fixture.index: fixture for fixture in self._waiting}
        for flight in self._in_flight:
            fixture = fixtures.pop(flight.opening.fixture, None)
            if fixture is None:
                # Another attempt was recorded meanwhile.
                self._floor.settle(flight.number)
                continue
            self._waiting.remove(fixture)
            try:
                self._go_on(fixture, flight)
            except Exception as error:  # noqa: BLE001  (whatever is wrong with a journal costs one attempt)
                attempt = flight.opening.attempt
                logger.warning(
                    "match cannot go on: %s", error, extra={"fixture": fixture.index, "attempt": attempt}
                )
                await self._archive.lose(fixture.index, attempt)
                self._floor.settle(flight.number)
                await self._play_again(fixture, attempt)

    def _go_on(self, fixture: Fixture, flight: InFlight) -> None:
        opening = flight.opening
        if opening.attempt != self._voids.get(fixture.stream, 0) + 1:
            raise ReplayError("its boards were voided with those of another match")
        header = self._header(fixture, opening.attempt, opening.versions)
        if header_link(header) != opening.terms:
            raise ReplayError("it was begun under other terms, or by another version of kiery")
        table = replay(self._table(fixture, header), flight.entries)
        bots = [self._bots[index] for index in fixture.seats]
        if self.plan.spec.sharing is Sharing.LAPS:
            self._lap = fixture.arrangement
        run = self._floor.go_on(table, bots, self._ended, flight.number)
        self._open[run] = _Open(fixture=fixture, header=header, start_ms=opening.start_ms)

    def _now_ms(self) -> int:
        return int(self._clock.today().timestamp() * 1000)

    def _ended(self, run: Run, verdict: Verdict) -> None:
        task = asyncio.create_task(self._close(run, verdict), name=f"keep {run.table.match_id}")
        self._keeping.add(task)
        task.add_done_callback(self._kept)

    def _kept(self, task: asyncio.Task[None]) -> None:
        self._keeping.discard(task)
        if not task.cancelled() and self._failure is None:
            self._failure = task.exception()
        self._wake.set()

    async def _close(self, run: Run, verdict: Verdict) -> None:
        """Keeps the record first, then tells the seats and whoever watches."""
        # A table can end within the call that opens it, when every bot is gone.
        await asyncio.sleep(0)
        opened = self._open[run]
        if verdict is Verdict.PLAYED:
            record = self._record(run, opened, MatchCause.COMPLETED)
            await self._archive.keep(record)
            self._settle(run)
            del self._open[run]
            self._finished.add(opened.fixture.index)
            self._plan_on()
            self._floor.finish(run, MatchCause.COMPLETED, record.digest)
            return
        await self._keep_void(run, opened)
        self._settle(run)
        del self._open[run]
        await self._play_again(opened.fixture, opened.header.attempt)

    def _plan_on(self) -> None:
        """Takes in the fixtures that follow from the results so far."""
        planner = self.plan.planner
        # With every bot gone for good, what has no end would go on among substitutes for ever.
        if planner is not None and not all(bot.gone for bot in self._bots):
            self._waiting.extend(planner.plan_on())

    def _settle(self, run: Run) -> None:
        """Notes that the store has what came of a match: the journal may forget it."""
        self._floor.settle(run.number)
        run.number = None

    async def _keep_void(self, run: Run, opened: _Open) -> None:
        try:
            record = self._record(run, opened, MatchCause.VOID_SERVER)
        except Exception:  # a table that failed may have left nothing that can be recorded
            logger.exception("void match has no record", extra={"match": run.table.match_id})
            await self._archive.lose(opened.fixture.index, opened.header.attempt)
        else:
            await self._archive.keep(record)

    def _record(self, run: Run, opened: _Open, cause: MatchCause) -> MatchRecord:
        return build_record(
            run.table.match,
            opened.header,
            cause=cause,
            seat_causes=run.table.seat_causes(),
            start_ms=opened.start_ms,
            end_ms=self._now_ms(),
        )

    async def _play_again(self, fixture: Fixture, attempt: int) -> None:
        """Gives a voided fixture fresh boards; those that share them are voided and played again too."""
        if attempt >= _MAX_ATTEMPTS:
            raise RuntimeError(f"fixture {fixture.index} was voided {attempt} times by faults of ours")
        self._voids[fixture.stream] = attempt
        again = [fixture]
        for other in self.plan.fixtures:
            if other.stream == fixture.stream and other.index in self._finished:
                await self._archive.void(other.index, attempt)
                self._finished.discard(other.index)
                again.append(other)
        self._waiting = sorted([*self._waiting, *again], key=lambda each: each.index)

    async def _give_up_open(self) -> None:
        """Ends what is in play when the director stops early; records that are being kept are kept.

        What is in a journal is only laid down: the next process goes on with it.
        """
        if self._keeping:
            await asyncio.wait(self._keeping)
        for run in list(self._open):
            if run.number is None:
                self._floor.finish(run, MatchCause.CANCELLED, b"")
            else:
                self._floor.lay_down(run)
        self._open.clear()
