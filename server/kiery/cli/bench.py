"""`kiery bench`: the figures of docs/performance.md on this machine."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from kiery.bench import (
    COLUMNS,
    Figure,
    Settings,
    check_loop,
    check_plotting,
    curve_row,
    figure_names,
    figure_row,
    machine,
    plot_curves,
    report_values,
    run_bench,
)
from kiery.cli.console import note, print_json, print_table, say

__all__ = ["bench_here"]

_ROUNDS: Final = 5
_QUICK_ROUNDS: Final = 3
_WINDOW_S: Final = 1.0
_QUICK_WINDOW_S: Final = 0.3


def bench_here(
    only: Sequence[str], *, quick: bool, rounds: int | None, loop: str, plot: Path | None, as_json: bool
) -> None:
    """Measures and prints.

    Raises:
        InputError: A figure or loop is unknown, or what is needed for it is not installed.
        WorkerError: A process of the bench failed.
    """
    check_loop(loop)
    settings = Settings(
        rounds=rounds or (_QUICK_ROUNDS if quick else _ROUNDS),
        window_s=_QUICK_WINDOW_S if quick else _WINDOW_S,
        quick=quick,
        loop=loop,
    )
    if plot is not None:
        check_plotting()
    about = machine(loop)
    report = run_bench(settings, only, _progress)
    for name, reason in report.skipped.items():
        note(f"bench: {name} left out: {reason}")
    figures = report.figures
    if plot is not None:
        plot_curves(figures, plot)
    if as_json:
        print_json(report_values(figures, about, report.skipped))
    else:
        _show(figures, about)
        if quick and not only:
            left = sorted(set(figure_names()) - {figure.name for figure in figures})
            say(f"left out as the long ones: {', '.join(left)}")


def _show(figures: Sequence[Figure], about: Mapping[str, object]) -> None:
    say("  ".join(f"{key} {value}" for key, value in about.items() if value is not None))
    print_table("figures", COLUMNS, [figure_row(figure) for figure in figures])
    for figure in figures:
        if figure.curve:
            columns = (figure.curve_axis, "µs/decision", "min–max", "")
            print_table(figure.name, columns, [curve_row(figure, point) for point in figure.curve])
    notes: dict[str, list[str]] = {}
    for figure in figures:
        if figure.note:
            notes.setdefault(figure.note, []).append(figure.name)
    for text, names in notes.items():
        say(f"{', '.join(names)}: {text}")


def _progress(figure: Figure) -> None:
    note("bench: " + "  ".join(cell for cell in figure_row(figure) if cell))
