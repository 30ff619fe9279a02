"""All figures by name, and the run of those that are asked for."""

from collections.abc import Callable, Sequence
from typing import Final

from kiery.bench.engine import ENGINE_EXPERIMENT
from kiery.bench.experiment import Experiment, is_selected
from kiery.bench.figure import Figure
from kiery.bench.growth import GROWTH_EXPERIMENTS, SCALE_EXPERIMENT
from kiery.bench.idle import IDLE_EXPERIMENTS
from kiery.bench.latency import LATENCY_EXPERIMENT
from kiery.bench.play import PLAY_EXPERIMENTS
from kiery.bench.records import RECORD_EXPERIMENT
from kiery.bench.rig import Settings
from kiery.bench.sdk import SDK_EXPERIMENT
from kiery.errors import InputError

__all__ = ["EXPERIMENTS", "figure_names", "run_bench"]

EXPERIMENTS: Final[tuple[Experiment, ...]] = (
    *PLAY_EXPERIMENTS,
    ENGINE_EXPERIMENT,
    RECORD_EXPERIMENT,
    SDK_EXPERIMENT,
    LATENCY_EXPERIMENT,
    SCALE_EXPERIMENT,
    *IDLE_EXPERIMENTS,
    *GROWTH_EXPERIMENTS,
)
"""In the order in which they run."""


def figure_names(*, quick: bool = False) -> list[str]:
    """Returns the names of all figures, or of those of the quick bench."""
    return [name for each in EXPERIMENTS for name in each.names if not quick or name in each.in_quick]


def run_bench(
    settings: Settings, only: Sequence[str] = (), seen: Callable[[Figure], None] | None = None
) -> list[Figure]:
    """Measures figures, one experiment after the other.

    Args:
        settings: How much is measured.
        only: Names of figures, or what these begin with, such as `lockstep`; empty: all, or all quick ones.
        seen: Is told of each figure as soon as it stands.

    Raises:
        InputError: A name fits no figure.
        WorkerError: A process of the bench failed.
    """
    for wanted in only:
        if not any(is_selected(name, [wanted]) for name in figure_names()):
            roots = sorted({name.partition("/")[0] for name in figure_names()})
            raise InputError(
                f"no figure is called {wanted!a}: expected one of {', '.join(roots)}, or a full name"
            )
    # Whoever names a figure gets it, quick or not.
    names = set(figure_names(quick=settings.quick and not only))
    figures: list[Figure] = []
    for experiment in EXPERIMENTS:
        chosen = frozenset(name for name in experiment.names if name in names and is_selected(name, only))
        if chosen:
            found = experiment.run(settings, chosen)
            figures += found
            if seen is not None:
                for figure in found:
                    seen(figure)
    return figures
