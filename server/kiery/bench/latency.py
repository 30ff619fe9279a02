"""How long a table takes from an answer to the next decision, measured inside the server.

The instrument is a floor of the bench's own, so the server pays nothing for it otherwise.
"""

import time
from array import array
from collections.abc import Sequence
from typing import Final

from kiery.bench.experiment import Experiment
from kiery.bench.figure import Figure, measured
from kiery.bench.rig import Kind, RigSpec, Settings, rigs_running
from kiery.host import Clock, Floor, Run, Seating
from kiery.terms import Limits
from kiery.view import Action

__all__ = ["LATENCY_EXPERIMENT", "TimedFloor", "percentiles"]

_TABLES: Final = 250
_NAMES: Final = ("latency/250/p50", "latency/250/p99", "latency/250/max")
_NOTE: Final = (
    "1,000 bots that answer at once, so the server is never idle and this is its queue;"
    " from the answer at the table to the message that carries the next decision being built"
)


class TimedFloor(Floor):
    """A floor that notes how long each table takes."""

    def __init__(self, clock: Clock, limits: Limits) -> None:
        """Starts without notes."""
        super().__init__(clock, limits)
        self.waits = array("Q")
        """Nanoseconds of each decision since the last look."""
        self._answered: dict[Run, int] = {}

    def answer(self, seating: Seating, decision_id: int, action: Action, arrived: int) -> None:
        """Notes when an answer comes, and takes it."""
        self._answered[seating.run] = time.monotonic_ns()
        super().answer(seating, decision_id, action, arrived)

    def written(self, seating: Seating, now: int) -> None:
        """Notes when the message that tells a seat more is built."""
        super().written(seating, now)
        answered = self._answered.pop(seating.run, None)
        if answered is not None:
            self.waits.append(time.monotonic_ns() - answered)


def percentiles(waits: Sequence[int]) -> dict[str, float]:
    """Returns the median, the 99th percentile and the greatest of some waits, milliseconds."""
    ordered = sorted(waits)
    if not ordered:
        return {"p50": 0.0, "p99": 0.0, "max": 0.0}
    last = len(ordered) - 1
    return {
        "p50": ordered[last // 2] / 1e6,
        "p99": ordered[last * 99 // 100] / 1e6,
        "max": ordered[last] / 1e6,
    }


def _run(settings: Settings, names: frozenset[str]) -> list[Figure]:
    spec = RigSpec(name="latency", kind=Kind.GAME, tables=_TABLES, timed=True)
    found: dict[str, list[float]] = {name: [] for name in _NAMES if name in names}
    rates = []
    with rigs_running([spec], settings) as (rig,):
        for _ in range(settings.rounds):
            window, waits = rig.timed_window()
            rates.append(window.decisions / window.seconds)
            for name, values in found.items():
                values.append(waits[name.rpartition("/")[2]])
    return [measured(name, "ms", values, rates=rates, note=_NOTE) for name, values in found.items()]


LATENCY_EXPERIMENT: Final = Experiment(names=_NAMES, run=_run)
"""At 250 matches with 1,000 bots."""
