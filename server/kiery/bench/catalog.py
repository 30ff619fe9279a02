"""All figures by name, and the run of those that are asked for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kiery.bench.engine import ENGINE_EXPERIMENT
from kiery.bench.experiment import Experiment, is_selected
from kiery.bench.figure import Figure
from kiery.bench.growth import GROWTH_EXPERIMENTS, SCALE_EXPERIMENT
from kiery.bench.idle import IDLE_EXPERIMENTS
from kiery.bench.journal import JOURNAL_EXPERIMENT
from kiery.bench.latency import LATENCY_EXPERIMENT
from kiery.bench.play import PLAY_EXPERIMENTS
from kiery.bench.process import FileLimitError
from kiery.bench.records import RECORD_EXPERIMENT
from kiery.bench.rig import Settings
from kiery.bench.sdk import SDK_EXPERIMENT
from kiery.errors import InputError

__all__ = ["EXPERIMENTS", "Report", "figure_names", "run_bench"]

EXPERIMENTS: Final[tuple[Experiment, ...]] = (
    *PLAY_EXPERIMENTS,
    ENGINE_EXPERIMENT,
    JOURNAL_EXPERIMENT,
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a run of the bench has found."""

    figures: tuple[Figure, ...]
    """In the order in which they were measured."""
    skipped: Mapping[str, str]
    """Figures that this system does not allow to measure, with the reason."""


def run_bench(
    settings: Settings,
    only: Sequence[str] = (),
    seen: Callable[[Figure], None] | None = None,
    experiments: Sequence[Experiment] = EXPERIMENTS,
) -> Report:
    """Measures figures, one experiment after the other.

    Args:
        settings: How much is measured.
        only: Names of figures, or what these begin with, such as `lockstep`; empty: all, or all quick ones.
        seen: Is told of each figure as soon as it stands.
        experiments: Where figures come from.

    Raises:
        InputError: A name fits no figure.
        WorkerError: A process of the bench failed.
    """
    known = [name for each in experiments for name in each.names]
    for wanted in only:
        if not any(is_selected(name, [wanted]) for name in known):
            roots = sorted({name.partition("/")[0] for name in known})
            raise InputError(
                f"no figure is called {wanted!a}: expected one of {', '.join(roots)}, or a full name"
            )
    figures: list[Figure] = []
    skipped: dict[str, str] = {}
    for experiment in experiments:
        # Whoever names a figure gets it, quick or not.
        offered = experiment.in_quick if settings.quick and not only else experiment.names
        chosen = frozenset(name for name in offered if is_selected(name, only))
        if not chosen:
            continue
        try:
            found = experiment.run(settings, chosen)
        except FileLimitError as error:
            skipped.update(dict.fromkeys(sorted(chosen), str(error)))
            continue
        figures += found
        if seen is not None:
            for figure in found:
                seen(figure)
    return Report(figures=tuple(figures), skipped=skipped)
