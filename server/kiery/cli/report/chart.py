"""Pictures as inline SVG: scales, intervals, lines and bars. Colours come from the page's style sheet."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final

from kiery.cli.report.element import Markup, element, join

__all__ = ["PALETTE", "Line", "Scale", "bars", "intervals", "lines", "short", "spans", "strip", "strip_axis"]

PALETTE: Final = 8
"""Colours of lines, classes `c0` … `c7`; further lines are grey."""

_LABEL: Final = 150
_WIDTH: Final = 720
_ROW: Final = 24
_LONG: Final = 20
_STRIP: Final = (210, 24)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Where values lie on a picture."""

    low: float
    """The value at `start`."""
    high: float
    """The value at `end`, above `low`."""
    start: float
    """Position of `low`."""
    end: float
    """Position of `high`."""
    log: bool = False
    """Whether equal distances are equal ratios."""

    @classmethod
    def around(cls, values: Sequence[float], start: float, end: float, *, zero: bool = True) -> "Scale":
        """Returns a scale that covers the values, and 0 on request, up to round numbers."""
        seen = [*values, *([0.0] if zero else [])] or [0.0]
        low, high = min(seen), max(seen)
        if low == high:
            low, high = low - 1, high + 1
        step = _step(high - low)
        return cls(low=floor(low / step) * step, high=ceil(high / step) * step, start=start, end=end)

    def at(self, value: float) -> float:
        """Returns the position of a value; beyond the ends it stays at them."""
        if self.log:
            share = (log10(max(value, self.low)) - log10(self.low)) / (log10(self.high) - log10(self.low))
        else:
            share = (value - self.low) / (self.high - self.low)
        return round(self.start + min(max(share, 0.0), 1.0) * (self.end - self.start), 1)

    def ticks(self) -> list[float]:
        """Returns round values to label, ascending."""
        if self.log:
            return [10.0**power for power in range(round(log10(self.low)), round(log10(self.high)) + 1)]
        step = _step(self.high - self.low)
        return [
            round(step * index, 6) for index in range(round(self.low / step), round(self.high / step) + 1)
        ]


def _step(span: float) -> float:
    """Returns a round distance of ticks of which a span has four to nine."""
    power = 10.0 ** floor(log10(span / 4))
    return next(power * factor for factor in (10, 5, 2, 1) if power * factor <= span / 4)


def short(name: str) -> str:
    """Returns a name that fits beside a picture."""
    return name if len(name) <= _LONG else f"{name[: _LONG - 1]}…"


def _number(value: float) -> str:
    if value >= 1000:
        return f"{value / 1000:g} k"
    return f"{value:g}".replace("-", "−")


def _svg(width: float, height: float, title: str, *children: Markup) -> Markup:
    return element(
        "svg",
        element("title", title),
        *children,
        viewBox=f"0 0 {width:g} {height:g}",
        width=width,
        height=height,
        role="img",
        class_="chart",
        xmlns="http://www.w3.org/2000/svg",
    )


def _grid(scale: Scale, top: float, bottom: float, *, labels: bool = True, counts: bool = False) -> Markup:
    parts = []
    for tick in scale.ticks():
        x = scale.at(tick)
        kind = "zero" if tick == 0 else "grid"
        parts.append(element("line", x1=x, x2=x, y1=top, y2=bottom, class_=kind))
        if counts and tick != round(tick):
            continue
        if labels:
            parts.append(
                element(
                    "text",
                    _number(abs(tick) if counts else tick),
                    x=x,
                    y=bottom + 15,
                    class_="tick",
                    text_anchor="middle",
                )
            )
    return join(parts)


def _label(name: str, y: float) -> Markup:
    return element(
        "text", element("title", name), short(name), x=_LABEL - 10, y=y + 4, class_="name", text_anchor="end"
    )


def _caption(text: str, x: float, y: float) -> Markup:
    return element("text", text, x=x, y=y, class_="caption", text_anchor="middle")


