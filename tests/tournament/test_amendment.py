from collections import Counter
from itertools import combinations

import pytest
from tests.tournament.formats import DERIVATION, planned, play_out, rows_of
from tests.tournament.specs import deal, spec

from kiery.tournament import (
    Amendment,
    Entrant,
    Leaving,
    SpecError,
    Tally,
    amended_opening,
    amendment_digest,
    amendment_from_json,
    check_schedule,
    compute_standings,
    digest,
    entry,
    opening_of,
    withdrawal,
)
from kiery.tournament.amendment import fixtures_in

LATE = Entrant(name="late", builtin="low")


def added(made, begun, amendments=()):
    """Returns a spec and its schedule after one more late entry."""
    before, schedule = amended_opening(made, DERIVATION, amendments)
    late = Entrant(name=f"late{len(amendments)}", builtin="low")
    amendment = entry(before, amendments, schedule.fixtures, late, begun)
    return amendment, *amended_opening(made, DERIVATION, [*amendments, amendment])


def withdrawn(made, name, begun, finished=None):
    schedule = opening_of(made, DERIVATION)
    amendment = withdrawal(made, [], schedule.fixtures, name, begun, begun if finished is None else finished)
    return amendment, *amended_opening(made, DERIVATION, [amendment])


def test_what_had_begun_stays_and_the_rest_is_planned_anew():
    made = spec(9)
    before = opening_of(made, DERIVATION)

    amendment, amended, after = added(made, range(60))

    assert amended.entrants[9].name == "late0"
    assert after.fixtures[:60] == before.fixtures[:60]
    assert all(fixture.dropped for fixture in after.fixtures[60:216])
    assert not any(fixture.dropped for fixture in after.fixtures[216:])
    assert amendment.first_fixture == 216
    assert fixtures_in(amendment.dropped) == set(range(60, 216))


@pytest.mark.parametrize("begun", [0, 1, 60, 150, 215])
def test_with_a_late_entry_everybody_plays_the_length_and_all_pairs_meet_evenly(begun):
    _, _, after = added(spec(9), range(begun))
    played = [fixture for fixture in after.fixtures if not fixture.dropped]
    own = Counter(bot for fixture in played for bot in fixture.seats)
    met = Counter(pair for fixture in played for pair in combinations(sorted(fixture.seats), 2))

    check_schedule(after)

    assert min(own.values()) >= 96
    assert own[9] <= 99
    if begun <= 60:
        assert max(own.values()) <= 104
        assert max(met.values()) - min(met.values()) <= 8  # two sets
    assert min(met[bot, 9] for bot in range(9)) >= 24


def test_new_fixtures_have_indices_and_boards_of_their_own():
    _, _, after = added(spec(9), range(60))

    assert [fixture.index for fixture in after.fixtures] == list(range(len(after.fixtures)))
    assert len({fixture.stream for fixture in after.fixtures}) == len(after.fixtures)


def test_the_same_amendments_give_the_same_schedule():
    assert added(spec(9), range(60)) == added(spec(9), range(60))
    assert added(spec(9), range(60))[2] != added(spec(9), range(61))[2]


def test_amendments_follow_each_other():
    first, _, _ = added(spec(9), range(60))

    second, amended, after = added(spec(9), {*range(60), *range(216, 260)}, [first])

    assert (first.number, second.number) == (1, 2)
    assert [entrant.name for entrant in amended.entrants[9:]] == ["late0", "late1"]
    assert all(not after.fixtures[index].dropped for index in (*range(60), *range(216, 260)))
    check_schedule(after)


def test_whoever_leaves_early_is_not_planned_again_and_not_ranked():
    amendment, _, after = withdrawn(spec(9), "b3", range(60))

    assert amendment.leaving is Leaving.REMOVED
    assert after.hidden == {3}
    assert not any(3 in fixture.seats for fixture in after.fixtures[216:])
    assert any(3 in fixture.seats for fixture in after.fixtures[:60])


def test_whoever_leaves_late_forfeits_what_is_left():
    made = spec(9)

    amendment, _, after = withdrawn(made, "b3", range(200))

    assert amendment.leaving is Leaving.CHARGED
    assert not amendment.dropped
    assert after.fixtures == opening_of(made, DERIVATION).fixtures
    assert not after.hidden


def test_half_of_a_schedule_is_counted_in_valid_fixtures_of_its_own():
    made = spec(9)
    own = [each.index for each in opening_of(made, DERIVATION).fixtures if 3 in each.seats]

    assert withdrawn(made, "b3", range(216), own[:48])[0].leaving is Leaving.CHARGED
    assert withdrawn(made, "b3", range(216), own[:47])[0].leaving is Leaving.REMOVED


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"format": "gauntlet"}, "a gauntlet keeps its field"),
        ({"format": "final"}, "a final keeps its field"),
        ({"sharing": "laps"}, "shares boards"),
        ({"entrants": 3}, "house bots"),
    ],
)
def test_a_field_that_cannot_change_is_left_alone(fields, said):
    made = spec(**{"entrants": 9} | fields)
    fixtures = opening_of(made, DERIVATION).fixtures

    with pytest.raises(SpecError, match=said):
        entry(made, [], fixtures, LATE, ())
    with pytest.raises(SpecError, match=said):
        withdrawal(made, [], fixtures, "b1", (), ())


