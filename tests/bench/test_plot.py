from pathlib import Path

import pytest

from kiery.bench import Point, plot_curves
from kiery.bench.figure import measured
from kiery.errors import InputError

CURVE = [Point(at=1, value=50, low=40, high=60), Point(at=1024, value=25, low=20, high=30)]


@pytest.mark.slow
def test_curves_become_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is in the dependency group `plot`")
    figures = [
        measured("growth/tables/lockstep", "x", [0.5], curve=CURVE, curve_axis="tables at once"),
        measured("growth/finished", "x", [0.5], curve=CURVE, curve_axis="finished matches"),
        measured("lockstep/16", "x", [0.5]),
    ]

    plot_curves(figures, tmp_path / "curves.png")

    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_figures_without_a_curve_cannot_be_drawn(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no curve to plot"):
        plot_curves([measured("lockstep/16", "x", [0.5])], tmp_path / "curves.png")
