"""An experiment: what is measured together, and the figures that come of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kiery.bench.figure import Figure
from kiery.bench.rig import Settings

__all__ = ["Experiment", "is_selected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """Figures that are measured in one interleaved run."""

    names: tuple[str, ...]
    """The figures that it can give."""
    run: Callable[[Settings, frozenset[str]], Sequence[Figure]]
    """Measures, given the settings and which of these figures are wanted."""
    in_quick: frozenset[str] = frozenset()
    """Those of its figures that also belong to the quick bench."""


def is_selected(name: str, only: Sequence[str]) -> bool:
    """Tells whether a figure is among those asked for: by its name, or by the parts that it begins with."""
    return not only or any(name == wanted or name.startswith(wanted.rstrip("/") + "/") for wanted in only)