@pytest.mark.parametrize(("name", "said"), [("B1", "two entrants are called"), ("house-1", "begins with")])
def test_a_late_name_must_be_free(name, said):
    made = spec(9)

    with pytest.raises(SpecError, match=said):
        entry(made, [], opening_of(made, DERIVATION).fixtures, Entrant(name=name, builtin="low"), ())


def test_nobody_leaves_twice_or_without_being_there():
    made = spec(9)
    fixtures = opening_of(made, DERIVATION).fixtures
    gone = withdrawal(made, [], fixtures, "b1", (), ())

    for amendments, name in (([gone], "b1"), ([], "nobody")):
        with pytest.raises(SpecError, match="has no entrant"):
            withdrawal(made, amendments, fixtures, name, (), ())


def test_too_few_cannot_be_left():
    made = spec(4)

    with pytest.raises(SpecError, match="3 entrants are left for tables of 4"):
        withdrawal(made, [], opening_of(made, DERIVATION).fixtures, "b1", (), ())


def test_digests_chain_and_leave_out_command_lines_only():
    made = spec(9)
    first, _, _ = added(made, range(60))
    start = digest(made)
    bot = Amendment(number=1, entrant=Entrant(name="x", command="./x"), first_fixture=3)
    moved = bot.model_copy(update={"entrant": Entrant(name="x", command="elsewhere/x")})
    remote = bot.model_copy(update={"entrant": Entrant(name="x")})

    assert len(amendment_digest(start, first)) == 32
    assert amendment_digest(start, first) != amendment_digest(bytes(32), first)
    assert amendment_digest(start, bot) == amendment_digest(start, moved)
    assert amendment_digest(start, bot) != amendment_digest(start, remote)
    assert amendment_digest(start, bot) != amendment_digest(
        start, bot.model_copy(update={"first_fixture": 4})
    )


def test_an_amendment_survives_its_text():
    amendment, _, _ = withdrawn(spec(9), "b3", {0, 3, 4, 9})

    assert amendment_from_json(amendment.model_dump_json(exclude_none=True), "x") == amendment
    assert amendment.dropped.startswith("1-2,5-8,10-")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"number":1,"first_fixture":0}',
        '{"number":0,"withdrawn":1,"first_fixture":0}',
        '{"number":1,"withdrawn":1,"leaving":"removed","first_fixture":0,"dropped":"a"}',
    ],
)
def test_a_damaged_amendment_is_refused(text):
    with pytest.raises(SpecError, match="expected an amendment"):
        amendment_from_json(text, "amendment 1 of t1")


def test_deals_of_whoever_left_stay_in_the_fit_without_a_row():
    rows = [deal((0, 1, 2, 3), (0, 5, 8, 13), unit=f"t1/f{number}/1") for number in range(3)]
    rows += [deal((0, 1, 2, 4), (1, 6, 7, 12), unit=f"t1/g{number}/1") for number in range(20)]
    names = [f"b{bot}" for bot in range(5)]
    shown, hidden = (Tally(entrants=5, house_bots=0, players=4, hidden=gone) for gone in ((), (3,)))
    for row in rows:
        shown.add(row)
        hidden.add(row)

    everybody, left = compute_standings(shown, names), compute_standings(hidden, names)

    assert [row.name for row in left.rows] == ["b0", "b1", "b2", "b4"]
    assert [row.net for row in left.rows] == [row.net for row in everybody.rows if row.name != "b3"]
    assert max(row.worst_place for row in left.rows) == 4
    assert not left.significant[3].any()
    assert all(3 not in (pair.entrant, pair.opponent) for pair in left.pairs())


def ladder():
    return spec(8, format="ladder", tables_budget=40, deals=1)


def test_a_ladder_goes_on_with_another_field():
    skill = [300 * bot for bot in range(9)]
    before = planned(ladder())
    done = play_out(before, skill, seed=1, stop_after=50)
    first = entry(ladder(), [], before.fixtures, LATE, done)
    between = planned(ladder(), [first])
    done = play_out(between, skill, seed=1, stop_after=90)
    wide, _ = amended_opening(ladder(), DERIVATION, [first])
    second = withdrawal(wide, [first], between.fixtures, "b3", done, done)

    after = planned(ladder(), [first, second])
    play_out(after, skill)
    jumbled = planned(ladder(), [first, second])
    play_out(jumbled, skill, seed=9)

    assert second.leaving is Leaving.PAIRED_NO_MORE
    assert after.fixtures == jumbled.fixtures
    assert after.fixtures[: len(before.fixtures)] == before.fixtures
    assert any(8 in fixture.seats for fixture in after.fixtures[first.first_fixture :])
    assert not any(8 in fixture.seats for fixture in after.fixtures[: first.first_fixture])
    assert not any(3 in fixture.seats for fixture in after.fixtures[second.first_fixture :])
    assert len(after.fixtures) == 160


def test_a_ladder_drops_the_tables_that_wait_for_whoever_left():
    skill = [0] * 8
    before = planned(ladder())
    waiting = [each.index for each in before.fixtures if 3 in each.seats]
    amendment = withdrawal(ladder(), [], before.fixtures, "b3", (), ())

    after = planned(ladder(), [amendment])
    done = play_out(after, skill)

    assert fixtures_in(amendment.dropped) == set(waiting)
    assert not done & set(waiting)
    assert after.complete
    assert rows_of(after, after.fixtures[0], skill)
