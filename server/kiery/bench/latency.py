"""How long a table takes from an answer to the next decision, measured inside the server.

The instrument is a floor and sessions of the bench's own, so the server pays nothing for it otherwise.
"""

import time
from array import array
from collections.abc import Sequence
from typing import Final

from kiery.bench.experiment import Experiment
from kiery.bench.figure import Figure, measured
from kiery.bench.rig import Kind, RigSpec, Settings, rigs_running
from kiery.host import Bot, Clock, JournaledFloor, Lobby, Run, Seating, Session
from kiery.journal import JournalWriter
from kiery.terms import Limits
from kiery.view import Action

__all__ = ["LATENCY_EXPERIMENT", "TimedFloor", "TimedLobby", "percentiles"]

_TABLES: Final = 250
_NAMES: Final = ("latency/250/p50", "latency/250/p99", "latency/250/max")
_NOTE: Final = (
    "1,000 bots that answer at once, so the server is never idle and this is its queue;"
    " from the answer at the table to the call that writes the next decision"
)


class TimedFloor(JournaledFloor):
    """A floor that notes when a table is answered, and how long it took to ask again."""

    def __init__(self, clock: Clock, limits: Limits, journal: JournalWriter) -> None:
        """Starts without notes."""
        super().__init__(clock, limits, journal)
        self.waits = array("Q")
        """Nanoseconds of each decision since the last look."""
        self._answered: dict[Run, int] = {}

    def answer(self, seating: Seating, decision_id: int, action: Action, arrived: int) -> None:
        """Notes when an answer comes, and takes it."""
        self._answered[seating.run] = time.monotonic_ns()
        super().answer(seating, decision_id, action, arrived)

    def play(self, seating: Seating, cards: bytes, arrived: int) -> None:
        """Notes when an answer comes, and takes it."""
        self._answered[seating.run] = time.monotonic_ns()
        super().play(seating, cards, arrived)

    def asked(self, run: Run) -> None:
        """Notes that the next message of a table is ready to be written."""
        answered = self._answered.pop(run, None)
        if answered is not None:
            self.waits.append(time.monotonic_ns() - answered)


class _TimedSession(Session):
    """A session that tells the floor which tables are in the message that it gives out."""

    def __init__(self, lobby: Lobby, floor: TimedFloor, bot: Bot, clock: Clock) -> None:
        super().__init__(lobby, bot, lobby.limits, clock)
        self._floor = floor
        self._marked: list[Run] = []

    def mark(self, seating: Seating) -> None:
        self._marked.append(seating.run)
        super().mark(seating)

    def next_message(self) -> bytes | None:
        message = super().next_message()
        if message is not None:
            for run in self._marked:
                self._floor.asked(run)
            self._marked.clear()
        return message


class TimedLobby(Lobby):
    """A lobby whose sessions tell a timed floor what they write."""

    def __init__(self, floor: TimedFloor, clock: Clock, limits: Limits) -> None:
        """Starts empty."""
        super().__init__(floor, clock, limits, "kiery bench")
        self._floor = floor
        self._watch = clock

    def open_session(self, bot: Bot) -> Session:
        """Returns a session for a new stream of a bot."""
        session = _TimedSession(self, self._floor, bot, self._watch)
        self.sessions.add(session)
        return session


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
