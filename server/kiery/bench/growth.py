"""How cost and memory grow: with the tables played at once, and with the matches that were played."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from typing import Final

from kiery.bench.experiment import Experiment
from kiery.bench.figure import Figure, Goal, Of, Point, measured
from kiery.bench.play import lockstep, multiplexed, ring
from kiery.bench.rig import Kind, Rig, RigSpec, Settings, Window, rigs_running, take_turns

__all__ = ["GROWTH_EXPERIMENTS", "SCALE_EXPERIMENT"]

_TABLES: Final = (1, 4, 16, 64, 256, 1024)
_FINISHED: Final = (1, 1_000, 10_000)
_QUICK_FINISHED: Final = (10, 1_000)
_REFERENCE_TABLES: Final = 16
_RINGS: Final = (ring(_REFERENCE_TABLES), ring(_TABLES[-1]))
_TEN_PERCENT: Final = Goal(bound=1.1, of=Of.VALUE, source="P9")
_FINISHED_TABLES: Final = 16
_MATCHES: Final = 30_000
"""Planned in every one of these tournaments, so that they differ in nothing else."""
_LOOK_S: Final = 0.05
_YOUNG_WINDOW_S: Final = 0.4


def _point(at: float, windows: Sequence[Window]) -> Point:
    costs = [window.server_cost for window in windows]
    return Point(at=at, value=median(costs), low=min(costs), high=max(costs))


def _finished_at(windows: Sequence[Window]) -> float:
    """Returns how many matches lay behind these windows: each of them plays some hundred more."""
    return median(window.finished for window in windows)


def _growths(first: Sequence[Window], last: Sequence[Window]) -> list[float]:
    """Returns how much dearer a decision is at the end of a curve, round by round."""
    return [later.server_cost / earlier.server_cost for later, earlier in zip(last, first, strict=True)]


def _tables(
    make: Callable[[int], RigSpec], floors: Sequence[RigSpec], settings: Settings, names: frozenset[str]
) -> list[Figure]:
    """Tables at once, from one to a thousand; the floors are those of the two that are compared."""
    (name,) = names
    ends = (_REFERENCE_TABLES, _TABLES[-1])
    specs = {count: make(count) for count in _TABLES}
    windows = take_turns([*specs.values(), *floors], settings)
    first, last = (windows[specs[count].name] for count in ends)
    return [
        measured(
            name,
            f"cost at {ends[1]} tables / at {ends[0]}",
            _growths(first, last),
            floors=_growths(*(windows[spec.name] for spec in floors)) if floors else None,
            floor_name="the same growth of ring, which is gRPC's and the system's",
            goal=_TEN_PERCENT,
            curve=[_point(count, windows[spec.name]) for count, spec in specs.items()],
            curve_axis="tables at once",
        )
    ]


def _finished(settings: Settings, names: frozenset[str]) -> list[Figure]:
    """Tournaments that differ only in how many matches they have behind them, in turn."""
    counts = _QUICK_FINISHED if settings.quick else _FINISHED
    specs = [
        RigSpec(
            name=f"finished/{count}",
            kind=Kind.GAME,
            tables=_FINISHED_TABLES,
            shared=True,
            contest_matches=_MATCHES,
        )
        for count in counts
    ]
    windows: dict[int, list[Window]] = {count: [] for count in counts}
    # Short ones, so that the first tournaments stay young.
    seconds = min(settings.window_s, _YOUNG_WINDOW_S)
    memory: dict[int, float] = {}
    with rigs_running(specs, settings) as rigs:
        for count, rig in zip(counts, rigs, strict=True):
            _play_until(rig, count)
            rig.resume()
            memory[count] = rig.server.ask("memory")["kib"]
            rig.pause()
        for _ in range(settings.rounds):
            for count, rig in zip(counts, rigs, strict=True):
                windows[count].append(rig.window(seconds))
    figures = []
    if "growth/finished" in names:
        first, last = windows[counts[0]], windows[counts[-1]]
        figures.append(
            measured(
                "growth/finished",
                f"cost after {_finished_at(last):.0f} matches / after {_finished_at(first):.0f}",
                _growths(first, last),
                goal=_TEN_PERCENT,
                curve=[_point(_finished_at(windows[count]), windows[count]) for count in counts],
                curve_axis="finished matches",
            )
        )
    if "growth/finished/memory" in names:
        few, many = counts[-2], counts[-1]
        figures.append(
            measured(
                "growth/finished/memory",
                "KiB/finished match",
                [(memory[many] - memory[few]) / (many - few)],
                note=f"resident memory after {many} matches of one deal less that after {few}",
            )
        )
    return figures


def _play_until(rig: Rig, count: int) -> None:
    rig.resume()
    while rig.server.ask("mark")["finished"] < count:
        time.sleep(_LOOK_S)
    rig.pause()


def _scale(settings: Settings, names: frozenset[str]) -> list[Figure]:
    """The memory of 1,024 tables played at once, over the same server before the first."""
    del names
    spec = multiplexed(1024)
    grown, peaks = [], []
    with rigs_running([spec], settings) as (rig,):
        for _ in range(settings.rounds):
            rig.window()
            rig.resume()
            found = rig.server.ask("memory")
            rig.pause()
            grown.append((found["kib"] - rig.empty_kib) / spec.tables)
            peaks.append(found["peak_kib"] / 1024)
        before = rig.empty_kib / 1024
    return [
        measured(
            "scale/1024",
            "KiB/table",
            grown,
            note=f"resident memory before {before:.0f} MiB, peak {max(peaks):.0f} MiB;"
            " each match keeps its own deals until it ends, about 3 KiB each",
        )
    ]


GROWTH_EXPERIMENTS: Final = (
    Experiment(names=("growth/tables/multiplexed",), run=partial(_tables, multiplexed, ())),
    Experiment(names=("growth/tables/lockstep",), run=partial(_tables, lockstep, _RINGS)),
    Experiment(names=("growth/finished", "growth/finished/memory"), run=_finished),
)
"""Cost against tables at once, and against matches played."""

SCALE_EXPERIMENT: Final = Experiment(names=("scale/1024",), run=_scale)
"""Many tables at once."""
