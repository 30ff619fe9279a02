"""A token bucket: a rate, a burst of twice as much, and one complaint."""

from kiery.host.bucket import Bucket

S = 1_000_000_000


def test_a_bucket_starts_with_twice_its_rate() -> None:
    bucket = Bucket(20, 0)

    assert [bucket.take(0) for _ in range(41)] == [True] * 40 + [False]


def test_tokens_grow_back_at_the_rate_and_no_further_than_the_burst() -> None:
    bucket = Bucket(20, 0)
    for _ in range(40):
        bucket.take(0)

    assert [bucket.take(S // 2) for _ in range(11)] == [True] * 10 + [False]
    assert [bucket.take(1_000 * S) for _ in range(41)] == [True] * 40 + [False]


def test_an_overdraft_is_told_once_until_a_token_was_taken_again() -> None:
    bucket = Bucket(1, 0)
    for _ in range(3):
        bucket.take(0)

    assert [bucket.overdrawn_once() for _ in range(3)] == [True, False, False]
    bucket.take(5 * S)
    assert bucket.overdrawn_once()
