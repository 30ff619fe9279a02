"""`kiery bench` as people and programs see it; what it measures is tested in tests/bench."""

import importlib.util
import json
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from tests.cli.shell import kiery


def without(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """Hides a package from whoever asks whether it is installed."""
    find = importlib.util.find_spec

    def find_other(name: str, within: str | None = None) -> ModuleSpec | None:
        return None if name == package else find(name, within)

    for module in ("kiery.bench.plot", "kiery.bench.process"):
        monkeypatch.setattr(f"{module}.find_spec", find_other)


def test_bench_prints_json_for_programs() -> None:
    said = kiery("bench", "--only", "journal/move/batch-16", "--rounds", "1", "--json")

    report = json.loads(said.out)
    (figure,) = report["figures"]
    assert set(figure) >= {"name", "value", "floor", "ratio", "unit", "target", "met"}
    assert (figure["name"], figure["target"], figure["rounds"]) == ("journal/move/batch-16", "value ≤ 2", 1)
    assert report["machine"]["loop"] == "asyncio"
    assert report["skipped"] == {}


def test_bench_prints_a_table_with_notes_for_people() -> None:
    said = kiery("bench", "--only", "journal/move/batch-16", "--rounds", "1")

    assert "journal/move/batch-16" in said.out
    assert "value ≤ 2 P5" in said.out
    assert "a write for every 16 moves" in said.out


def test_an_unknown_figure_is_refused_with_those_there_are() -> None:
    assert kiery("bench", "--only", "lokstep").refusal.startswith(
        "no figure is called 'lokstep': expected one of engine, growth, idle, journal,"
    )


def test_an_unknown_loop_is_refused() -> None:
    assert kiery("bench", "--loop", "trio").refusal == (
        "no event loop is called 'trio': expected one of asyncio, uvloop"
    )


def test_a_loop_that_is_not_installed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "uvloop")

    assert "uvloop is not installed" in kiery("bench", "--loop", "uvloop", "--only", "record").refusal


def test_a_plot_without_matplotlib_is_refused_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    without(monkeypatch, "matplotlib")

    assert "matplotlib is not installed" in kiery("bench", "--plot", tmp_path / "curves.png").refusal
