"""The leak audit finds a bot that remembers boards, and clears one that does not."""

import random

import pytest
from tests.tournament.specs import deal

from kiery.tournament.leak import LeakAudit


def audited(gain: float, *, boards: int = 100, seed: int = 1) -> LeakAudit:
    """Returns the audit of four bots on shared boards; bot 0 gains so many points on later plays."""
    chance = random.Random(seed)
    audit = LeakAudit(4, 4)
    for lap in range(4):
        for board in range(boards):
            points = [chance.gauss(6.5, 7.5) for _ in range(4)]
            points[0] -= gain if lap else 0
            seats = [(seat + lap) % 4 for seat in range(4)]
            audit.add(deal(seats, [points[bot] for bot in seats], f"t1/s{board}/1"), first=lap == 0)
    return audit


def test_a_bot_that_gains_3_6_points_is_seen_after_a_hundred_boards() -> None:
    row = audited(3.6 / 0.75).rows()[0]

    assert row.boards == 100
    assert row.gain == pytest.approx(3.6, abs=row.half_width)
    assert row.gained


def test_a_bot_without_memory_is_rarely_accused() -> None:
    accused = sum(audited(0.0, seed=seed).rows()[0].gained for seed in range(40))

    # 1 in 40 is expected; six or more would happen once in a thousand runs.
    assert accused < 6


def test_boards_count_once_the_last_lap_has_played_them() -> None:
    audit = LeakAudit(2, 2)

    audit.add(deal((0, 1), (0, 26)), first=True)
    before = audit.rows()[0]
    audit.add(deal((1, 0), (6, 20)), first=False)
    after = audit.rows()[0]

    assert (before.boards, before.gain, before.half_width) == (0, None, None)
    assert (after.boards, after.first, after.later, after.gain) == (1, 13, -7, -20)
    assert not after.gained


def test_forfeited_deals_are_in_neither_arm() -> None:
    audit = LeakAudit(2, 2)

    audit.add(deal((0, 1), (0, 26), forfeited=frozenset({0})), first=True)
    audit.add(deal((1, 0), (6, 20)), first=False)

    assert [row.boards for row in audit.rows()] == [0, 1]


def test_house_bots_are_left_out() -> None:
    audit = LeakAudit(1, 2)

    audit.add(deal((0, 1), (0, 26)), first=True)
    audit.add(deal((1, 0), (6, 20)), first=False)

    assert [row.entrant for row in audit.rows()] == [0]
