"""The figures of play: server CPU per decision beside its floor, and messages per decision."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from kiery.bench.experiment import Experiment
from kiery.bench.figure import Figure, Goal, Of, measured
from kiery.bench.rig import Kind, RigSpec, Settings, Window, take_turns

__all__ = ["PLAY_EXPERIMENTS", "lockstep", "multiplexed", "pingpong", "ring"]

_LOAD: Final = "bots: grpc.aio with raw bytes, one connection each"


def pingpong(streams: int) -> RigSpec:
    """Returns bare streams that are answered one message for one."""
    return RigSpec(name=f"pingpong/{streams}", kind=Kind.PINGPONG, tables=streams)


def ring(tables: int) -> RigSpec:
    """Returns tables that only repeat messages."""
    return RigSpec(name=f"ring/{tables}", kind=Kind.RING, tables=tables)


def lockstep(tables: int) -> RigSpec:
    """Returns tables of four bots that play nowhere else."""
    return RigSpec(name=f"lockstep/{tables}", kind=Kind.GAME, tables=tables)


def multiplexed(tables: int) -> RigSpec:
    """Returns tables that are all played by the same four bots."""
    return RigSpec(name=f"multiplexed/{tables}", kind=Kind.GAME, tables=tables, shared=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """A figure and the rigs that it needs."""

    name: str
    rig: RigSpec
    floor: RigSpec | None = None
    speed_up: bool = False
    goal: Goal | None = None
    note: str = ""

    def figure(self, windows: dict[str, list[Window]]) -> Figure:
        own = windows[self.rig.name]
        if self.name.startswith("messages/"):
            return measured(
                self.name,
                "messages/decision",
                [window.messages / window.asked for window in own],
                goal=self.goal,
                note=self.note,
            )
        floor = None if self.floor is None else windows[self.floor.name]
        return measured(
            self.name,
            "µs server CPU/decision",
            [window.server_cost for window in own],
            floors=None if floor is None else [window.server_cost for window in floor],
            floor_name="" if self.floor is None else self.floor.name,
            speed_up=self.speed_up,
            rates=[window.decisions / window.seconds for window in own],
            goal=self.goal,
            note=self.note,
        )


def _cost(
    rig: RigSpec, floor: RigSpec | None = None, goal: Goal | None = None, *, speed_up: bool = False
) -> _Wanted:
    return _Wanted(name=rig.name, rig=rig, floor=floor, goal=goal, speed_up=speed_up, note=_LOAD)


def _messages(rig: RigSpec, bound: float) -> _Wanted:
    goal = Goal(bound=bound, of=Of.VALUE, source="P3")
    return _Wanted(name=f"messages/{rig.name}", rig=rig, goal=goal, note="no match ends in the windows")


_ONE: Final = (_cost(pingpong(1)), _cost(lockstep(1), pingpong(1)))
_P1: Final = Goal(bound=1.15, source="P1")
_SIXTEEN: Final = (
    _cost(pingpong(16)),
    _cost(ring(16)),
    _cost(lockstep(16), ring(16), _P1),
    _messages(lockstep(16), 1.0),
)
_SIXTY_FOUR: Final = (_cost(ring(64)), _cost(lockstep(64), ring(64), _P1))
_MULTIPLEXED: Final = (
    _cost(multiplexed(1), pingpong(16), speed_up=True),
    _cost(multiplexed(16), pingpong(16), speed_up=True),
    _cost(multiplexed(256), pingpong(16), Goal(bound=6, at_least=True, source="P2"), speed_up=True),
    _cost(multiplexed(1024), pingpong(16), Goal(bound=8, at_least=True, source="P2"), speed_up=True),
    _messages(multiplexed(256), 0.1),
)


def _run(group: Sequence[_Wanted], settings: Settings, names: frozenset[str]) -> list[Figure]:
    wanted = [each for each in group if each.name in names]
    rigs: dict[str, RigSpec] = {}
    for each in wanted:
        # The floor first, and each rig once, whoever needs it.
        for rig in (each.floor, each.rig):
            if rig is not None:
                rigs.setdefault(rig.name, rig)
    windows = take_turns(list(rigs.values()), settings)
    return [each.figure(windows) for each in wanted]


_QUICK: Final = frozenset(
    {
        "pingpong/16",
        "ring/16",
        "lockstep/16",
        "messages/lockstep/16",
        "multiplexed/256",
        "messages/multiplexed/256",
    }
)
PLAY_EXPERIMENTS: Final = tuple(
    Experiment(
        names=tuple(each.name for each in group),
        run=partial(_run, group),
        in_quick=_QUICK & {each.name for each in group},
    )
    for group in (_SIXTEEN, _SIXTY_FOUR, _ONE, _MULTIPLEXED)
)
"""Everything about play, in the order of interest."""
