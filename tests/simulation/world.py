"""One seed from its first message to its verdict."""

import asyncio
import logging
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from tests.simulation.bots import RefusedError, ScriptedBot, choose
from tests.simulation.disk import Disk, memory_store
from tests.simulation.loop import VirtualLoop
from tests.simulation.network import Stream, Weather
from tests.simulation.node import OWNER, Node
from tests.simulation.scenario import SECRET, Blow, Mode, Scenario, draw
from tests.simulation.watch import BrokenError, Trace, Watch, demand

import kiery.host.lobby
import kiery.host.session
from kiery.cards import card_numbers, mask_of
from kiery.engine import Derivation, Match, derive_board
from kiery.host import Scoreboard, enter
from kiery.journal import JournalError, segments_of
from kiery.record import MatchRecord, verify_record
from kiery.rules import MatchLength
from kiery.store import AttemptStatus, StoreError, TournamentStatus
from kiery.terms import SeatCause
from kiery.tournament import label
from kiery.view import Decision, DecisionKind, Phase

_HORIZON_S = 1_800
"""How long a run in safety mode is looked at."""
_HEALTHY_S = 3_600
"""How long a run in liveness mode may take once nothing goes wrong any more."""
_TROUBLE_S = 120
_MAX_TURNS = 400_000
_MAX_TURNS_AT_ONCE = 5_000
"""Turns of the loop in which no time passes."""
_MEMORY = Path("/dev/shm")
"""Where files never wait for a disk that others use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of a seed."""

    seed: int
    mode: Mode
    trace: str
    """The hash of everything that was said."""
    messages: int
    steps: int
    """Inputs of tables, each followed by all checks."""
    processes: int
    """How many times the server was started."""
    finished: bool
    """Whether the tournament came to its end."""
    foreseen: int
    """Matches whose every card was known beforehand, since only bots without blame sat there."""
    virtual_s: float
    real_s: float
    """Of this process: other processes do not count."""

    def __str__(self) -> str:
        return (
            f"seed {self.seed} {self.mode.value}: {'finished' if self.finished else 'not finished'},"
            f" {self.steps} steps, {self.messages} messages, {self.processes} processes,"
            f" {self.foreseen} matches foreseen, {self.virtual_s:.0f} s in {self.real_s:.2f} s,"
            f" trace {self.trace[:16]}"
        )


class FoundError(AssertionError):
    """A seed found something."""

    def __init__(self, seed: int, mode: Mode, why: BaseException, at_s: float) -> None:
        super().__init__(
            f"{why}\n  {type(why).__name__} after {at_s:.3f} virtual seconds;"
            f" again: python -m tests.simulation --seed {seed} --mode {mode.value}"
        )


