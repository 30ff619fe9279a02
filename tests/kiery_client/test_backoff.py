"""Pauses grow, are spread, and have bounds."""

from random import Random

from kiery_client.backoff import Backoff


class Highest(Random):
    """Draws the upper bound."""

    def uniform(self, a, b):
        assert a == 0
        return b


def test_pauses_double_from_a_tenth_of_a_second_to_two_seconds() -> None:
    backoff = Backoff(Highest())

    assert [backoff.pause_s(1) for _ in range(7)] == [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0]


def test_after_a_minute_they_grow_to_half_a_minute() -> None:
    backoff = Backoff(Highest())
    for _ in range(20):
        backoff.pause_s(59.9)

    assert backoff.pause_s(60) == 30


def test_success_starts_again() -> None:
    backoff = Backoff(Highest())
    for _ in range(5):
        backoff.pause_s(1)
    assert backoff.failures == 5

    backoff.succeeded()

    assert (backoff.failures, backoff.pause_s(1)) == (0, 0.1)


def test_pauses_are_spread_over_the_whole_range() -> None:
    backoff = Backoff(Random(7))
    for _ in range(10):
        backoff.pause_s(1)

    pauses = [backoff.pause_s(1) for _ in range(200)]

    assert min(pauses) < 0.1
    assert max(pauses) > 1.9
