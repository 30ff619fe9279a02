"""Whole tournaments on virtual time: whatever goes wrong, nothing false happens, and it comes to its end."""

import os
import subprocess
import sys

import pytest
from tests.simulation.planted import BUGS, Bug, planted
from tests.simulation.scenario import Mode
from tests.simulation.world import FoundError, simulate

MODES = list(Mode)
QUICK = range(8)
SLOW = range(len(QUICK), 300)
QUICK_BUGS = tuple(bug for bug in BUGS if bug.quick)
SEEDS_FOR_A_BUG = 100


def mode_of(seed: int) -> Mode:
    return MODES[seed % len(MODES)]


def first_seed_that_finds(bug: Bug, seeds: int) -> int | None:
    for seed in range(seeds):
        try:
            with planted(bug):
                simulate(seed, mode_of(seed))
        except FoundError:
            return seed
    return None


@pytest.mark.parametrize("seed", QUICK)
def test_nothing_false_happens(seed: int) -> None:
    simulate(seed, mode_of(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", SLOW)
def test_nothing_false_happens_in_many_worlds(seed: int) -> None:
    simulate(seed, mode_of(seed))


@pytest.mark.parametrize("bug", QUICK_BUGS, ids=lambda bug: bug.name)
def test_planted_bug_is_found_soon(bug: Bug) -> None:
    assert first_seed_that_finds(bug, SEEDS_FOR_A_BUG) is not None


@pytest.mark.slow
@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_every_planted_bug_is_found(bug: Bug) -> None:
    assert first_seed_that_finds(bug, SEEDS_FOR_A_BUG) is not None


def test_failure_says_how_to_see_it_again() -> None:
    bug = next(bug for bug in BUGS if bug.where.__name__ == "Lobby")

    with planted(bug), pytest.raises(FoundError, match=r"python -m tests\.simulation --seed 0 --mode safety"):
        simulate(0, Mode.SAFETY)


def test_same_seed_says_the_same_twice() -> None:
    assert simulate(2, Mode.SAFETY).trace == simulate(2, Mode.SAFETY).trace


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 4])
def test_same_seed_says_the_same_in_every_process(seed: int) -> None:
    """Whatever order hashes and addresses have."""
    program = (
        "from tests.simulation.world import Mode, simulate;"
        f"print(simulate({seed}, Mode.LIVENESS).trace, simulate({seed}, Mode.SAFETY).trace)"
    )
    traces = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(traces) == 1


@pytest.mark.slow
def test_worlds_are_of_every_sort() -> None:
    results = [simulate(seed, mode_of(seed)) for seed in range(24)]

    assert all(result.finished for result in results if result.mode is Mode.LIVENESS)
    assert any(result.processes > 2 for result in results)
    assert any(result.foreseen for result in results)