class World:
    """Everything that there is in one run."""

    def __init__(self, scenario: Scenario, folder: Path) -> None:
        self.scenario = scenario
        seed = f"{scenario.seed}-{scenario.mode.value}"
        self.chance = Random(f"world-{seed}")
        self.loop = VirtualLoop(Random(f"loop-{seed}"))
        self.loop.set_task_factory(self._new_task)
        self.loop.after_turn = self._after_turn
        # What was found is raised once, not printed by every task that it went through.
        self.loop.set_exception_handler(lambda loop, context: None)
        self.secret = SECRET
        self.store = memory_store(folder)
        self.folder = folder
        self.disk = Disk(self.loop, self.chance)
        self.boot = "boot-1"
        self.booted_at = 0
        self.plan = enter(self.store, scenario.spec, self.secret, 0)
        streams = [fixture.stream for fixture in self.plan.fixtures]
        self.watch = Watch(scenario, self.secret, self.store, streams)
        self.trace = Trace()
        self.node: Node | None = None
        self.processes = 0
        self.bots = [
            ScriptedBot(script, self.loop, self._dial, Random(f"bot-{script.name}-{seed}"))
            for script in scenario.scripts
        ]
        for bot in self.bots:
            bot.sent = lambda name, data: self.trace.add(self.loop.now_ns, f">{name}", data)
        self._weather = dict(scenario.weather)
        self._blows = list(scenario.blows)
        self._streams = 0
        self._answers_before = 0
        self._dying: Blow | None = None
        self._stopping = False
        self._down = asyncio.Event()
        self._healthy = False
        self._errors: list[str] = []
        self._complete = True
        self._moved_at = self._moved_turn = 0

    # The loop

    def _new_task(self, loop: asyncio.AbstractEventLoop, work: Any, **options: Any) -> asyncio.Task[Any]:
        task = asyncio.Task(work, loop=loop, **options)
        owner = OWNER.get()
        if owner is not None:
            owner.tasks[task] = None
            task.add_done_callback(lambda ended: owner.tasks.pop(ended, None))
            if owner.dead:
                task.cancel()
        return task

    def _after_turn(self) -> None:
        if BrokenError.first is not None:
            raise BrokenError.first
        demand(not self._errors, "the server logs an error", *self._errors)
        if self.loop.now_ns != self._moved_at:
            self._moved_at, self._moved_turn = self.loop.now_ns, self.loop.turns
        if self.loop.turns - self._moved_turn > _MAX_TURNS_AT_ONCE:
            raise BrokenError(f"the loop spins: {self._spinning()}")
        node = self.node
        if node is None:
            return
        if self._dying is not None:
            self._kill()
            return
        self._check(node)
        if (
            self._blows
            and not self._healthy
            and self._blows[0][0] <= self._answers_before + node.floor.decisions
        ):
            self._strike(self._blows.pop(0)[1], node)
            if self._dying is not None:
                self._kill()

    def _check(self, node: Node) -> None:
        if not self.loop.turns % 16:
            self.watch.seats(node.floor.runs, node.clock.now())
            for session in node.lobby.sessions:
                self.watch.session(session)

    def _spinning(self) -> list[str]:
        """Returns what is ready: while the loop spins, who spins it."""
        handles = [*self.loop._ready, *sorted(self.loop._scheduled)[:3]]
        return [repr(handle)[:300] for handle in handles]

    # What goes wrong

    def _strike(self, blow: Blow, node: Node) -> None:
        chance, now = self.chance, self.loop.time()
        match blow:
            case Blow.KILL | Blow.REBOOT:
                self._dying = blow
            case Blow.KILL_IN_WRITE:
                self.disk.die_in_write = self._die
            case Blow.KILL_IN_STORE:
                node.writer.die_at_call = self._die
            case Blow.STOP:
                self._stopping = True
                self._down.set()
            case Blow.FULL_DISK:
                self.disk.full_until = now + chance.uniform(0.1, 90)
            case Blow.BROKEN_STORE:
                node.writer.broken_until = now + chance.uniform(0.1, 20)
            case Blow.FAULT:
                self._spoil_table(node)
            case Blow.STALL:
                self.loop.stall_ns = chance.randrange(300_000_000)
            case Blow.WALL_CLOCK:
                node.clock.wall_error = timedelta(hours=chance.choice([-1, 1]))

    def _die(self) -> None:
        self._dying = Blow.KILL

    def _spoil_table(self, node: Node) -> None:
        runs = sorted(node.floor.runs, key=lambda run: run.table.match_id)
        if runs:
            table = self.chance.choice(runs).table
            self.watch.expect_fault(table.match_id)

            def fail(*arguments: object) -> None:
                raise ZeroDivisionError("a fault of ours")

            table.play = table.answer = fail  # type: ignore[method-assign, assignment]

    def _kill(self) -> None:
        node, self.node = self.node, None
        if node is None:
            return
        self._answers_before += node.floor.decisions
        self._complete = not self._stopping
        node.kill()
        if self._dying is Blow.REBOOT:
            self.boot = f"boot-{self.processes + 1}"
            self.booted_at = self.loop.now_ns - self.chance.randrange(50_000_000_000)
        self._dying = None
        self.disk.die_in_write = None
        self._down.set()

    # The network

    async def _dial(self, name: str) -> Stream:
        weather = self._weather[name]
        await asyncio.sleep(self.chance.uniform(weather.fastest_s, weather.slowest_s))
        if self.node is None or self._stopping:
            raise RefusedError
        self._streams += 1
        stream = Stream(self.loop, name, weather, self.chance, self._streams)
        self.node.accept(stream)
        return stream

    def wrote(self, stream: Stream, data: bytes) -> None:
        """Notes a message of the server before it goes."""
        node = self.node
        if node is None:
            return
        self.trace.add(self.loop.now_ns, f"<{stream.name}", data)
        session = next(
            (
                each
                for each in node.lobby.sessions
                if each.interrupt is not None and _serves(node, each, stream)
            ),
            None,
        )
        demand(session is not None, "a message of no session", stream.name)
        if session is not None:
            self.watch.written(session, node.lobby.shadows.get(session, {}), data)

    # The run

    def run(self) -> None:
        """Runs to the end; raises what was found."""
        self.loop.run_until_complete(self._live())

    async def _live(self) -> None:
        tasks = [self.loop.create_task(bot.run(), name=bot.script.name) for bot in self.bots]
        serving = self.loop.create_task(self._serve(), name="serve")
        begin = self.loop.time()
        until = begin + _HORIZON_S
        reformed = False
        while not serving.done() and self.loop.time() < until:
            await asyncio.wait([serving], timeout=5)
            for task in tasks:
                if task.done():
                    task.result()
            demand(self.loop.turns < _MAX_TURNS or self.scenario.mode is Mode.SAFETY, "too many turns")
            if self.loop.turns > _MAX_TURNS:
                break
            if self.scenario.mode is Mode.LIVENESS and not reformed and self.loop.time() > begin + _TROUBLE_S:
                reformed = True
                until = self.loop.time() + _HEALTHY_S
                self._heal()
        if serving.done():
            serving.result()
        elif self.scenario.mode is Mode.LIVENESS:
            raise BrokenError(f"the tournament does not end: {self._state()}")
        self.finished = serving.done()
        for task in (*tasks, serving):
            task.cancel()
        await asyncio.gather(*tasks, serving, return_exceptions=True)
        if self.node is not None:
            node, self.node = self.node, None
            await node.stop()
        if self.finished:
            self._judge_end()

    def _state(self) -> str:
        node = self.node
        if node is None:
            return "no server runs"
        tables = [
            f"{run.table.match_id} {run.table.state.value}"
            f" {[(each.decision_id, each.connected, each.held, each.due_at) for each in run.table.places]}"
            for run in node.floor.runs
        ]
        bots = [(bot.name, bot.session is not None, bot.max_tables) for bot in node.lobby.bots.values()]
        return f"{tables} {bots} stalled {node.floor.stalled}"

    def _heal(self) -> None:
        """Nothing goes wrong from now on."""
        self._healthy = True
        self._weather = {name: Weather() for name in self._weather}
        self.disk.full_until = 0
        if self.node is not None:
            self.node.writer.broken_until = 0
        for bot in self.bots:
            bot.reform()
            if bot.stream is not None and not self.scenario.weather[bot.script.name].fair:
                bot.stream.cut()

    async def _serve(self) -> None:
        """Starts the server again and again, as an organiser does, until the tournament is over."""
        while True:
            self._down.clear()
            self._stopping = False
            try:
                self.node = node = Node(self)
            except JournalError:
                # It says that its disk is full, and is started again.
                await asyncio.sleep(5)
                continue
            self.processes += 1
            node.playing.add_done_callback(lambda _: self._down.set())
            await self._down.wait()
            if self.node is None:
                await asyncio.sleep(self.chance.choice([0.1, 1, 10, 120]))
                continue
            over = node.playing.done() and not node.playing.cancelled()
            if over:
                error = node.playing.exception()
                if error is None:
                    await self._stop(node)
                    self.shown = node.board
                    return
                if not isinstance(error, StoreError):
                    raise error
            await self._stop(node)
            await asyncio.sleep(self.chance.choice([0.1, 1, 10]))

    async def _stop(self, node: Node) -> None:
        self._stopping = self._complete = True
        try:
            await node.stop()
        except JournalError:
            # Its disk is full: what was not written is as lost as after a kill, and settled by the next.
            self._complete = False
            self._dying = None
            self.disk.forget_torn()
        if self.node is not None:
            self._answers_before += node.floor.decisions
            self.node = None

    def close(self) -> None:
        """Drops everything that still waits."""
        self.loop.after_turn = lambda: None
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.loop.stop()
        for _ in range(20):
            self.loop.call_soon(lambda: None)
            self.loop.run_forever()
            self.loop.stop()
        if self.node is not None:
            self.node.journal._live.clear()
            with suppress(JournalError, OSError):
                self.node.journal.close()
        self.loop.close()
        self.store.close()

    # The end

    def _judge_end(self) -> None:
        name = self.scenario.spec.name
        attempts = self.store.attempts(name)
        valid = [each for each in attempts if each.status is AttemptStatus.VALID]
        fixtures = [each.key.fixture for each in valid]
        demand(fixtures == list(range(len(self.plan.fixtures))), "a fixture has no result, or two", fixtures)
        demand(self.store.tournament(name).status is TournamentStatus.FINISHED, "the tournament is not over")
        board = Scoreboard(self.plan)
        self.foreseen = 0
        for stored in self.store.records(name):
            record = stored.record
            verify_record(record, self.secret)
            fixture = self.plan.fixtures[stored.key.fixture]
            board.add(fixture, record)
            self._judge_record(record, fixture.stream)
        demand(_rows(board) == _rows(self.shown), "what is shown is not what was recorded")
        left = segments_of(self.folder / "s.sqlite.journal")
        demand(not (left and self._complete), "a journal is left when everything is settled", left)

    def _judge_record(self, record: MatchRecord, stream: str) -> None:
        names = [entrant.name for entrant in record.header.entrants]
        steady = [self.scenario.is_steady(name) for name in names]
        for seat, cause in enumerate(record.seat_causes):
            demand(
                not steady[seat] or cause is SeatCause.COMPLETED, "a bot without blame", names[seat], cause
            )
        for deal in record.deals:
            for seat, faults in enumerate(deal.faults):
                demand(not steady[seat] or not faults, "a fault without blame", names[seat])
        if all(steady):
            self.foreseen += 1
            cards = self._foresee(record, stream, names)
            demand([bytes(deal.cards) for deal in record.deals] == cards, "other cards than foreseen", names)

    def _foresee(self, record: MatchRecord, stream: str, names: list[str]) -> list[bytes]:
        """Plays a match between bots that behave, without a server."""
        header = record.header
        rules = header.rules
        derivation = Derivation(self.secret, b"")

        def board_of(number: int) -> Any:
            name = label(header.tournament, stream, header.attempt, number)
            return derive_board(rules, number, name, derivation.key(name))

        match = Match(rules, MatchLength(deal_limit=header.deal_limit), board_of)
        while not match.over:
            match.start_deal()
            deal = match.deal
            if deal.phase is Phase.PASSING:
                for seat, name in enumerate(names):
                    legal = card_numbers(deal.hand(seat))
                    match.choose_pass(
                        seat, mask_of(choose(name, match.observe(seat), legal, rules.pass_count))
                    )
            while deal.phase is Phase.PLAYING:
                seat = deal.turn
                decision = Decision(DecisionKind.PLAY, deal.legal_numbers(), 1)
                seen = match.observe(seat, decision=decision)
                match.play(choose(names[seat], seen, decision.numbers, 1)[0])
            if deal.phase is Phase.MOON_CHOICE:
                match.choose_moon(None)
        return [bytes(deal.cards) for deal in match.deals]


