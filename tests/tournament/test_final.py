import pytest
from tests.tournament.formats import planned, play_out, rows_of
from tests.tournament.specs import schedule, spec

from kiery.tournament import Tally, compute_standings

SKILL = [0, 3000, 6000, 9000, 12_000, 15_000, 18_000]


def final(**fields):
    return spec(7, format="final", **{"deals": 1, "deals_per_bot": 40} | fields)


def test_the_best_of_the_round_robin_play_a_table_ten_times_as_long():
    planner = planned(final())

    done = play_out(planner, SKILL)

    opening = len(planner.schedule.fixtures)
    later = planner.fixtures[opening:]
    assert planner.finalists == (6, 5, 4, 3)
    assert {tuple(sorted(fixture.seats)) for fixture in later} == {(3, 4, 5, 6)}
    assert len(later) == 10 * 3 * 4
    assert len(done) == opening + len(later)
    assert planner.report == ("final: b6, b5, b4, b3",)


def test_the_round_robin_is_that_of_the_format():
    assert planned(final()).schedule.fixtures == schedule(7, deals=1, deals_per_bot=40).fixtures


def test_boards_and_sets_of_the_final_are_new():
    planner = planned(final(final_length=2))

    play_out(planner, SKILL)

    assert [fixture.index for fixture in planner.fixtures] == list(range(len(planner.fixtures)))
    assert len({fixture.stream for fixture in planner.fixtures}) == len(planner.fixtures)
    assert planner.fixtures[-1].set_index == planner.schedule.set_count + 2 * 3 - 1


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_results_decides_nothing(seed):
    ordered, jumbled = planned(final()), planned(final())

    play_out(ordered, [skill / 9 for skill in SKILL])
    play_out(jumbled, [skill / 9 for skill in SKILL], seed=seed, at_a_time=200)

    assert jumbled.fixtures == ordered.fixtures


def test_nothing_is_planned_while_a_result_is_missing():
    planner = planned(final())
    for fixture in planner.schedule.fixtures[1:]:
        planner.add(fixture.index, rows_of(planner, fixture, SKILL))

    assert planner.plan_on() == []
    assert not planner.complete
    assert planner.report == ()

    planner.add(0, rows_of(planner, planner.fixtures[0], SKILL))
    assert planner.plan_on()
    assert planner.complete


def test_deals_of_the_round_robin_stay_in_the_fit():
    planner = planned(final())
    tally = Tally.of_schedule(planner.schedule)

    def rows(planner, fixture, skill):
        made = rows_of(planner, fixture, skill)
        for row in made:
            tally.add(row)
        return made

    play_out(planner, SKILL, rows=rows)
    standings = compute_standings(tally, [f"b{bot}" for bot in range(7)])

    assert [row.name for row in standings.rows] == ["b6", "b5", "b4", "b3", "b2", "b1", "b0"]
    before = planner.schedule.deals_per_bot
    assert standings.rows[-1].deals == before >= 40
    assert standings.rows[0].deals == before + 120
