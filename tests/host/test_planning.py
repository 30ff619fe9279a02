"""Plans that go on as results come: the director asks for more, and a store is read back into a plan."""

import asyncio
from pathlib import Path

import pytest
from tests.end_to_end.evening import NOW_MS, SECRET, play, spec_of, url_of
from tests.host.test_director import NAMES, Evening, Shelf

from kiery.engine import Derivation
from kiery.host import Plan, add_entrant, enter, read_plan, recall, withdraw_entrant
from kiery.host.planning import begun_fixtures, planned_fixture, result_rows
from kiery.record import MatchRecord
from kiery.store import Store
from kiery.tournament import Entrant, SpecError, opening_of, planner_of, spec_from_values


def plan_of(**values: object) -> Plan:
    entrants = [{"name": name} for name in NAMES]
    spec = spec_from_values({"name": "cup", "entrants": entrants, "deals": 1, **values})
    derivation = Derivation(SECRET)
    schedule = opening_of(spec, derivation)
    planner = planner_of(spec, derivation, schedule)
    return Plan(spec=spec, schedule=schedule, derivation=derivation, planner=planner)


class Telling(Shelf):
    """An archive that gives results to the planner, as a contest does."""

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.plan = plan

    async def keep(self, record: MatchRecord) -> None:
        await super().keep(record)
        assert self.plan.planner is not None
        fixture = planned_fixture(self.plan, record)
        self.plan.planner.add(fixture.index, result_rows(fixture, record))


async def test_fixtures_that_follow_from_results_are_played_too() -> None:
    plan = plan_of(format="ladder", tables_budget=5)
    assert len(plan.fixtures) == 8
    assert plan.length == "8 or more"
    evening = Evening(plan, Telling(plan))

    async with evening.present():
        await evening.play()

    assert len(evening.shelf.valid) == 5 * 4
    assert plan.length == "20"


async def test_a_ladder_without_end_ends_when_every_bot_is_gone() -> None:
    plan = plan_of(format="ladder")
    evening = Evening(plan, Telling(plan))
    for bot in evening.bots:
        evening.hall.lobby.give_up(bot)

    await evening.play()

    assert len(evening.shelf.valid) == 8
    assert not plan.complete


async def test_a_ladder_without_end_can_be_stopped() -> None:
    plan = plan_of(format="ladder")
    evening = Evening(plan, Telling(plan))

    async with evening.present():
        playing = asyncio.create_task(evening.play())
        while len(evening.shelf.valid) < 20:  # noqa: ASYNC110  (the loop's next turns play them)
            await asyncio.sleep(0)
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)

    assert not evening.hall.floor.runs
    fresh = plan_of(format="ladder")
    recall(fresh, sorted(evening.shelf.valid, key=lambda record: record.header.fixture or 0))
    assert list(fresh.fixtures) == list(plan.fixtures)


@pytest.mark.parametrize("late", [False, True])
def test_a_store_gives_the_plan_that_was_entered(tmp_path: Path, late: bool) -> None:
    spec = spec_of("ala ola ela ula ida", name="cup", deals=1, deals_per_bot=4)
    with Store.open(url_of(tmp_path)) as store:
        entered = enter(store, spec, SECRET, NOW_MS)
        if late:
            entered = add_entrant(store, "cup", Entrant(name="eva"), NOW_MS)
            assert [entrant.name for entrant in entered.spec.entrants][5:] == ["eva"]
        again = read_plan(store, "cup")
        entered_again = enter(store, spec, SECRET, NOW_MS)

    assert again.schedule == entered.schedule == entered_again.schedule
    assert again.amendments == entered.amendments
    assert len(again.amendments) == late


def test_an_amendment_that_cannot_be_is_not_stored(tmp_path: Path) -> None:
    with Store.open(url_of(tmp_path)) as store:
        enter(store, spec_of("ala ola ela ula", name="cup"), SECRET, NOW_MS)

        with pytest.raises(SpecError, match="3 entrants are left"):
            withdraw_entrant(store, "cup", "ala", NOW_MS)

        assert store.amendments.of("cup") == []


def test_what_has_an_attempt_has_begun(tmp_path: Path) -> None:
    spec = spec_of("ala ola ela ula", name="cup", deals=1, deals_per_bot=1)
    play(spec, url_of(tmp_path))

    with Store.open(url_of(tmp_path)) as store:
        assert begun_fixtures(store, "cup") == {0, 1, 2, 3}