def _rows(board: Scoreboard) -> list[Any]:
    """Returns the standings without what floating point owes to the order of sums."""
    return [
        (row.name, row.place, row.deals, round(row.net or 0, 9), round(row.points or 0, 9))
        for row in board.standings().rows
    ]


def _serves(node: Node, session: Any, stream: Stream) -> bool:
    """Returns whether a session is the one that a stream's handler runs."""
    breaker = getattr(session.interrupt, "__self__", None)
    return breaker is not None and breaker._task is stream.handler


class _Errors(logging.Handler):
    """Keeps what the server calls an error and nobody caused on purpose."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if not text.startswith(("matches wait", "table failed")):
            why = f" ({record.exc_info[1]!r})" if record.exc_info else ""
            self.found.append(text + why)


@contextmanager
def _quiet_server(chance: Random) -> Iterator[_Errors]:
    """Gives the server seeded secrets, and listens to its errors instead of printing them."""
    seeded = SimpleNamespace(
        token_hex=lambda size: chance.randbytes(size).hex(),
        token_bytes=chance.randbytes,
        randbelow=chance.randrange,
    )
    logger = logging.getLogger("kiery")
    errors = _Errors()
    level, propagate = logger.level, logger.propagate
    logger.addHandler(errors)
    logger.setLevel(logging.ERROR)
    logger.propagate = False
    try:
        with (
            patch.object(kiery.host.session, "secrets", seeded),
            patch.object(kiery.host.lobby, "secrets", seeded),
        ):
            yield errors
    finally:
        logger.removeHandler(errors)
        logger.setLevel(level)
        logger.propagate = propagate


def simulate(seed: int, mode: Mode) -> Result:
    """Runs a seed.

    Raises:
        FoundError: It found something; says how to see it again.
    """
    begin = time.process_time()
    BrokenError.first = None
    scenario = draw(seed, mode)
    memory = _MEMORY if _MEMORY.is_dir() else None
    with (
        tempfile.TemporaryDirectory(dir=memory) as folder,
        _quiet_server(Random(f"secrets-{seed}")) as errors,
    ):
        world = World(scenario, Path(folder))
        world._errors = errors.found
        start = world.loop.time()
        try:
            world.run()
        except Exception as error:  # noqa: BLE001  (whatever escapes a world is a finding)
            why = BrokenError.first or error
            raise FoundError(seed, mode, why, world.loop.time() - start) from why
        finally:
            world.close()
        return Result(
            seed=seed,
            mode=mode,
            trace=world.trace.digest,
            messages=world.trace.messages,
            steps=world.watch.steps,
            processes=world.processes,
            finished=world.finished,
            foreseen=getattr(world, "foreseen", 0),
            virtual_s=world.loop.time() - start,
            real_s=time.process_time() - begin,
        )