def _whisker(scale: Scale, value: float, half_width: float | None, y: float, kind: str) -> Markup:
    parts = []
    if half_width is not None:
        low, high = scale.at(value - half_width), scale.at(value + half_width)
        parts.append(element("line", x1=low, x2=high, y1=y, y2=y, class_=f"whisker {kind}"))
        parts += [
            element("line", x1=x, x2=x, y1=y - 4, y2=y + 4, class_=f"whisker {kind}") for x in (low, high)
        ]
    parts.append(element("circle", cx=scale.at(value), cy=y, r=4.5, class_=f"dot {kind}"))
    return join(parts)


Interval = tuple[float | None, float | None]
"""A value and half of its interval."""


def _ends(values: Sequence[Interval]) -> list[float]:
    known = [(value, width or 0.0) for value, width in values if value is not None]
    return [end for value, width in known for end in (value - width, value + width)]


def strip_scale(values: Sequence[Interval]) -> Scale:
    """Returns the scale that the strips of one table share."""
    return Scale.around(_ends(values), 12, _STRIP[0] - 12)


def strip(scale: Scale, value: Interval, title: str, kind: str) -> Markup:
    """Returns an interval for the cell of a table."""
    width, height = _STRIP
    middle = height / 2
    parts = [_grid(scale, 0, height, labels=False)]
    if value[0] is not None:
        parts.append(_whisker(scale, value[0], value[1], middle, kind))
    return _svg(width, height, title, *parts)


def strip_axis(scale: Scale, title: str) -> Markup:
    """Returns the scale of strips for the head of their column."""
    width, height = _STRIP
    labels = [
        element("text", _number(tick), x=scale.at(tick), y=height - 6, class_="tick", text_anchor="middle")
        for tick in scale.ticks()
    ]
    return _svg(width, height, title, *labels)


def intervals(
    rows: Sequence[tuple[str, Interval, str]],
    title: str,
    *,
    caption: str,
    zero: bool = True,
    expected: float | None = None,
) -> Markup:
    """Returns a picture of intervals, one a row.

    Args:
        rows: Name, value with half of its interval, and class of each.
        title: What it shows, for those who cannot see it.
        caption: What the scale is.
        zero: Whether 0 is on the scale.
        expected: Where all of them should be; none: nowhere.
    """
    ends = _ends([value for _, value, _ in rows]) + ([expected] if expected is not None else [])
    scale = Scale.around(ends, _LABEL, _WIDTH - 20, zero=zero)
    bottom = len(rows) * _ROW + 8
    parts = [_grid(scale, 4, bottom)]
    if expected is not None:
        x = scale.at(expected)
        parts.append(element("line", x1=x, x2=x, y1=4, y2=bottom, class_="expected"))
    for index, (name, (value, half_width), kind) in enumerate(rows):
        y = index * _ROW + _ROW / 2 + 4
        parts.append(_label(name, y))
        if value is not None:
            parts.append(_whisker(scale, value, half_width, y, kind))
    parts.append(_caption(caption, (_LABEL + _WIDTH) / 2, bottom + 32))
    return _svg(_WIDTH, bottom + 40, title, *parts)


def bars(
    rows: Sequence[tuple[str, Sequence[tuple[float, str]]]], title: str, *, caption: str, counts: bool = False
) -> Markup:
    """Returns bars from 0, to either side; a row's bars share its line.

    Args:
        rows: Name, and value and class of each bar.
        title: What it shows, for those who cannot see it.
        caption: What the scale is.
        counts: Whether both sides count something, so that neither is negative.
    """
    scale = Scale.around([value for _, own in rows for value, _ in own], _LABEL, _WIDTH - 20)
    bottom = len(rows) * _ROW + 8
    parts = [_grid(scale, 4, bottom, counts=counts)]
    for index, (name, own) in enumerate(rows):
        y = index * _ROW + _ROW / 2 + 4
        parts.append(_label(name, y))
        for value, kind in own:
            left, right = sorted((scale.at(0), scale.at(value)))
            bar = element("rect", x=left, y=y - 7, width=right - left, height=14, class_=f"bar {kind}")
            parts.append(bar)
    parts.append(_caption(caption, (_LABEL + _WIDTH) / 2, bottom + 32))
    return _svg(_WIDTH, bottom + 40, title, *parts)


