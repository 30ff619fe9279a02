"""What the journal costs a move: an entry for each card, and one write for each batch."""

import gc
import tempfile
import time
from pathlib import Path
from typing import Final

from kiery.bench.experiment import Experiment
from kiery.bench.figure import Figure, Goal, Of, measured
from kiery.bench.rig import Settings
from kiery.journal import JournalWriter, Opening

__all__ = ["JOURNAL_EXPERIMENT"]

_MOVES: Final = 20_000
_TABLES: Final = 16
_BATCHES: Final = {"journal/move": 1, "journal/move/batch-16": 16}
_TWO_MICROSECONDS: Final = Goal(bound=2, of=Of.VALUE, source="P5")


def _run(settings: Settings, names: frozenset[str]) -> list[Figure]:
    values: dict[str, list[float]] = {name: [] for name in _BATCHES if name in names}
    for _ in range(settings.rounds):
        for name, found in values.items():
            found.append(_cost(_BATCHES[name]))
    return [
        measured(
            name,
            "µs CPU/move",
            found,
            goal=_TWO_MICROSECONDS,
            note=f"a write for every {_BATCHES[name]} moves, in the system too; never synced",
        )
        for name, found in values.items()
    ]


def _cost(batch: int) -> float:
    """Returns the CPU time of one move, microseconds."""
    opening = Opening(
        tournament="bench", fixture=0, attempt=1, start_ms=0, versions=("1",) * 4, terms=bytes(32)
    )
    with tempfile.TemporaryDirectory() as folder:
        journal = JournalWriter(Path(folder) / "journal", boot_id="bench", now_ms=lambda: 0)
        tables = [journal.opened(opening, 0) for _ in range(_TABLES)]
        journal.flush()
        played, flush = journal.played, journal.flush
        gc.collect()
        start = time.thread_time()
        for move in range(_MOVES):
            played(tables[move % _TABLES], move & 3, move & 0xFF, 1 + move % 52, move, 1_000)
            if not move % batch:
                flush()
        spent = time.thread_time() - start
        journal.close()
    return spent / _MOVES * 1e6


JOURNAL_EXPERIMENT: Final = Experiment(names=tuple(_BATCHES), run=_run, in_quick=frozenset(_BATCHES))
"""The journal's append path, alone in this process."""
