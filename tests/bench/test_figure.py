import json

import pytest

from kiery.bench.figure import Figure, Goal, Of, Point, measured
from kiery.bench.report import COLUMNS, curve_row, figure_row, report_values


def test_a_figure_is_the_median_with_its_extremes() -> None:
    figure = measured("x", "µs", [3.0, 1.0, 2.0])

    assert (figure.value, figure.low, figure.high, figure.rounds) == (2.0, 1.0, 3.0, 3)
    assert (figure.floor, figure.ratio, figure.met) == (None, None, None)


def test_the_ratio_is_taken_round_by_round() -> None:
    # The machine became twice as slow in the second round; the ratio does not notice.
    figure = measured("x", "µs", [11.0, 22.0, 11.0], floors=[10.0, 20.0, 10.0], floor_name="ring")

    assert figure.ratio == pytest.approx(1.1)
    assert figure.ratio_low == figure.ratio_high == pytest.approx(1.1)


def test_a_speed_up_is_how_many_times_cheaper_it_is() -> None:
    assert measured("x", "µs", [5.0], floors=[40.0], speed_up=True).ratio == 8.0


def test_a_figure_without_rounds_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one round"):
        measured("x", "µs", [])


def test_a_floor_of_other_rounds_is_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        measured("x", "µs", [1.0, 2.0], floors=[1.0])


@pytest.mark.parametrize(
    ("goal", "value", "floor", "met"),
    [
        (Goal(bound=1.15), 11.5, 10.0, True),
        (Goal(bound=1.15), 11.6, 10.0, False),
        (Goal(bound=6, at_least=True), 60.0, 10.0, True),
        (Goal(bound=6, at_least=True), 59.0, 10.0, False),
        (Goal(bound=1.1, of=Of.VALUE), 1.1, None, True),
        (Goal(bound=1.1, of=Of.VALUE), 1.11, None, False),
        (Goal(bound=2, of=Of.VALUE, at_least=True), 1.9, None, False),
    ],
)
def test_a_goal_bounds_value_or_ratio(goal: Goal, value: float, floor: float | None, met: bool) -> None:
    figure = measured("x", "µs", [value], floors=None if floor is None else [floor], goal=goal)

    assert figure.met is met


def test_a_ratio_without_a_floor_is_not_judged() -> None:
    assert measured("engine/apply", "M plays/s", [1.0], goal=Goal(bound=0.5, at_least=True)).met is None


def sample() -> Figure:
    return measured(
        "lockstep/16",
        "µs server CPU/decision",
        [55.0, 50.0],
        floors=[50.0, 50.0],
        floor_name="ring/16",
        rates=[20_000.0, 18_000.0],
        goal=Goal(bound=1.15, source="P1"),
        curve=[Point(at=1, value=2, low=1, high=3)],
        curve_axis="tables at once",
    )


def test_json_has_every_part_of_a_figure() -> None:
    report = json.loads(
        json.dumps(report_values([sample()], {"cpu": "x"}, {"idle/5000/cpu": "too few files"}))
    )

    (figure,) = report["figures"]
    assert report["machine"] == {"cpu": "x"}
    assert report["skipped"] == {"idle/5000/cpu": "too few files"}
    assert figure["name"] == "lockstep/16"
    assert (figure["value"], figure["floor"], figure["ratio"]) == (52.5, 50.0, pytest.approx(1.05))
    assert (figure["unit"], figure["target"], figure["met"]) == (
        "µs server CPU/decision",
        "ratio ≤ 1.15",
        True,
    )
    assert (figure["min"], figure["max"], figure["rounds"]) == (50.0, 55.0, 2)
    assert figure["decisions_per_s"] == 19_000.0
    assert figure["curve"] == [{"at": 1, "value": 2, "min": 1, "max": 3}]


def test_a_row_has_a_cell_for_every_column() -> None:
    row = figure_row(sample())

    assert len(row) == len(COLUMNS)
    assert row[0] == "lockstep/16"
    assert row[-1] == "yes"


def test_a_curve_is_drawn_with_bars_in_proportion() -> None:
    points = [Point(at=1, value=50, low=40, high=60), Point(at=1024, value=25, low=20, high=30)]
    figure = measured("growth", "x", [0.5], curve=points, curve_axis="tables at once")

    rows = [curve_row(figure, point) for point in points]

    assert [row[:3] for row in rows] == [("1", "50.0", "40.0–60.0"), ("1,024", "25.0", "20.0–30.0")]
    assert len(rows[0][3]) == 2 * len(rows[1][3])
