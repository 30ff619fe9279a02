"""The director: who is waited for, what a failure of ours costs, and that records come first."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import pytest
from tests.host.hall import Hall, Stream

from kiery.engine import Derivation
from kiery.host import Director, Floor, Plan, Run
from kiery.record import MatchRecord, verify_record
from kiery.table import Table
from kiery.terms import MatchCause, SeatCause
from kiery.tournament import build_schedule, spec_from_values

SECRET = bytes(range(32))
NAMES = ("ala", "ola", "ela", "ula")


def plan_of(**values: object) -> Plan:
    entrants = [{"name": name} for name in NAMES]
    spec = spec_from_values({"name": "cup", "entrants": entrants, "deals": 1, "deals_per_bot": 1, **values})
    derivation = Derivation(SECRET, b"")
    return Plan(spec=spec, schedule=build_schedule(spec, derivation), derivation=derivation)


class Shelf:
    """An archive in memory that may break."""

    def __init__(self, *, breaks_after: int | None = None) -> None:
        self.records: list[MatchRecord] = []
        self.voided: list[tuple[int, int]] = []
        self.lost: list[tuple[int, int]] = []
        self._breaks_after = breaks_after

    @property
    def valid(self) -> list[MatchRecord]:
        return [record for record in self.records if record.cause is MatchCause.COMPLETED]

    async def keep(self, record: MatchRecord) -> None:
        await asyncio.sleep(0)
        if len(self.records) == self._breaks_after:
            raise OSError("the disk is full")
        self.records.append(record)

    async def void(self, fixture: int, attempt: int) -> None:
        self.voided.append((fixture, attempt))

    async def lose(self, fixture: int, attempt: int) -> None:
        self.lost.append((fixture, attempt))


class Evening:
    """A tournament with bots that answer as soon as they are asked."""

    def __init__(self, plan: Plan, shelf: Shelf, **options: object) -> None:
        self.hall = Hall()
        self.shelf = shelf
        self.laps = 0
        self.bots = [self.hall.bot(name) for name in NAMES]
        settings: dict[str, object] = {
            "archive": shelf,
            "finished": (),
            "voids": {},
            "max_tables": 8,
            "between_laps": self._between_laps,
        }
        settings.update(options)
        self.director = Director(plan, self.hall.floor, self.hall.clock, self.bots, **settings)  # type: ignore[arg-type]
        self.hall.lobby.changed = self.director.look

    async def _between_laps(self) -> None:
        self.laps += 1

    @asynccontextmanager
    async def present(self, names: Sequence[str] = NAMES, max_tables: int = 64) -> AsyncIterator[None]:
        """Lets bots be there and answer."""
        streams = [self.hall.stream(name).hello(max_tables=max_tables) for name in names]
        tasks = [asyncio.create_task(_answer(stream)) for stream in streams]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def play(self) -> None:
        async with asyncio.timeout(10):
            await self.director.play()


async def _answer(stream: Stream) -> None:
    while True:
        await stream.session.wait()
        stream.answer_all()


def crash(monkeypatch: pytest.MonkeyPatch, *, times: int, at: int = 0, fixture: int | None = None) -> None:
    """Makes tables fail at an answer, a number of times."""
    left = [times, at]

    def breaking(step: Callable[..., None]) -> Callable[..., None]:
        def failing(self: Table, *arguments: object) -> None:
            if fixture is None or self.match_id.split("-")[1] == str(fixture):
                left[1] -= 1
                if left[0] and left[1] < 0:
                    left[0] -= 1
                    raise ZeroDivisionError("a fault of ours")
            step(self, *arguments)

        return failing

    for name in ("answer", "play"):
        monkeypatch.setattr(Table, name, breaking(getattr(Table, name)))


async def test_every_fixture_is_recorded_once() -> None:
    shelf = Shelf()
    evening = Evening(plan_of(), shelf)

    async with evening.present():
        await evening.play()

    assert sorted(record.header.fixture or 0 for record in shelf.valid) == [0, 1, 2, 3]
    assert evening.director.fixtures_done == 4
    assert not evening.director.tables
    for record in shelf.valid:
        verify_record(record, SECRET)


async def test_bots_with_room_for_one_table_play_one_after_the_other() -> None:
    shelf = Shelf()
    evening = Evening(plan_of(), shelf)
    most = 0
    keep = shelf.keep

    async def counting(record: MatchRecord) -> None:
        nonlocal most
        most = max(most, len(evening.hall.floor.runs))
        await keep(record)

    shelf.keep = counting  # type: ignore[method-assign]

    async with evening.present(max_tables=1):
        await evening.play()

    assert len(shelf.valid) == 4
    assert most == 1


async def test_nothing_begins_before_the_last_bot_has_come() -> None:
    shelf = Shelf()
    evening = Evening(plan_of(), shelf)
    playing = asyncio.create_task(evening.play())

    async with evening.present(NAMES[:3]):
        for _ in range(20):
            await asyncio.sleep(0)
        assert not evening.hall.floor.runs
        async with evening.present(NAMES[3:]):
            await playing

    assert len(shelf.valid) == 4


async def test_bot_that_is_gone_for_good_is_not_waited_for() -> None:
    shelf = Shelf()
    evening = Evening(plan_of(), shelf)
    playing = asyncio.create_task(evening.play())

    async with evening.present(NAMES[:3]):
        await asyncio.sleep(0)
        evening.hall.lobby.give_up(evening.bots[3])
        await playing

    assert len(shelf.valid) == 4
    for record in shelf.valid:
        seat = [entrant.name for entrant in record.header.entrants].index("ula")
        assert record.seat_causes[seat] is not SeatCause.COMPLETED
        assert record.seat_causes.count(SeatCause.COMPLETED) == 3


async def test_tournament_ends_when_every_bot_is_gone() -> None:
    shelf = Shelf()
    evening = Evening(plan_of(), shelf)
    for bot in evening.bots:
        evening.hall.lobby.give_up(bot)

    await evening.play()

    assert len(shelf.valid) == 4


async def test_record_that_cannot_be_kept_stops_the_tournament_and_loses_nothing() -> None:
    shelf = Shelf(breaks_after=2)
    evening = Evening(plan_of(), shelf, max_tables=1)

    async with evening.present():
        with pytest.raises(OSError, match="the disk is full"):
            await evening.play()

    assert len(shelf.records) == 2
    assert not evening.hall.floor.runs
    assert not evening.director.tables


async def test_tables_in_play_are_cancelled_when_the_director_is() -> None:
    shelf = Shelf()
    evening = Evening(plan_of(), shelf)
    async with evening.present(NAMES[:3]):
        silent = evening.hall.stream("ula").hello()
        playing = asyncio.create_task(evening.play())
        while not evening.hall.floor.runs:  # noqa: ASYNC110  (the next turns of the loop open them)
            await asyncio.sleep(0)

        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)

        assert not evening.hall.floor.runs
        ends = [update.news.match_ended for update in silent.updates() if update.news.HasField("match_ended")]
    assert len(ends) == 4
    assert {end.cause for end in ends} == {int(MatchCause.CANCELLED)}
    assert not shelf.records


async def test_fault_of_ours_voids_the_attempt_and_the_next_has_fresh_boards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shelf = Shelf()
    evening = Evening(plan_of(), shelf)
    crash(monkeypatch, times=1, at=30, fixture=1)

    async with evening.present():
        await evening.play()

    (void,) = [record for record in shelf.records if record.cause is MatchCause.VOID_SERVER]
    (again,) = [record for record in shelf.valid if record.header.fixture == 1]
    assert (void.header.fixture, void.header.attempt, again.header.attempt) == (1, 1, 2)
    assert void.deals[0].hands != again.deals[0].hands
    assert len(shelf.valid) == 4
    assert not shelf.voided


async def test_void_attempt_that_cannot_be_recorded_is_noted_as_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Shelf()
    evening = Evening(plan_of(), shelf)
    crash(monkeypatch, times=1, at=30, fixture=2)
    seat_causes = Table.seat_causes

    def broken(self: Table) -> Sequence[SeatCause]:
        if self.match_id.endswith("-2-1"):
            raise ZeroDivisionError("a fault of ours again")
        return seat_causes(self)

    monkeypatch.setattr(Table, "seat_causes", broken)

    async with evening.present():
        await evening.play()

    assert shelf.lost == [(2, 1)]
    assert len(shelf.valid) == 4


async def test_fixture_that_fails_again_and_again_stops_the_tournament(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shelf = Shelf()
    evening = Evening(plan_of(), shelf)
    crash(monkeypatch, times=99, fixture=0)

    async with evening.present():
        with pytest.raises(RuntimeError, match="fixture 0 was voided 5 times by faults of ours"):
            await evening.play()


async def test_void_in_laps_voids_the_set_and_plays_it_again_from_the_first_lap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = plan_of(sharing="laps")
    shelf = Shelf()
    evening = Evening(plan, shelf)
    third = next(each.index for each in plan.schedule.fixtures if each.arrangement == 2)
    crash(monkeypatch, times=1, at=10, fixture=third)

    async with evening.present():
        await evening.play()

    assert sorted(shelf.voided) == [
        (each.index, 1) for each in plan.schedule.fixtures if each.arrangement < 2
    ]
    second = [record for record in shelf.valid if record.header.attempt == 2]
    assert [record.header.fixture for record in second] == [each.index for each in plan.schedule.fixtures]
    assert len({record.deals[0].hands for record in second}) == 1
    # Laps 1 2 3, then 1 2 3 4 again, with new processes before each but the first.
    assert evening.laps == 2 + 4


async def test_lap_begins_when_the_one_before_is_recorded() -> None:
    plan = plan_of(sharing="laps", deals_per_bot=8)
    shelf = Shelf()
    evening = Evening(plan, shelf)
    open_laps: list[set[int | None]] = []
    begin = Floor.open

    def watched(self: Floor, *arguments: object) -> Run:
        run = begin(self, *arguments)  # type: ignore[arg-type]
        open_laps.append({each.header.lap for each in evening.director._open.values()})
        return run

    evening.hall.floor.open = watched.__get__(evening.hall.floor)  # type: ignore[method-assign]

    async with evening.present():
        await evening.play()

    assert [record.header.lap for record in shelf.valid] == sorted(
        record.header.lap or 0 for record in shelf.valid
    )
    assert all(len(laps) <= 1 for laps in open_laps)
    assert evening.laps == 3


def test_name_of_a_match_has_at_most_sixteen_characters_and_tells_nothing() -> None:
    plan = plan_of()

    name = plan.match_id(999_999, 9)

    assert len(name) <= 16
    assert "cup" not in name