def spans(rows: Sequence[tuple[str, Sequence[float]]], title: str, *, caption: str) -> Markup:
    """Returns, on a scale of ratios, a bar from the first to the last but one of each row's values.

    The values between are ticks on it, and the last is a dot.

    Args:
        rows: Name and values, ascending, at least two.
        title: What it shows, for those who cannot see it.
        caption: What the scale is.
    """
    most = max([value for _, values in rows for value in values] + [10.0])
    scale = Scale(low=1, high=10.0 ** ceil(log10(most)), start=_LABEL, end=_WIDTH - 20, log=True)
    bottom = len(rows) * _ROW + 8
    parts = [_grid(scale, 4, bottom)]
    for index, (name, values) in enumerate(rows):
        y = index * _ROW + _ROW / 2 + 4
        parts.append(_label(name, y))
        *inner, last = (scale.at(value) for value in values)
        width = max(inner[-1] - inner[0], 1.5)
        parts.append(element("line", x1=inner[0], x2=last, y1=y, y2=y, class_="whisker plain"))
        parts.append(element("rect", x=inner[0], y=y - 5, width=width, height=10, class_="bar plain"))
        parts += [element("line", x1=x, x2=x, y1=y - 7, y2=y + 7, class_="mark") for x in inner[:-1]]
        parts.append(element("circle", cx=last, cy=y, r=3.5, class_="dot plain"))
    parts.append(_caption(caption, (_LABEL + _WIDTH) / 2, bottom + 32))
    return _svg(_WIDTH, bottom + 40, title, *parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a picture."""

    name: str
    """Stands at its end."""
    points: tuple[tuple[float, float], ...]
    """Across and up, at least one."""
    colour: int | None
    """Which of the palette; none: grey, and without a name."""


def lines(drawn: Sequence[Line], title: str, *, caption: str) -> Markup:
    """Returns lines over a common scale, each with its name at the right end.

    Args:
        drawn: The lines; those without colour are drawn below the others.
        title: What it shows, for those who cannot see it.
        caption: What the scale across is.
    """
    height, left, right = 300, 46, _WIDTH - _LABEL
    across = Scale.around([x for line in drawn for x, _ in line.points], left, right)
    up = Scale.around([y for line in drawn for _, y in line.points], height, 8)
    parts = [_grid(across, 8, height)]
    for tick in up.ticks():
        y = up.at(tick)
        parts.append(element("line", x1=left, x2=right, y1=y, y2=y, class_="zero" if tick == 0 else "grid"))
        parts.append(element("text", _number(tick), x=left - 8, y=y + 4, class_="tick", text_anchor="end"))
    for line in sorted(drawn, key=lambda line: line.colour is not None):
        kind = "faint" if line.colour is None else f"c{line.colour}"
        path = " ".join(f"{across.at(x):g},{up.at(y):g}" for x, y in line.points)
        parts.append(element("polyline", points=path, class_=f"line {kind}"))
        if len(line.points) == 1:
            parts.append(
                element(
                    "circle",
                    cx=across.at(line.points[0][0]),
                    cy=up.at(line.points[0][1]),
                    r=4,
                    class_=f"dot {kind}",
                )
            )
    named = [line for line in drawn if line.colour is not None]
    for line, y in zip(named, _apart([up.at(line.points[-1][1]) for line in named], height), strict=True):
        start = across.at(line.points[-1][0])
        kind = f"c{line.colour}"
        end = up.at(line.points[-1][1])
        parts.append(element("line", x1=start + 3, x2=right + 12, y1=end, y2=y, class_=f"leader {kind}"))
        parts.append(
            element(
                "text",
                element("title", line.name),
                short(line.name),
                x=right + 16,
                y=y + 4,
                class_=f"name {kind}",
            )
        )
    parts.append(_caption(caption, (left + right) / 2, height + 32))
    return _svg(_WIDTH, height + 40, title, *parts)


def _apart(wanted: Sequence[float], height: float, gap: float = 15) -> list[float]:
    """Returns positions for labels near those wanted, none over another as far as there is room."""
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    placed = [0.0] * len(wanted)
    last = -gap
    for index in order:
        last = placed[index] = max(wanted[index], last + gap)
    # Whatever was pushed out at the bottom pushes back.
    limit = height + 4
    for index in reversed(order):
        placed[index] = min(placed[index], limit)
        limit = placed[index] - gap
    return placed
