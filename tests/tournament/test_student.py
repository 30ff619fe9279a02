from math import inf

import pytest
from scipy import stats

from kiery.tournament.student import student_quantile, student_tail

FREEDOMS = [1, 2, 3, 5, 12, 47, 100, 500, 999, 1000, 1001, 5000, 10**6]


@pytest.mark.parametrize("freedom", FREEDOMS)
@pytest.mark.parametrize("t", [0.0, 1e-6, 0.1, 0.5, 1.0, 1.7, -2.0, 3.0, 5.0, 8.0, 20.0, 1000.0])
def test_tail_agrees_with_scipy(t, freedom):
    assert student_tail(t, freedom) == pytest.approx(2 * stats.t.sf(abs(t), freedom), abs=1e-9, rel=1e-5)


@pytest.mark.parametrize("freedom", FREEDOMS)
@pytest.mark.parametrize("probability", [0.5, 0.6, 0.9, 0.975, 0.99, 0.9999, 1 - 1e-6])
def test_quantile_agrees_with_scipy(probability, freedom):
    expected = stats.t.ppf(probability, freedom)

    assert student_quantile(probability, freedom) == pytest.approx(expected, abs=1e-6, rel=1e-6)


def test_nothing_is_beyond_infinity():
    assert student_tail(inf, 3) == student_tail(-inf, 2000) == 0.0
