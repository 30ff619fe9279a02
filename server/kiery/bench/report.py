"""Figures for programs and for people."""

from collections.abc import Mapping, Sequence

from kiery.bench.figure import Figure, Point

__all__ = ["COLUMNS", "curve_row", "figure_row", "figure_values", "report_values"]

COLUMNS = ("figure", "value", "min–max", "unit", "floor", "ratio", "target", "met")
"""Of the table for people."""

_BAR = 40
"""Characters of the longest bar of a curve."""


def figure_values(figure: Figure) -> dict[str, object]:
    """Returns a figure as JSON holds it."""
    goal = figure.goal
    values: dict[str, object] = {
        "name": figure.name,
        "value": figure.value,
        "floor": figure.floor,
        "ratio": figure.ratio,
        "unit": figure.unit,
        "target": None if goal is None else str(goal),
        "met": figure.met,
        "min": figure.low,
        "max": figure.high,
        "rounds": figure.rounds,
        "ratio_min": figure.ratio_low,
        "ratio_max": figure.ratio_high,
        "floor_name": figure.floor_name or None,
        "decisions_per_s": figure.rate,
        "source": None if goal is None else goal.source,
        "note": figure.note or None,
    }
    if figure.curve:
        values["curve"] = [
            {"at": point.at, "value": point.value, "min": point.low, "max": point.high}
            for point in figure.curve
        ]
    return values


def report_values(
    figures: Sequence[Figure], machine: Mapping[str, object], skipped: Mapping[str, str]
) -> dict[str, object]:
    """Returns a whole report as JSON holds it.

    Args:
        figures: What was measured.
        machine: What it was measured on.
        skipped: Figures that could not be measured, with the reason.
    """
    return {
        "figures": [figure_values(figure) for figure in figures],
        "skipped": dict(skipped),
        "machine": dict(machine),
    }


def curve_row(figure: Figure, point: Point) -> tuple[str, ...]:
    """Returns a point of a curve as a row for people."""
    most = max(each.value for each in figure.curve)
    bar = "█" * round(point.value / most * _BAR)
    return (f"{point.at:,.0f}", _number(point.value), f"{_number(point.low)}–{_number(point.high)}", bar)


def figure_row(figure: Figure) -> tuple[str, ...]:
    """Returns a figure as a row of the table for people."""
    ratio = ""
    if figure.ratio is not None and figure.ratio_low is not None and figure.ratio_high is not None:
        ratio = f"{figure.ratio:.2f} ({figure.ratio_low:.2f}–{figure.ratio_high:.2f})"
    met = {True: "yes", False: "NO", None: ""}[figure.met]
    goal = "" if figure.goal is None else f"{figure.goal} {figure.goal.source}".strip()
    return (
        figure.name,
        _number(figure.value),
        f"{_number(figure.low)}–{_number(figure.high)}",
        figure.unit,
        "" if figure.floor is None else _number(figure.floor),
        ratio,
        goal,
        met,
    )


def _number(value: float) -> str:
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 10 else f"{value:.1f}"
