import pytest

from kiery.bench import Settings, engine, run_bench


def test_without_openspiel_a_figure_stands_alone_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "find_spiel", lambda: None)

    (figure,) = run_bench(Settings(rounds=1), ["engine/observation"]).figures

    assert figure.value > 0
    assert (figure.floor, figure.ratio, figure.met) == (None, None, None)
    assert "OpenSpiel is not installed" in figure.note
