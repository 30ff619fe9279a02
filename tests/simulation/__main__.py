"""Runs seeds: `python -m tests.simulation --seed 7 --mode safety`, or `--seeds 1000` of both modes."""

# ruff: noqa: T201  (a command that talks to people)

import argparse
import sys
import time

from tests.simulation.scenario import Mode, draw
from tests.simulation.world import FoundError, simulate


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seed", type=int, help="the only seed, or the first one")
    parser.add_argument("--seeds", type=int, help="how many seeds")
    parser.add_argument("--mode", choices=[mode.value for mode in Mode], help="one mode; without it both")
    parser.add_argument("--each", action="store_true", help="print every result")
    parser.add_argument("--show", action="store_true", help="print what the seed means, too")
    wish = parser.parse_args()
    modes = [Mode(wish.mode)] if wish.mode else list(Mode)
    first = wish.seed or 0
    count = wish.seeds or (1 if wish.seed is not None else 100)
    begin = time.process_time()
    virtual = failures = 0.0
    for seed in range(first, first + count):
        for mode in modes:
            if wish.show:
                print(draw(seed, mode))
            try:
                result = simulate(seed, mode)
            except FoundError as failure:
                failures += 1
                print(f"seed {seed} {mode.value}: {failure}", flush=True)
                if count == 1:
                    raise
                continue
            virtual += result.virtual_s
            if count == 1 or wish.each:
                print(result, flush=True)
    real = time.process_time() - begin
    speed = virtual / max(real, 0.001)
    print(
        f"{count * len(modes)} runs, {failures:.0f} failed,"
        f" {virtual:.0f} virtual seconds in {real:.1f} s of CPU ({speed:.0f} times as fast)"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
