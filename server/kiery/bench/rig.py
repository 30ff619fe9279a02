"""A server and its bots, and the windows in which they are measured.

Between windows both processes are stopped where they are, so several rigs can take turns without cost:
A B A B … What a window counts is play only; start-up and the ends of matches lie outside.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from kiery.bench.tables import PLAYERS
from kiery.bench.worker import Worker, WorkerError

__all__ = ["Kind", "Rig", "RigSpec", "Settings", "Window", "rigs_running", "take_turns"]

_SETTLED: Final = 4
"""Decisions of each seat after which nobody is starting up any more."""
_LOOK_S: Final = 0.02
_PATIENCE_S: Final = 60.0
_ENDLESS: Final = 100_000
"""Deals in a match that does not end while it is measured."""


class Kind(Enum):
    """What serves."""

    PINGPONG = "pingpong"
    """A bare server that answers each message."""
    RING = "ring"
    """A bare server that sends what a card server would."""
    GAME = "game"
    """The real one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How much is measured, and on what."""

    rounds: int = 5
    """Windows of each rig."""
    window_s: float = 1.0
    """Length of a window."""
    warm_s: float = 0.25
    """Play before each window."""
    quick: bool = False
    """Whether the whole bench is to end within a minute."""
    loop: str = "asyncio"
    """The event loop of every process: one of `process.LOOPS`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RigSpec:
    """What a rig consists of."""

    name: str
    """Its name in figures."""
    kind: Kind
    """What serves."""
    tables: int
    """Tables; for `PINGPONG` streams."""
    shared: bool = False
    """Whether four bots play all tables, on one stream each."""
    client: str = "load"
    """The module of the bots."""
    timed: bool = False
    """Whether the server notes how long each table takes."""
    contest_matches: int = 0
    """Matches of a whole tournament, of one deal each; 0: the bench opens tables that never end."""

    @property
    def bots(self) -> int:
        """How many bots there are, each with one stream on a connection of its own."""
        if self.kind is Kind.PINGPONG:
            return self.tables
        return PLAYERS if self.shared else PLAYERS * self.tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What happened in one window."""

    seconds: float
    """Its length."""
    decisions: int
    """Answers that the server took."""
    server_us: float
    """CPU time of the server's process, all threads, microseconds."""
    client_us: float
    """The same of the bots' process."""
    messages: int
    """Messages that the bots read."""
    asked: int
    """Decisions in them."""
    finished: int
    """Matches that had ended, since the server's start, in the middle of the window."""

    @property
    def server_cost(self) -> float:
        """Server CPU per decision, microseconds."""
        return self.server_us / self.decisions

    @property
    def client_cost(self) -> float:
        """Client CPU per decision, microseconds."""
        return self.client_us / self.decisions


