import pytest

from kiery.bench import Figure, Settings, figure_names, run_bench
from kiery.bench.experiment import Experiment, is_selected
from kiery.bench.figure import measured
from kiery.bench.process import FileLimitError
from kiery.errors import InputError


def test_every_figure_has_one_name() -> None:
    names = figure_names()

    assert len(names) == len(set(names))


def test_the_quick_bench_is_a_part_of_the_whole() -> None:
    assert set(figure_names(quick=True)) < set(figure_names())
    assert {"lockstep/16", "multiplexed/256", "engine/apply"} <= set(figure_names(quick=True))


def test_every_figure_of_the_targets_is_there() -> None:
    expected = """
        pingpong/1 pingpong/16 ring/16 ring/64 lockstep/1 lockstep/16 lockstep/64 multiplexed/1 multiplexed/16
        multiplexed/256 multiplexed/1024 messages/lockstep/16 messages/multiplexed/256 engine/apply
        engine/playout engine/observation record/move record/size/plain record/size/times verify/rate
        idle/1000/memory idle/5000/cpu idle/5000/accepted storm/1000 latency/250/p50 latency/250/p99
        latency/250/max growth/tables/lockstep growth/tables/multiplexed growth/finished sdk/python scale/1024
    """.split()

    assert set(expected) <= set(figure_names())


@pytest.mark.parametrize(
    ("name", "only", "selected"),
    [
        ("lockstep/16", [], True),
        ("lockstep/16", ["lockstep/16"], True),
        ("lockstep/16", ["lockstep"], True),
        ("lockstep/16", ["lockstep/"], True),
        ("lockstep/16", ["lockstep/1"], False),
        ("lockstep/16", ["lock"], False),
        ("lockstep/16", ["engine", "lockstep/16"], True),
    ],
)
def test_a_figure_is_asked_for_by_its_name_or_its_beginning(
    name: str, only: list[str], selected: bool
) -> None:
    assert is_selected(name, only) is selected


def test_an_unknown_figure_is_refused_before_anything_is_measured() -> None:
    with pytest.raises(
        InputError, match=r"no figure is called 'locksteps': expected one of engine, .*lockstep"
    ):
        run_bench(Settings(), ["engine", "locksteps"])


class Fake:
    """An experiment that measures nothing, and remembers what it was asked."""

    def __init__(self, *names: str, quick: str = "", fails: bool = False) -> None:
        self.asked: list[frozenset[str]] = []
        self._fails = fails
        self.experiment = Experiment(names=names, run=self.run, in_quick=frozenset(quick.split()))

    def run(self, settings: Settings, names: frozenset[str]) -> list[Figure]:
        self.asked.append(names)
        if self._fails:
            raise FileLimitError("too few files")
        return [measured(name, "µs", [1.0]) for name in sorted(names)]


def test_experiments_measure_what_is_asked_for_and_no_more() -> None:
    first, second = Fake("a/1", "a/2"), Fake("b")

    report = run_bench(Settings(), ["a/2"], experiments=[first.experiment, second.experiment])

    assert [figure.name for figure in report.figures] == ["a/2"]
    assert (first.asked, second.asked) == ([{"a/2"}], [])


def test_the_quick_bench_measures_its_part_unless_a_figure_is_named() -> None:
    fake = Fake("a/1", "a/2", quick="a/1")

    run_bench(Settings(quick=True), experiments=[fake.experiment])
    run_bench(Settings(quick=True), ["a/2"], experiments=[fake.experiment])

    assert fake.asked == [{"a/1"}, {"a/2"}]


def test_figures_are_told_as_soon_as_they_stand() -> None:
    seen: list[Figure] = []

    report = run_bench(Settings(), ["a"], seen.append, [Fake("a").experiment])

    assert tuple(seen) == report.figures


def test_what_the_system_does_not_allow_is_left_out_with_its_reason() -> None:
    fakes = [Fake("many/1", fails=True), Fake("few")]

    report = run_bench(Settings(), experiments=[fake.experiment for fake in fakes])

    assert [figure.name for figure in report.figures] == ["few"]
    assert report.skipped == {"many/1": "too few files"}
