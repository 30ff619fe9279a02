"""The curves as a picture; needs matplotlib, which nothing else here does."""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kiery.bench.figure import Figure
from kiery.errors import InputError

__all__ = ["check_plotting", "plot_curves"]


def check_plotting() -> None:
    """Makes sure that curves can be drawn, before anything is measured.

    Raises:
        InputError: matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        raise InputError("matplotlib is not installed: pip install matplotlib, or leave --plot out")


def plot_curves(figures: Sequence[Figure], file: Path) -> None:
    """Writes a PNG with one panel for each unit on the horizontal axis: tables, finished matches.

    Raises:
        InputError: None of the figures has a curve, or the file cannot be written.
    """
    curved = [figure for figure in figures if figure.curve]
    if not curved:
        raise InputError("there is no curve to plot: measure growth, or leave --plot out")
    matplotlib = import_module("matplotlib")
    # Draws without a display.
    matplotlib.use("Agg")
    axes_names = sorted({figure.curve_axis for figure in curved}, reverse=True)
    picture, panels = import_module("matplotlib.pyplot").subplots(
        1, len(axes_names), figsize=(6 * len(axes_names), 4), squeeze=False, layout="constrained"
    )
    for name, panel in zip(axes_names, panels[0], strict=True):
        _draw(panel, name, [figure for figure in curved if figure.curve_axis == name])
    try:
        picture.savefig(file, format="png", dpi=150)
    except OSError as error:
        raise InputError(f"cannot write {file}: {error.strerror}") from None


def _draw(panel: Any, axis: str, figures: Sequence[Figure]) -> None:  # noqa: ANN401  (matplotlib has no types here)
    for figure in figures:
        at = [point.at for point in figure.curve]
        panel.plot(at, [point.value for point in figure.curve], marker="o", label=figure.name)
        panel.fill_between(
            at, [point.low for point in figure.curve], [point.high for point in figure.curve], alpha=0.2
        )
    panel.set_xscale("log")
    panel.set_ylim(bottom=0)
    panel.set_xlabel(axis)
    panel.set_ylabel("µs server CPU per decision")
    panel.grid(visible=True, alpha=0.3)
    panel.legend()
