"""What a leaderboard must show of bots whose strength is known, and whole tournaments with their audit.

Each test prints its figures: `make test-all ARGS="-k acceptance -s"` shows them.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from math import sqrt
from pathlib import Path
from random import Random
from statistics import NormalDist, fmean, stdev

import pytest
from tests.end_to_end.evening import play, spec_of, url_of
from tests.end_to_end.season import Choose, play_fixture, policy, wobbly
from tests.tournament.specs import SECRET, spec

from kiery.audit import Audit
from kiery.cli.published import published_lines
from kiery.engine import Derivation
from kiery.store import Store
from kiery.tournament import (
    DealRow,
    Schedule,
    Standings,
    Tally,
    build_schedule,
    check_schedule,
    compute_standings,
)

pytestmark = pytest.mark.slow

STEADY, WEAK = range(4), range(4, 8)
PLAIN = NormalDist()


def tell(figures: str) -> None:
    print(figures)  # noqa: T201  (shown with -s)


@pytest.mark.parametrize("entrants", [9, 13, 16])
def test_tournament_is_played_checked_and_audited_end_to_end(tmp_path: Path, entrants: int) -> None:
    url = url_of(tmp_path)
    names = " ".join(f"bot-{number}" for number in range(entrants))

    board = play(spec_of(names, name="cup", deals=2, deals_per_bot=1), url, limit_s=280)

    check = check_schedule(board.plan.schedule)
    with Store.open(url, read_only=True) as store:
        audited = Audit(published_lines(store, "cup")).run()
    counts = {each.name: each.count for each in audited.checks}
    tell(f"{entrants} bots: meetings {check.meetings}, fixtures {check.fixtures}, audit {counts}")
    assert audited.finding is None
    assert check.meetings.fewest == check.meetings.most
    assert check.fixtures_per_seat.fewest == check.fixtures_per_seat.most
    assert counts["records"] == board.fixtures == check.fixtures
    assert counts["boards"] == board.deals == 2 * check.fixtures
    assert counts["standings"] == entrants
    assert counts["pairs"] == entrants * (entrants - 1) // 2


def rows_of(made: Schedule, bots: Sequence[Choose], **fields: object) -> list[list[DealRow]]:
    """Plays a whole schedule; returns the rows of each fixture."""
    played = spec(len(bots), **fields)
    derivation = Derivation(SECRET)
    return [play_fixture(played, derivation, fixture, bots) for fixture in made.fixtures]


def standings_of(made: Schedule, rows: Sequence[DealRow]) -> Standings:
    tally = Tally.of_schedule(made)
    for row in rows:
        tally.add(row)
    return compute_standings(tally, [f"b{index}" for index in range(made.entrant_count)])


def outside(standings: Standings) -> int:
    """Returns how many bots have an interval without 0, the truth among equals."""
    return sum(abs(row.net or 0) > (row.half_width or 0) for row in standings.rows)


def test_four_equal_bots_are_outside_their_intervals_as_seldom_as_these_say() -> None:
    fields = {"deals_per_bot": 5000}
    made = build_schedule(spec(4, **fields), Derivation(SECRET))

    by_fixture = rows_of(made, [policy("cautious")] * 4, **fields)

    rows = [row for fixture in by_fixture for row in fixture]
    assert len(rows) >= 5000
    whole = standings_of(made, rows)
    # As tournaments of 48 deals, three sets each. The four of a tournament are not independent (their nets
    # sum to 0), so the standard error counts tournaments: at most 4 outside in each, 0.2 on the average.
    by_set: dict[int, list[DealRow]] = defaultdict(list)
    for row in rows:
        by_set[row.set_index].append(row)
    sets = [by_set[number] for number in sorted(by_set)]
    parts = [[*chain(*sets[first : first + 3])] for first in range(0, len(sets) - 2, 3)]
    out = [outside(standings_of(made, part)) for part in parts]
    most = 0.05 * 4 * len(parts) + 3 * stdev(out) * sqrt(len(parts))
    means = [fmean(row.points[seat] for row in rows) for seat in range(4)]
    errors = [stdev(row.points[seat] for row in rows) / sqrt(len(rows)) for seat in range(4)]
    tell(
        f"{len(rows)} deals of four equal bots: {outside(whole)} of 4 outside;"
        f" {sum(out)} of {4 * len(parts)} in {len(parts)} tournaments of 48 (at most {most:.0f});"
        f" seat means {', '.join(f'{mean:.2f}' for mean in means)}, each ± {max(errors):.2f}"
    )
    assert outside(whole) <= 1
    assert not whole.significant.any()
    assert 0 < sum(out) <= most
    # A moon gives out more than 26 points, so the mean of all seats is the one to compare with.
    for mean, error in zip(means, errors, strict=True):
        assert abs(mean - fmean(means)) <= 3 * error


def test_better_bot_is_found_in_about_the_deals_that_are_predicted() -> None:
    fields = {"deals": 4, "deals_per_bot": 420}
    bots = [policy("cautious")] * 4 + [wobbly("cautious", 10)] * 4
    made = build_schedule(spec(8, **fields), Derivation(SECRET))

    by_fixture = rows_of(made, bots, **fields)

    # One large sample says how far apart the two kinds are and how much a deal varies ...
    rows = [row for fixture in by_fixture for row in fixture]
    edge, sigma = edge_and_sigma(standings_of(made, rows), rows)
    efficiency = 8 * 3 / (4 * 7)
    predicted = ((PLAIN.inv_cdf(0.975) + PLAIN.inv_cdf(0.8)) * sigma / edge) ** 2 / efficiency
    # ... and tournaments of deals drawn from it say how often the interval shows it.
    chance = Random(5)
    powers = {share: power(made, rows, round(share * predicted * 8 / 4), chance) for share in (0.5, 1.0)}
    expected = {share: PLAIN.cdf(2.80 * sqrt(share) - 1.96) for share in powers}
    tell(
        f"edge {edge:.2f}, sd of a difference {sigma:.1f}, efficiency {efficiency:.3f}:"
        f" {predicted:.0f} deals a bot for 80 %; found in "
        + ", ".join(f"{powers[s]:.2f} at {s:g} times that (expected {expected[s]:.2f})" for s in powers)
    )
    for share, found in powers.items():
        assert abs(found - expected[share]) <= 0.1


def edge_and_sigma(standings: Standings, rows: Sequence[DealRow]) -> tuple[float, float]:
    """Returns the mean net of steady over weak bots, and the sd of their difference in one deal."""
    nets = {row.entrant: row.net or 0.0 for row in standings.rows}
    edge = fmean(nets[bot] for bot in STEADY) - fmean(nets[bot] for bot in WEAK)
    differences = [
        row.points[other] - row.points[seat]
        for row in rows
        for seat, bot in enumerate(row.seats)
        for other, opponent in enumerate(row.seats)
        if bot in STEADY and opponent in WEAK
    ]
    return edge, stdev(differences)


def kinds(seats: Sequence[int]) -> tuple[bool, ...]:
    """Returns which seats are held by steady bots."""
    return tuple(bot in STEADY for bot in seats)


def power(made: Schedule, rows: Sequence[DealRow], deals: int, chance: Random) -> float:
    """Returns how often intervals show that a steady bot beats a weak one, over drawn tournaments.

    Bots of a kind are alike, so a table draws from the deals of all tables with the same kinds in its seats.
    """
    pool: dict[tuple[bool, ...], list[DealRow]] = defaultdict(list)
    for row in rows:
        pool[kinds(row.seats)].append(row)
    found = tried = 0
    for _ in range(50):
        drawn = []
        for number in range(deals):
            fixture = made.fixtures[number % len(made.fixtures)]
            row = chance.choice(pool[kinds(fixture.seats)])
            # A deal that is drawn twice stands for two boards.
            drawn.append(replace(row, seats=fixture.seats, unit=str(number)))
        standings = standings_of(made, drawn)
        for bot in STEADY:
            for other in WEAK:
                pair = standings.pair(bot, other)
                assert pair is not None
                tried += 1
                found += pair.net > (pair.half_width or 0)
    return found / tried
