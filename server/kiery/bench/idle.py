"""Bots that wait: memory and CPU of the lobby, how fast bots are accepted, and what a storm of them takes."""

import time
from contextlib import ExitStack
from functools import partial
from typing import Any, Final

from kiery.bench.experiment import Experiment
from kiery.bench.figure import Figure, Goal, Of, measured
from kiery.bench.process import raise_file_limit
from kiery.bench.rig import Settings
from kiery.bench.worker import Worker

__all__ = ["IDLE_EXPERIMENTS"]

_AT_A_TIME: Final = 256
_FULL_WINDOW_S: Final = 62.0
"""A heartbeat interval of the lobby and a little, so that every bot's heartbeat is in it."""
_QUICK_WINDOW_S: Final = 5.0
_MEMORY: Final = Goal(bound=60, of=Of.VALUE, source="P7")
_CPU: Final = Goal(bound=3, of=Of.VALUE, source="P7")
_ACCEPTED: Final = Goal(bound=1_000, of=Of.VALUE, at_least=True, source="P7")
_CROWD: Final = "bots: sockets that speak the HTTP/2 they need, one connection each"


def _lobby(settings: Settings, stack: ExitStack, bots: int) -> tuple[Worker, Worker, int, list[str]]:
    """Starts a server and a crowd that has not dialled; returns both, the port, and the bots' tokens."""
    raise_file_limit(bots)
    server = Worker("server", [settings.loop, "plain", "plain"])
    stack.callback(server.end)
    port = server.hear()["port"]
    crowd = Worker("crowd", [settings.loop])
    stack.callback(crowd.end)
    return server, crowd, port, server.ask("tokens", count=bots)["tokens"]


def _idle(bots: int, settings: Settings, names: frozenset[str]) -> list[Figure]:
    window_s = _QUICK_WINDOW_S if settings.quick else _FULL_WINDOW_S
    with ExitStack() as stack:
        server, crowd, port, tokens = _lobby(settings, stack, bots)
        empty = server.ask("memory")["kib"]
        before = server.ask("mark")
        dialled = crowd.ask("connect", port=port, tokens=tokens, at_a_time=_AT_A_TIME)
        after = server.ask("mark")
        # The memory is asked for first: it collects garbage, which is not what waiting costs.
        full = server.ask("memory")["kib"]
        start = server.ask("mark")
        time.sleep(window_s)
        end = server.ask("mark")
        _check(crowd, bots)
    share = (end["cpu_ns"] - start["cpu_ns"]) / (end["at_ns"] - start["at_ns"]) * 100
    beats = "one heartbeat each" if window_s > _QUICK_WINDOW_S else "no heartbeats"
    accept_cpu = (after["cpu_ns"] - before["cpu_ns"]) / 1e9
    figures = (
        measured(f"idle/{bots}/memory", "KiB/bot", [(full - empty) / bots], goal=_MEMORY, note=_CROWD),
        measured(
            f"idle/{bots}/cpu",
            "% of a core",
            [share],
            goal=_CPU,
            note=f"{window_s:.0f} s, keepalive and {beats}; {_CROWD}",
        ),
        measured(
            f"idle/{bots}/accepted",
            "bots/s",
            [bots / dialled["seconds"]],
            goal=_ACCEPTED,
            note=f"{bots / accept_cpu:.0f} a second of server CPU;"
            f" the crowd took {dialled['cpu_s']:.1f} s of its own",
        ),
    )
    return [figure for figure in figures if figure.name in names]


def _storm(bots: int, settings: Settings, names: frozenset[str]) -> list[Figure]:
    """Everybody at once, as after a restart; a new server each round."""
    times = []
    for _ in range(1 if settings.quick else settings.rounds):
        with ExitStack() as stack:
            _, crowd, port, tokens = _lobby(settings, stack, bots)
            times.append(crowd.ask("connect", port=port, tokens=tokens, at_a_time=bots)["seconds"])
            _check(crowd, bots)
    note = f"from the first dial to the last welcome, all {bots} at once"
    return [measured(name, "s", times, note=note) for name in names]


def _check(crowd: Worker, bots: int) -> None:
    found: dict[str, Any] = crowd.ask("mark")
    if found["lost"] or found["welcomed"] != bots:
        raise RuntimeError(f"of {bots} bots {found['welcomed']} were welcomed and {found['lost']} lost again")


def _idle_names(bots: int) -> tuple[str, ...]:
    return tuple(f"idle/{bots}/{what}" for what in ("memory", "cpu", "accepted"))


IDLE_EXPERIMENTS: Final = (
    Experiment(names=_idle_names(1_000), run=partial(_idle, 1_000), in_quick=frozenset(_idle_names(1_000))),
    Experiment(names=_idle_names(5_000), run=partial(_idle, 5_000)),
    Experiment(names=("storm/1000",), run=partial(_storm, 1_000)),
)
"""The lobby."""
