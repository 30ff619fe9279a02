import random
from math import log

import pytest
from scipy import stats

from kiery.tournament import SequentialTest, TestVerdict
from kiery.tournament.sequential import Differences


def after(differences, **fields):
    made = Differences(SequentialTest(**fields))
    made.add(differences)
    return made.state()


def outcome(chance: random.Random, truth: float, test: SequentialTest, spread: float = 7.0, look: int = 24):
    """Returns how a test ends that looks after each 24 deals, at most 2,400 of them."""
    made = Differences(test)
    for _ in range(100):
        made.add(chance.gauss(truth, spread) for _ in range(look))
        state = made.state()
        if state.verdict is not TestVerdict.INCONCLUSIVE:
            break
    return made.state()


def rates(truth: float, times: int, seed: int):
    chance = random.Random(seed)
    test = SequentialTest()
    ends = [outcome(chance, truth, test) for _ in range(times)]
    share = {verdict: sum(end.verdict is verdict for end in ends) / times for verdict in TestVerdict}
    return share, sum(end.units for end in ends) / times


def test_the_ratio_is_that_of_the_formula():
    differences = [3.0, -1.0, 2.0, 0.5, -4.0, 1.0]
    mean, variance = 0.25, stats.tvar(differences)

    state = after(differences, delta0=0.0, delta1=2.0)

    assert state.llr == pytest.approx(6 * 2 * (2 * mean - 2) / (2 * variance))
    width = stats.t.ppf(0.975, 5) * (variance / 6) ** 0.5
    assert (state.mean, state.half_width) == (pytest.approx(mean), pytest.approx(width))


def test_the_bounds_are_those_of_the_error_rates():
    test = SequentialTest(alpha=0.1, beta=0.02)

    assert (test.lower, test.upper) == (pytest.approx(log(0.02 / 0.9)), pytest.approx(log(0.98 / 0.1)))
    assert SequentialTest().upper == pytest.approx(2.944, abs=0.001)


@pytest.mark.parametrize(
    ("difference", "verdict"),
    [(2.0, TestVerdict.H1), (-2.0, TestVerdict.H0), (0.0, TestVerdict.INCONCLUSIVE)],
)
def test_bots_that_differ_by_the_same_in_every_deal_are_told_apart_at_once(difference, verdict):
    assert after([difference] * 12).verdict is verdict


def test_nothing_is_accepted_before_twelve_deals():
    assert after([5.0, 5.1] * 5).verdict is TestVerdict.INCONCLUSIVE
    assert after([5.0, 5.1] * 6).verdict is TestVerdict.H1


def test_a_test_without_deals_says_nothing():
    state = after([])

    assert (state.units, state.mean, state.half_width, state.llr) == (0, 0.0, None, 0.0)


@pytest.mark.parametrize(("truth", "wrong"), [(-0.5, TestVerdict.H1), (0.5, TestVerdict.H0)])
def test_errors_are_as_rare_as_they_may_be(truth, wrong):
    share, mean_units = rates(truth, 150, seed=7)

    # 5 % of 150 and three standard deviations: a test at 15 % would be found.
    assert share[wrong] <= 0.05 + 3 * (0.05 * 0.95 / 150) ** 0.5
    assert share[TestVerdict.INCONCLUSIVE] <= 0.02
    # A test of fixed length with these errors needs (2 · 1.645 · 7 / 1)² deals.
    assert mean_units < 0.75 * (2 * 1.645 * 7) ** 2


@pytest.mark.slow
@pytest.mark.parametrize(("truth", "wrong"), [(-0.5, TestVerdict.H1), (0.5, TestVerdict.H0)])
def test_errors_are_as_rare_as_they_may_be_over_many_tests(truth, wrong):
    share, _ = rates(truth, 3000, seed=11)

    assert 0.02 <= share[wrong] <= 0.062


def test_equal_bots_are_called_neither_oftener_than_the_other():
    share, _ = rates(0.0, 150, seed=3)

    assert abs(share[TestVerdict.H0] - share[TestVerdict.H1]) < 0.25
    assert share[TestVerdict.INCONCLUSIVE] < 0.05
