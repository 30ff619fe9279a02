"""Gives turns to a bot and takes its answers: one turn at a time for a table, the nearest deadline first.

Answers come out as `Action`s as soon as they are there, in any order across tables. What the bot raises is
logged here. Knows no stream and no message.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from heapq import heappop, heappush
from itertools import count
from time import perf_counter
from typing import Any, Final, cast

from kiery.view import Action, DecisionKind
from kiery_client.answering import METHODS, READY, answer_of, answer_of_broken
from kiery_client.bot import Player
from kiery_client.pace import Pace
from kiery_client.table import Table, Turn
from kiery_client.workers import Workers

__all__ = ["Thinker"]

logger = logging.getLogger("kiery_client")

_SLICE_S: Final = 0.002
"""Quick decisions are made for so long at a stretch; then answers are written and messages read."""
_SHOWN_ERRORS: Final = 3
"""So often the same error is logged with its traceback."""
_PASS_TRIAL: Final = 8
"""Quick passes in a row that are trusted."""

Finished = Callable[[Turn, Action | None], None]


class Thinker:
    """Runs the methods of bots. All of it belongs to the loop's thread, but for `_act`."""

    def __init__(
        self,
        make: Callable[[], object],
        finished: Finished,
        stop: Callable[[BaseException], None],
        workers: int,
    ) -> None:
        """Prepares to think.

        Args:
            make: Makes the bot of a table that has none.
            finished: Is told of each turn that is over, with the answer if a decision was made.
            stop: Is told of what must end the program, such as a bot's `SystemExit`.
            workers: Threads for slow methods.
        """
        self._loop = asyncio.get_running_loop()
        self.clock = self._loop.time
        """Tells the time that deadlines are measured on, seconds."""
        self._make = make
        self._finished = finished
        self._stop = stop
        self._workers = Workers(workers)
        # By the number of the kind; 0 is for events alone. A deal has thirteen plays and one pass.
        self._paces = [Pace() for _ in range(max(DecisionKind) + 1)]
        self._paces[DecisionKind.PASS] = Pace(_PASS_TRIAL)
        self._order = count()
        self._quick: list[tuple[float, int, Turn]] = []
        self._slow: list[tuple[float, int, Turn]] = []
        self._pump_is_due = False
        self._tasks: set[asyncio.Task[Action | None]] = set()
        self._errors: dict[tuple[str, str], int] = {}

    def submit(self, turn: Turn) -> None:
        """Takes a turn of a table that has none running. `pump` starts it."""
        player = turn.table.player
        if player is not None and player.is_async:
            self._start_task(player, turn)
        elif player is not None and (self._paces[turn.kind or 0].inline or _is_trivial(player, turn)):
            heappush(self._quick, (turn.deadline, next(self._order), turn))
        else:
            heappush(self._slow, (turn.deadline, next(self._order), turn))

    def pump(self) -> None:
        """Starts what can start and makes quick decisions, for a slice of time."""
        self._pump_is_due = False
        if self._slow:
            self._feed_workers()
        end = 0.0
        while self._quick:
            turn = heappop(self._quick)[2]
            turn.forget_if_closed()
            player = cast("Player", turn.table.player)  # submit saw it
            pace = self._paces[turn.kind or 0]
            if not (pace.inline or _is_trivial(player, turn)):
                # It lost its trust while this waited.
                heappush(self._slow, (turn.deadline, next(self._order), turn))
                self._feed_workers()
                continue
            start = perf_counter()
            try:
                action = self._act(player, turn)
            except SystemExit as error:
                self._stop(error)
                return
            now = perf_counter()
            # What calls nothing of the author's earns no trust.
            if pace.inline:
                pace.note(now - start)
            self._finished(turn, action)
            end = end or start + _SLICE_S
            if now > end and self._quick:
                self._pump_soon()
                return

    def _pump_soon(self) -> None:
        if not self._pump_is_due:
            self._pump_is_due = True
            self._loop.call_soon(self.pump)

    def close(self) -> None:
        """Stops thinking: what runs in threads is left to end by itself, and its answers are dropped."""
        for task in self._tasks:
            task.cancel()
        self._quick.clear()
        self._slow.clear()
        self._workers.close()

    # Threads.

    def _feed_workers(self) -> None:
        while self._slow and self._workers.free > 0:
            turn = heappop(self._slow)[2]
            turn.forget_if_closed()
            player = turn.table.player
            if player is None:
                self._workers.start(self._loop, partial(self._make_player, turn), partial(self._made, turn))
            else:
                self._workers.start(
                    self._loop, partial(self._timed_act, player, turn), partial(self._acted, turn)
                )

    def _make_player(self, turn: Turn) -> Player | None:
        try:
            return Player(self._make())
        except Exception as error:  # noqa: BLE001  # an author's code may raise anything
            self._log_error("the bot's constructor", turn.table, error)
            return None

    def _made(self, turn: Turn, player: Player | None, error: BaseException | None) -> None:
        if error is not None:
            self._stop(error)
            return
        if player is None:
            self._finished(turn, answer_of_broken(turn.kind))
        else:
            turn.table.player = player
            if player.on_event is None:
                turn.events = ()
            self.submit(turn)
        self.pump()

    def _timed_act(self, player: Player, turn: Turn) -> tuple[Action | None, float]:
        start = perf_counter()
        action = self._act(player, turn)
        return action, perf_counter() - start

    def _acted(
        self, turn: Turn, result: tuple[Action | None, float] | None, error: BaseException | None
    ) -> None:
        if error is not None:
            self._stop(error)
            return
        if result is not None:
            action, seconds = result
            # Getting ready is rare and may take long: it never runs on the loop.
            if turn.kind is not DecisionKind.READY:
                self._paces[turn.kind or 0].note(seconds)
            self._finished(turn, action)
        self.pump()

    # Plain methods.

    def _act(self, player: Player, turn: Turn) -> Action | None:
        """Runs a turn, in whatever thread; logs what the bot raises and answers all the same."""
        if turn.events and player.on_event is not None:
            for event in turn.events:
                try:
                    player.on_event(event)
                except Exception as error:  # noqa: BLE001  # an author's code may raise anything
                    self._log_error("on_event", turn.table, error)
        kind = turn.kind
        if kind is None:
            return None
        method = player.deciders[kind]
        if method is None:
            return READY
        try:
            return answer_of(turn, method(turn.observation or turn.table.started))
        except Exception as error:  # noqa: BLE001  # an author's code may raise anything
            self._log_error(METHODS[kind], turn.table, error)
            return answer_of_broken(kind)

    # Methods of which some are async.

    def _start_task(self, player: Player, turn: Turn) -> None:
        task = self._loop.create_task(self._guarded(self._act_async(player, turn)))
        self._tasks.add(task)
        task.add_done_callback(partial(self._task_done, turn))

    def _task_done(self, turn: Turn, task: asyncio.Task[Action | None]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:
            self._stop(error)
            return
        self._finished(turn, task.result())
        self.pump()

    async def _guarded(self, acting: Coroutine[None, None, Action | None]) -> Action | None:
        try:
            return await acting
        except SystemExit as error:
            # Left to the task, it would stop the loop before the goodbye is said.
            self._stop(error)
            return None

    async def _act_async(self, player: Player, turn: Turn) -> Action | None:
        if player.on_event is not None:
            for event in turn.events:
                try:
                    await self._call(player.on_event, event)
                except Exception as error:  # noqa: BLE001  # an author's code may raise anything
                    self._log_error("on_event", turn.table, error)
        kind = turn.kind
        if kind is None:
            return None
        method = player.deciders[kind]
        if method is None:
            return READY
        try:
            return answer_of(turn, await self._call(method, turn.observation or turn.table.started))
        except Exception as error:  # noqa: BLE001  # an author's code may raise anything
            self._log_error(METHODS[kind], turn.table, error)
            return answer_of_broken(kind)

    # Any: see kiery_client.bot._Method.
    async def _call(self, method: Callable[[Any], Any], argument: object) -> Any:  # noqa: ANN401
        """Returns what a method returns; a plain one in a bot with async ones runs in a thread."""
        if asyncio.iscoroutinefunction(method):
            return await cast("Awaitable[object]", method(argument))
        future: asyncio.Future[Any] = self._loop.create_future()

        def done(result: object, error: BaseException | None) -> None:
            if future.cancelled():
                return
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(result)

        self._workers.start(self._loop, partial(method, argument), done)
        return await future

    def _log_error(self, where: str, table: Table, error: Exception) -> None:
        """Logs what the bot raised: with its traceback at first, then no more."""
        key = (where, type(error).__name__)
        seen = self._errors[key] = self._errors.get(key, 0) + 1
        name = type(table.player.bot).__name__ if table.player is not None else "the bot"
        level = logging.ERROR if seen <= _SHOWN_ERRORS else logging.DEBUG
        logger.log(level, "%s: %s raised %s (%s)", name, where, key[1], table, exc_info=error)
        if seen == _SHOWN_ERRORS:
            logger.error(
                "%s: %s has raised %s %d times. Each costs a fault, and the substitute acts: mend the bot."
                " Further ones are logged at level DEBUG only.",
                name,
                where,
                key[1],
                seen,
            )


def _is_trivial(player: Player, turn: Turn) -> bool:
    """Tells whether a turn calls nothing of the author's."""
    return (not turn.events or player.on_event is None) and (
        turn.kind is None or player.deciders[turn.kind] is None
    )
