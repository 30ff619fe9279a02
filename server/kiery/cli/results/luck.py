"""Luck: par of every board that was played, computed on all cores when somebody asks for it.

Kept in memory only: it follows from the boards and can be computed again.
"""

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Final

from kiery.engine import Board, Derivation, Stream
from kiery.rules import Rules
from kiery.tournament.par import board_par, luck_of, par_label

__all__ = ["Luck"]

_CHUNK: Final = 16
"""Boards that a process is given at a time: a second or two of work."""

_Task = tuple[Board, bytes]


class Luck:
    """Par by board, and what it makes of each bot's cards."""

    def __init__(self, rules: Rules, derivation: Derivation, *, bots: int) -> None:
        """Starts without boards.

        Args:
            rules: What is played.
            derivation: Where the chance of the house comes from.
            bots: Entrants and house bots.
        """
        self.par: dict[str, tuple[float, ...]] = {}
        """Points by seat, by the board's label; after `settle`."""
        self._rules = rules
        self._derivation = derivation
        self._boards: dict[str, Board] = {}
        self._plays: list[tuple[str, tuple[int, ...]]] = []
        self._sums = [0.0] * bots
        self._counts = [0] * bots

    def add(self, board: Board, seats: tuple[int, ...]) -> None:
        """Adds a deal: its board, and who sat where."""
        self._boards[board.label] = board
        self._plays.append((board.label, seats))

    def settle(self) -> None:
        """Computes par of all boards added, and the luck of all bots."""
        todo = [label for label in self._boards if label not in self.par]
        tasks = [(self._boards[label], self._derivation.key(par_label(label))) for label in todo]
        for label, par in zip(todo, _pars(self._rules, tasks), strict=True):
            self.par[label] = par
        for label, seats in self._plays:
            for seat, bot in enumerate(seats):
                self._sums[bot] += luck_of(self.par[label], seat)
                self._counts[bot] += 1
        self._plays.clear()
        self._boards.clear()

    def of(self, bot: int) -> float | None:
        """Returns by how many points a deal the bot's cards were better than its tables'; none: no deal."""
        return self._sums[bot] / self._counts[bot] if self._counts[bot] else None


def _pars(rules: Rules, tasks: Sequence[_Task]) -> Iterator[tuple[float, ...]]:
    chunks = [tasks[start : start + _CHUNK] for start in range(0, len(tasks), _CHUNK)]
    workers = min(len(chunks), os.cpu_count() or 1)
    if workers < 2:
        for chunk in chunks:
            yield from _chunk_pars(rules, chunk)
        return
    # Started afresh rather than forked: a fork copies locks that threads of this process may hold.
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        for pars in pool.map(_chunk_pars, [rules] * len(chunks), chunks):
            yield from pars


def _chunk_pars(rules: Rules, tasks: Sequence[_Task]) -> list[tuple[float, ...]]:
    return [board_par(rules, board, Stream(key)) for board, key in tasks]
