import pytest

from kiery.bench.latency import percentiles


def test_percentiles_are_waits_that_occurred() -> None:
    found = percentiles([1_000_000 * each for each in range(101)])

    assert found == {"p50": 50.0, "p99": 99.0, "max": 100.0}


@pytest.mark.parametrize("waits", [[5_000_000], [5_000_000] * 7])
def test_equal_waits_have_equal_percentiles(waits: list[int]) -> None:
    assert set(percentiles(waits).values()) == {5.0}


def test_no_waits_are_no_time() -> None:
    assert set(percentiles([]).values()) == {0.0}
