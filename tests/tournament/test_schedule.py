from collections import Counter
from dataclasses import replace

import pytest
from tests.tournament.specs import SECRET, schedule, spec

from kiery.engine import Derivation
from kiery.tournament import ScheduleError, SpecError, build_schedule, check_schedule, label
from kiery.tournament.seatplan import neighbour_cycle

# All fields up to 40 for the small tables; some for the larger ones, whose search takes longer.
FIELDS = [(players, field) for players in (3, 4) for field in range(players, 41)]
FIELDS += [(players, field) for players in (5, 6, 7) for field in (*range(players, 15), 22, 32, 40)]
LARGE_TABLES = [(8, 9), (8, 17), (9, 20), (10, 12), (11, 12), (11, 14)]


@pytest.mark.parametrize(
    ("stream", "attempt", "number", "expected"),
    [
        ("f12", 1, 3, "t1/f12/3"),
        ("f12", 2, 3, "t1/f12.2/3"),
        ("s0", 1, 1, "t1/s0/1"),
        ("s7", 10, 4, "t1/s7.10/4"),
    ],
)
def test_a_label_names_tournament_stream_attempt_and_board(stream, attempt, number, expected):
    assert label("t1", stream, attempt, number) == expected


@pytest.mark.parametrize(("players", "entrants"), FIELDS)
def test_every_field_is_balanced(players, entrants):
    made = schedule(entrants, players, deals_per_bot=1)

    check = check_schedule(made)

    assert made.sets_per_table == 1
    assert check.fixtures_per_bot.fewest == check.fixtures_per_bot.most
    assert check.fixtures_per_seat.fewest == check.fixtures_per_seat.most
    assert check.meetings.most - check.meetings.fewest <= 1
    assert check.meetings.fewest >= 1


@pytest.mark.slow
@pytest.mark.parametrize("players", [5, 6, 7])
def test_every_field_up_to_forty_is_balanced_at_larger_tables(players):
    for entrants in range(players, 41):
        check = check_schedule(schedule(entrants, players, deals_per_bot=1))

        assert check.meetings.most - check.meetings.fewest <= 1, entrants
        assert check.meetings.fewest >= 1, entrants


@pytest.mark.parametrize(
    ("players", "entrants"), [(3, 7), (4, 5), (4, 9), (4, 23), (5, 8), (6, 7), (7, 9), (11, 12)]
)
def test_the_default_length_balances_neighbours(players, entrants):
    made = schedule(entrants, players)
    met, left = Counter(), Counter()
    for fixture in made.fixtures:
        for seat, bot in enumerate(fixture.seats):
            met.update((bot, other) for other in fixture.seats if other != bot)
            left[bot, fixture.seats[(seat + 1) % players]] += 1

    if neighbour_cycle(players) == made.sets_per_table:
        assert all(left[pair] * (players - 1) == met[pair] for pair in met)
    else:
        assert players == 6


@pytest.mark.parametrize(("players", "entrants"), LARGE_TABLES)
def test_tables_of_eight_to_eleven_are_balanced(players, entrants):
    check = check_schedule(schedule(entrants, players, deals_per_bot=1))

    assert check.meetings.most - check.meetings.fewest <= 2
    assert check.fixtures_per_seat.fewest == check.fixtures_per_seat.most


@pytest.mark.parametrize("sharing", ["independent", "laps"])
def test_the_same_spec_and_secret_give_the_same_schedule(sharing):
    assert schedule(14, sharing=sharing) == schedule(14, sharing=sharing)


def test_another_secret_entropy_or_name_gives_another_schedule():
    plain = schedule(14).fixtures

    assert schedule(14, secret=bytes(32)).fixtures != plain
    assert schedule(14, entropy="drand:1").fixtures != plain
    assert schedule(14, name="t2").fixtures != plain


def test_what_does_not_concern_the_schedule_does_not_change_it():
    assert schedule(14, time_control={"bank_ms": 1}) == schedule(14)


@pytest.mark.parametrize(
    ("entrants", "seats", "sets"),
    [
        (5, [(4, 1, 2, 3), (3, 4, 1, 0), (2, 4, 1, 0), (3, 0, 1, 2)], [2, 11, 3, 13]),
        (23, [(16, 1, 10, 0), (1, 0, 15, 14), (22, 6, 5, 1), (5, 18, 17, 21)], [139, 27, 1, 160]),
    ],
    ids=["shipped", "searched"],
)
def test_a_schedule_stays_what_it_was(entrants, seats, sets):
    made = schedule(entrants)

    assert [fixture.seats for fixture in made.fixtures[:4]] == seats
    assert [fixture.set_index for fixture in made.fixtures[:4]] == sets


def test_independent_fixtures_have_boards_of_their_own():
    made = schedule(9)

    assert [fixture.stream for fixture in made.fixtures] == [
        f"f{index}" for index in range(len(made.fixtures))
    ]
    assert made.fixtures[0].deal_count == 4


def test_laps_play_one_arrangement_of_every_set_after_the_other():
    made = schedule(9, sharing="laps")
    laps = [
        made.fixtures[start : start + made.set_count]
        for start in range(0, len(made.fixtures), made.set_count)
    ]

    assert len(laps) == 4
    for lap, fixtures in enumerate(laps):
        assert {fixture.arrangement for fixture in fixtures} == {lap}
        assert sorted(fixture.set_index for fixture in fixtures) == list(range(made.set_count))
        assert all(fixture.stream == f"s{fixture.set_index}" for fixture in fixtures)
    assert [fixture.set_index for fixture in laps[0]] != [fixture.set_index for fixture in laps[1]]


