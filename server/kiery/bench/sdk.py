"""What the Python SDK costs a bot, beside a bare client at the same kind of table."""

from typing import Final

from kiery.bench.experiment import Experiment
from kiery.bench.figure import Figure, Goal, measured
from kiery.bench.rig import Kind, RigSpec, Settings, take_turns

__all__ = ["SDK_EXPERIMENT"]

_NAME: Final = "sdk/python"
_BARE: Final = RigSpec(name="bare client", kind=Kind.GAME, tables=16)
_KIT: Final = RigSpec(name="kiery_client", kind=Kind.GAME, tables=16, client="kit")


def _run(settings: Settings, _: frozenset[str]) -> list[Figure]:
    windows = take_turns((_BARE, _KIT), settings)
    return [
        measured(
            _NAME,
            "µs client CPU/decision",
            [window.client_cost for window in windows[_KIT.name]],
            floors=[window.client_cost for window in windows[_BARE.name]],
            floor_name="grpc.aio, raw bytes, parsed and answered without state",
            rates=[window.decisions / window.seconds for window in windows[_KIT.name]],
            goal=Goal(bound=1.3, source="P8"),
            note="64 bots at 16 tables, each with a connection of its own",
        )
    ]


SDK_EXPERIMENT: Final = Experiment(names=(_NAME,), run=_run, in_quick=frozenset({_NAME}))
"""The Python SDK."""
