"""Means with intervals by clusters."""

import random
from statistics import mean, stdev

import pytest
from scipy import stats

from kiery.tournament.spread import ClusteredMean


def test_clusters_of_one_give_the_plain_interval() -> None:
    values = [3.0, 5.0, 10.0, 1.0]
    spread = ClusteredMean()
    for value in values:
        spread.add(value)

    assert spread.mean == mean(values)
    assert spread.half_width == pytest.approx(stats.t.ppf(0.975, 3) * stdev(values) / 2)


def test_observations_that_repeat_each_other_count_once() -> None:
    single, fourfold = ClusteredMean(), ClusteredMean()
    for value in (3.0, 5.0, 10.0):
        single.add(value)
        fourfold.add(4 * value, 4)

    assert fourfold.mean == single.mean
    assert fourfold.half_width == pytest.approx(single.half_width)
    assert fourfold.count == 12


@pytest.mark.parametrize("clusters", [0, 1])
def test_too_few_clusters_give_no_interval(clusters: int) -> None:
    spread = ClusteredMean()
    for _ in range(clusters):
        spread.add(4.0)

    assert spread.mean == (4.0 if clusters else None)
    assert spread.half_width is None


def test_interval_covers_the_truth_as_often_as_it_says() -> None:
    chance = random.Random(5)
    hits = 0
    for _ in range(1000):
        spread = ClusteredMean()
        for _ in range(20):
            board, plays = chance.gauss(0, 1), chance.randint(1, 4)
            spread.add(sum(board + chance.gauss(0, 1) for _ in range(plays)), plays)
        hits += abs(spread.mean or 0.0) <= (spread.half_width or 0.0)

    # 95 % nominal; the clusters' sizes differ, which costs a little.
    assert 920 <= hits <= 975