@pytest.mark.parametrize("entrants", [1, 2, 3])
def test_house_bots_fill_the_only_table(entrants):
    made = schedule(entrants)

    assert made.house_count == 4 - entrants
    assert len(made.fixtures) == 12
    assert all(sorted(fixture.seats) == [0, 1, 2, 3] for fixture in made.fixtures)


@pytest.mark.parametrize(
    ("entrants", "wanted", "deals"),
    [
        (4, None, 48),
        (4, 1, 16),
        (4, 16, 16),
        (4, 17, 32),
        (4, 1000, 1008),
        (5, 100, 128),
        (16, 100, 240),
        (400, 100, 128),
    ],
)
def test_deals_per_bot_are_rounded_up_to_whole_sets(entrants, wanted, deals):
    made = schedule(entrants, **({} if wanted is None else {"deals_per_bot": wanted}))
    played = Counter(bot for fixture in made.fixtures for bot in fixture.seats)

    assert set(played.values()) == {deals // 4}
    assert made.deals_per_bot == deals


def test_a_match_to_a_target_counts_as_its_fewest_deals():
    made = schedule(4, target=100, deals_per_bot=32)

    assert made.deal_count is made.deals_per_bot is None
    assert made.sets_per_table == 2  # a target of 100 takes at least 4 deals of 26
    assert all(fixture.deal_count is None for fixture in made.fixtures)


def test_the_complete_schedule_plays_every_combination():
    made = schedule(9, schedule="complete")
    tables = {frozenset(fixture.seats) for fixture in made.fixtures}

    assert len(tables) == made.table_count == 126


@pytest.mark.parametrize(
    ("entrants", "fields"), [(400, {"schedule": "complete"}), (40, {"deals_per_bot": 10**6})]
)
def test_a_schedule_without_end_is_refused(entrants, fields):
    with pytest.raises(SpecError, match="at most 1000000"):
        schedule(entrants, **fields)


def owned(entries: list[int]) -> list[dict[str, str]]:
    return [
        {"name": f"b{owner}-{index}", "owner": f"o{owner}"}
        for owner, count in enumerate(entries)
        for index in range(count)
    ]


@pytest.mark.parametrize("entries", [[2] * 6, [3, 3, 3, 3, 3], [4, 1, 1, 1, 1, 2, 2, 4], [1] * 9])
def test_owners_are_kept_apart(entries):
    entrants = owned(entries)
    made = schedule(entrants, separate_owners=True)
    check = check_schedule(made)

    for fixture in made.fixtures:
        assert len({entrants[bot]["owner"] for bot in fixture.seats}) == 4
    assert check.fixtures_per_seat.fewest == check.fixtures_per_seat.most


def test_too_many_entrants_of_one_owner_are_refused():
    with pytest.raises(SpecError, match="'o0' has 3 of 8 entrants: expected at most 2"):
        schedule(owned([3, 1, 1, 1, 1, 1]), separate_owners=True)


def test_the_check_counts_what_people_are_shown():
    rows = dict(check_schedule(schedule(8)).rows())

    assert rows["meetings"] == "3"
    assert rows["deals per bot"] == "336"
    assert rows["left neighbours"] == "12"
    assert rows["board exposure"] == "1"
    assert dict(check_schedule(schedule(14, deals_per_bot=1, players=5)).rows())["meetings"] == "1 to 2"
    assert dict(check_schedule(schedule(8, target=50)).rows())["deals per bot"] == "-"
    assert dict(check_schedule(schedule(8, sharing="laps")).rows())["board exposure"] == "4"


def broken(made, **changes):
    fixtures = list(made.fixtures)
    fixtures[0] = replace(fixtures[0], **changes)
    return replace(made, fixtures=tuple(fixtures))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seats": (0, 0, 1, 2)}, "sits twice"),
        ({"seats": (0, 1, 2, 9)}, "nobody"),
        ({"set_index": 99}, "set is not complete"),
        ({"stream": "f1"}, "has the boards of f1"),
        ({"index": 3}, "has the number 3"),
        ({"deal_count": 5}, "another length"),
    ],
)
def test_a_broken_fixture_is_found(changes, said):
    with pytest.raises(ScheduleError, match=said):
        check_schedule(broken(schedule(5), **changes))


def test_an_unbalanced_seat_is_found():
    made = schedule(5)
    seats = made.fixtures[0].seats

    with pytest.raises(ScheduleError, match="every seat of its set once"):
        check_schedule(broken(made, seats=(seats[1], seats[0], *seats[2:])))


def test_a_missing_fixture_is_found():
    made = schedule(5)

    with pytest.raises(ScheduleError, match="number of fixtures"):
        check_schedule(replace(made, fixtures=made.fixtures[:-1]))


def test_a_fixture_outside_its_lap_is_found():
    made = schedule(5, sharing="laps")
    first, last = made.fixtures[0], made.fixtures[-1]
    fixtures = (replace(last, index=0), *made.fixtures[1:-1], replace(first, index=last.index))

    with pytest.raises(ScheduleError, match="not in its lap"):
        check_schedule(replace(made, fixtures=fixtures))


@pytest.mark.slow
@pytest.mark.parametrize(("entrants", "players"), [(400, 4), (399, 6), (300, 11)])
def test_the_schedule_of_four_hundred_is_checked_within_seconds(entrants, players):
    made = build_schedule(spec(entrants, players), Derivation(SECRET))

    check = check_schedule(made)

    assert check.meetings.most - check.meetings.fewest <= 2