class Rig:
    """A server and its bots, two processes, playing."""

    def __init__(self, spec: RigSpec, settings: Settings) -> None:
        """Starts both and leaves them stopped in the middle of play; `end` must follow.

        Raises:
            WorkerError: One of them failed.
        """
        self.spec = spec
        self._settings = settings
        self._workers = ExitStack()
        self.empty_kib = 0.0
        """Memory of the real server before the first bot, KiB."""
        try:
            self._start()
        except BaseException:
            self.end()
            raise

    def _start(self) -> None:
        spec, loop = self.spec, self._settings.loop
        if spec.kind is Kind.GAME:
            self.server = self._add(Worker("server", [loop, "patient", "timed" if spec.timed else "plain"]))
        else:
            self.server = self._add(Worker("bare", [spec.kind.value, loop]))
        port = self.server.hear()["port"]
        self.client = self._add(Worker(spec.client, [loop]))
        tokens = [f"b{number}" for number in range(spec.bots)]
        if spec.kind is Kind.GAME:
            tokens = self.server.ask("tokens", count=spec.bots)["tokens"]
            self.empty_kib = self.server.ask("memory")["kib"]
        self.client.ask("connect", port=port, tokens=tokens)
        while self.server.ask("here")["bots"] < spec.bots:
            self.client.ask("mark")
            time.sleep(_LOOK_S)
        if spec.contest_matches:
            self.server.ask("contest", matches=spec.contest_matches, max_tables=spec.tables)
        elif spec.kind is Kind.GAME:
            self.server.ask("open", tables=spec.tables, deals=_ENDLESS)
        time.sleep(self._settings.warm_s)
        self._wait_for_play()
        self.pause()

    def _add(self, worker: Worker) -> Worker:
        self._workers.callback(worker.end)
        return worker

    def _wait_for_play(self) -> None:
        """Returns once every seat has been asked often enough that nobody is starting up any more."""
        seats = self.spec.bots * (self.spec.tables if self.spec.shared else 1)
        patience = time.monotonic() + _PATIENCE_S
        while self.server.ask("mark")["decisions"] < _SETTLED * seats:
            # Raises if a bot failed.
            self.client.ask("mark")
            if time.monotonic() > patience:
                raise WorkerError(f"{self.spec.name}: play has not begun after {_PATIENCE_S:g} s")
            time.sleep(_LOOK_S)

    def pause(self) -> None:
        """Stops both processes where they are, the bots first."""
        self.client.pause()
        self.server.pause()

    def resume(self) -> None:
        """Lets both go on."""
        self.server.resume()
        self.client.resume()

    def window(self, seconds: float | None = None) -> Window:
        """Returns what happens in one window; the rig is stopped before and after.

        Args:
            seconds: Its length; none: as the settings have it.
        """
        self.resume()
        time.sleep(self._settings.warm_s)
        before = self._marks()
        time.sleep(seconds or self._settings.window_s)
        after = self._marks()
        self.pause()
        return _between(before, after)

    def timed_window(self) -> tuple[Window, dict[str, float]]:
        """Returns a window and the percentiles of the waits in it, milliseconds."""
        # Those of the start, or of the pause, are not its own.
        self.resume()
        time.sleep(self._settings.warm_s)
        self.server.ask("waits")
        before = self._marks()
        time.sleep(self._settings.window_s)
        waits = self.server.ask("waits")
        after = self._marks()
        self.pause()
        return _between(before, after), waits

    def _marks(self) -> "_Marks":
        return self.server.ask("mark"), self.client.ask("mark")

    def end(self) -> None:
        """Ends both processes."""
        self._workers.close()


_Marks = tuple[dict[str, Any], dict[str, Any]]
"""What server and bots say of themselves at one moment."""


def _between(before: _Marks, after: _Marks) -> Window:
    (server_0, client_0), (server_1, client_1) = before, after
    return Window(
        seconds=(server_1["at_ns"] - server_0["at_ns"]) / 1e9,
        decisions=server_1["decisions"] - server_0["decisions"],
        server_us=(server_1["cpu_ns"] - server_0["cpu_ns"]) / 1e3,
        client_us=(client_1["cpu_ns"] - client_0["cpu_ns"]) / 1e3,
        messages=client_1["messages"] - client_0["messages"],
        asked=client_1["asked"] - client_0["asked"],
        finished=(server_0["finished"] + server_1["finished"]) // 2,
    )


@contextmanager
def rigs_running(specs: Sequence[RigSpec], settings: Settings) -> Iterator[list[Rig]]:
    """Starts rigs, stopped, and ends them with the block."""
    with ExitStack() as stack:
        rigs = []
        for spec in specs:
            rig = Rig(spec, settings)
            stack.callback(rig.end)
            rigs.append(rig)
        yield rigs


def take_turns(specs: Sequence[RigSpec], settings: Settings) -> dict[str, list[Window]]:
    """Returns the windows of each rig by its name: A B C A B C …, as many rounds as the settings say."""
    with rigs_running(specs, settings) as rigs:
        windows: dict[str, list[Window]] = {spec.name: [] for spec in specs}
        for _ in range(settings.rounds):
            for rig in rigs:
                windows[rig.spec.name].append(rig.window())
        return windows
