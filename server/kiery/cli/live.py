"""What a person sees while a tournament is played: a live table at a terminal, lines in a pipe."""

import asyncio
import sys
import time
from types import TracebackType
from typing import Final, Self

from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from kiery.cli.console import clean, console, note
from kiery.cli.leaderboard import standings_table
from kiery.cli.node import Node
from kiery.host import Contest, Scoreboard
from kiery.tournament import Standings

__all__ = ["LiveView"]

_FRAME_S: Final = 0.5
_LINE_S: Final = 2.0
_SHOWN_NAMES: Final = 4


class LiveView:
    """Shows the progress of one tournament until the block is left."""

    def __init__(self, node: Node, contest: Contest, scoreboard: Scoreboard, *, quiet: bool) -> None:
        """Prepares a view.

        Args:
            node: Where it is played.
            contest: The tournament.
            scoreboard: Its scoreboard.
            quiet: Whether to show nothing at all.
        """
        self._node = node
        self._contest = contest
        self._scoreboard = scoreboard
        self._quiet = quiet
        self._tty = sys.stdout.isatty() and not quiet
        self._plan = contest.plan
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console(),
        )
        self._bar = self._progress.add_task("matches", total=self._total)
        self._live: Live | None = None
        self._task: asyncio.Task[None] | None = None
        self._seen = (time.monotonic(), 0)
        self._rate = 0.0

    async def __aenter__(self) -> Self:
        """Starts to show."""
        if self._tty:
            first = self._picture(self._scoreboard.standings())
            self._live = Live(first, console=console(), refresh_per_second=4, transient=True)
            self._live.start()
        self._task = asyncio.create_task(self._run(), name="live view")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stops to show; what is final is printed by others."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._live is not None:
            self._live.stop()

    @property
    def _total(self) -> int | None:
        """Matches in all; none while results decide how many."""
        return self._plan.match_count if self._plan.complete else None

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(_FRAME_S if self._live is not None else _LINE_S)
            self._measure()
            if self._live is not None:
                # The fit of a large field takes longer than a heartbeat should wait.
                standings = await asyncio.to_thread(self._scoreboard.standings)
                self._live.update(self._picture(standings))
            elif not self._quiet:
                note(self._line())

    def _measure(self) -> None:
        now, decisions = time.monotonic(), self._node.floor.decisions
        before, had = self._seen
        self._seen = now, decisions
        self._rate = (decisions - had) / max(now - before, 1e-9)

    def _line(self) -> str:
        scoreboard = self._scoreboard
        tables = len(self._node.floor.runs)
        ends = "".join(
            f", {count} {cause.name.lower()}" for cause, count in sorted(scoreboard.seat_ends.items())
        )
        return (
            f"{scoreboard.fixtures}/{self._plan.length} matches, {scoreboard.deals} deals,"
            f" {tables} tables in play, {self._rate:.0f} decisions/s, {scoreboard.faults.total()} faults"
            f"{ends}{self._awaited()}" + "".join(f"; {line}" for line in self._plan.report)
        )

    def _awaited(self) -> str:
        absent = self._contest.absent
        more = f" and {len(absent) - _SHOWN_NAMES} more" if len(absent) > _SHOWN_NAMES else ""
        return f", waiting for {', '.join(absent[:_SHOWN_NAMES])}{more}" if absent else ""

    def _picture(self, standings: Standings) -> Group:
        self._progress.update(self._bar, completed=self._scoreboard.fixtures, total=self._total)
        director = self._contest.director
        state = Text(clean("waiting for bots to connect" if director is None else self._line()), style="dim")
        return Group(standings_table(standings, self._contest.name), self._progress, state)
