"""`kiery bench`: the figures of docs/performance.md on this machine."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from kiery.bench import (
    COLUMNS,
    LOOPS,
    Figure,
    Settings,
    check_plotting,
    figure_row,
    machine,
    plot_curves,
    report_values,
    run_bench,
)
from kiery.cli.console import note, print_json, print_table, say
from kiery.errors import InputError

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
    if loop not in LOOPS:
        raise InputError(f"no event loop is called {loop!a}: expected one of {', '.join(LOOPS)}")
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
        say("  ".join(f"{key} {value}" for key, value in about.items() if value is not None))
        print_table("figures", COLUMNS, [figure_row(figure) for figure in figures])


def _progress(figure: Figure) -> None:
    note("bench: " + "  ".join(cell for cell in figure_row(figure) if cell))
