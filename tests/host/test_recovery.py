"""What the next process makes of a journal: what goes on, what is void, and what it says about it."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.host.hall import SetClock
from tests.host.test_director import NAMES, SECRET, Evening, Shelf, plan_of
from tests.host.test_journaled import JournaledHall
from tests.journal.recorded import NOW_MS, opening

from kiery.host import Director, Plan, Recovery, boot_id, enter, journal_of, open_journal
from kiery.journal import InFlight, Opening, read_journal, segments_of
from kiery.record import MatchRecord, verify_record
from kiery.store import AttemptKey, AttemptStatus, Store
from kiery.tournament import spec_from_values

BOOT = "boot-1"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Yields a store with the tournament `cup`."""
    with Store.open(f"sqlite:///{tmp_path / 's.sqlite'}") as store:
        enter(store, plan_of().spec, SECRET, NOW_MS)
        yield store


def leave_behind(store: Store, *openings: Opening, boot: str = BOOT) -> None:
    """Leaves a journal with tables in flight, as a killed server does."""
    writer, _ = open_journal(store, SetClock(), boot=boot)
    for each in openings:
        writer.opened(each, 0)
    writer.flush()


def found(store: Store, boot: str = BOOT) -> Recovery:
    writer, recovery = open_journal(store, SetClock(), boot=boot)
    writer.close()
    return recovery


def test_matches_of_the_same_boot_go_on(store: Store) -> None:
    leave_behind(store, opening(2), opening(3, attempt=2))

    recovery = found(store)

    assert [table.opening.fixture for table in recovery.in_flight["cup"]] == [2, 3]
    assert str(recovery) == "matches in flight when the server ended: 2 go on from the exact card"
    assert store.attempts("cup") == []
    assert len(found(store).in_flight["cup"]) == 2


def test_matches_of_another_boot_are_void_once(store: Store) -> None:
    leave_behind(store, opening(2), opening(3, attempt=2))

    recovery = found(store, "boot-2")

    assert recovery.in_flight == {}
    assert "2 are void since the machine was started anew, and get fresh boards" in str(recovery)
    assert [(each.key.fixture, each.key.attempt, each.status) for each in store.attempts("cup")] == [
        (2, 1, AttemptStatus.VOID),
        (3, 2, AttemptStatus.VOID),
    ]
    assert str(found(store, "boot-2")) == ""


def test_match_whose_result_the_store_has_is_settled(store: Store) -> None:
    leave_behind(store, opening(2), opening(3))
    store.add_lost(AttemptKey(tournament="cup", fixture=2, attempt=1))

    recovery = found(store)

    assert [table.opening.fixture for table in recovery.in_flight["cup"]] == [3]
    assert str(recovery).endswith("1 go on from the exact card, 1 were recorded")


def test_damaged_journal_voids_what_was_in_flight_and_says_where(store: Store) -> None:
    leave_behind(store, opening(2), opening(3))
    leave_behind(store, opening(4))
    *_, segment = segments_of(journal_of(store))
    data = bytearray(segment.read_bytes())
    data[-1] ^= 1
    segment.write_bytes(data)

    recovery = found(store)

    assert recovery.in_flight == {}
    assert recovery.voids == 2
    assert f"the journal is damaged, {segment.name} at byte " in str(recovery)
    assert str(found(store)) == ""


def test_matches_of_a_tournament_that_the_store_does_not_know_are_forgotten(store: Store) -> None:
    leave_behind(store, opening(2, tournament="another"))

    assert str(found(store)) == ""
    assert segments_of(journal_of(store)) == []


def test_other_tournaments_keep_their_matches_in_flight(store: Store) -> None:
    other = spec_from_values({"name": "other", "entrants": [{"name": name} for name in NAMES], "deals": 1})
    enter(store, other, SECRET, NOW_MS)
    leave_behind(store, opening(2), opening(1, tournament="other"))

    recovery = found(store)

    assert {name: len(tables) for name, tables in recovery.in_flight.items()} == {"cup": 1, "other": 1}


def test_boot_has_a_name_that_stays() -> None:
    assert boot_id()
    assert boot_id() == boot_id()


class Night(Evening):
    """An evening on a floor with a journal."""

    def __init__(self, plan: Plan, shelf: Shelf, hall: JournaledHall, **options: object) -> None:
        super().__init__(plan, shelf)
        self.hall: JournaledHall = hall
        self.bots = [hall.bot(name) for name in NAMES]
        settings: dict[str, object] = {
            "archive": shelf,
            "voids": {},
            "max_tables": 8,
            "between_laps": self._between_laps,
            **options,
        }
        self.director = Director(plan, hall.floor, hall.clock, self.bots, **settings)  # type: ignore[arg-type]
        hall.lobby.changed = self.director.look


class Server:
    """A tournament on a floor with a journal, whose process ends and is started again."""

    def __init__(self, path: Path, plan: Plan) -> None:
        self.path = path
        self.plan = plan
        self.shelf = Shelf()

    def start(self, in_flight: Sequence[InFlight] = (), **options: object) -> Night:
        """Returns what another process has."""
        hall = JournaledHall(self.path, before=read_journal(self.path))
        settings: dict[str, object] = {
            "finished": {record.header.fixture for record in self.shelf.valid},
            "in_flight": in_flight,
            **options,
        }
        return Night(self.plan, self.shelf, hall, **settings)

    @property
    def in_flight(self) -> list[InFlight]:
        return list(read_journal(self.path).tables.values())

    async def stop_after(self, evening: Night, answers: int, *, killed: bool) -> None:
        """Plays until so many answers were taken; then it is killed, or told to stop."""
        async with evening.present():
            playing = asyncio.create_task(evening.director.play())
            while evening.hall.floor.decisions < answers:  # noqa: ASYNC110  (turns of the loop, no time)
                await asyncio.sleep(0)
            if killed:
                # What was noted since the last write dies with the process.
                evening.hall.disk.full = True
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)

    async def play_on(self, evening: Night) -> None:
        async with evening.present():
            await evening.play()


def cards(records: Sequence[MatchRecord]) -> dict[int | None, object]:
    """Returns who sat where and all cards, by fixture."""
    return {
        record.header.fixture: [
            (record.header.match_id, deal.hands, deal.passes, deal.cards, deal.faults)
            for deal in record.deals
        ]
        for record in records
    }


@pytest.mark.parametrize("killed", [True, False])
@pytest.mark.parametrize("sharing", ["independent", "laps"])
async def test_matches_go_on_from_their_exact_card(tmp_path: Path, sharing: str, *, killed: bool) -> None:
    plan = plan_of(sharing=sharing)
    whole = Server(tmp_path / "whole", plan)
    await whole.play_on(whole.start())
    server = Server(tmp_path / "j", plan)

    await server.stop_after(server.start(), 70, killed=killed)
    going_on = len(server.in_flight)
    await server.stop_after(server.start(server.in_flight), 50, killed=killed)
    await server.play_on(server.start(server.in_flight))

    assert going_on > 0
    assert cards(server.shelf.valid) == cards(whole.shelf.valid)
    assert server.shelf.lost == []
    assert [record.header.attempt for record in server.shelf.valid] == [1] * 4
    for record in server.shelf.valid:
        verify_record(record, SECRET)


async def test_match_that_was_begun_otherwise_is_void_and_gets_fresh_boards(tmp_path: Path) -> None:
    server = Server(tmp_path / "j", plan_of())
    await server.stop_after(server.start(), 30, killed=True)
    flights = server.in_flight
    older = replace(flights[0].opening, terms=bytes(32))
    flights[0].opening = older

    evening = server.start(flights)
    await server.play_on(evening)

    fixture = older.fixture
    assert server.shelf.lost == [(fixture, 1)]
    attempts = {record.header.fixture: record.header.attempt for record in server.shelf.valid}
    assert attempts == {number: 2 if number == fixture else 1 for number in range(4)}
    evening.hall.floor.commit()
    assert server.in_flight == []


async def test_match_whose_entries_do_not_fit_is_void(tmp_path: Path) -> None:
    server = Server(tmp_path / "j", plan_of())
    await server.stop_after(server.start(), 30, killed=True)
    flights = server.in_flight
    del flights[0].entries[5:8]

    await server.play_on(server.start(flights))

    assert server.shelf.lost == [(flights[0].opening.fixture, 1)]
    assert len(server.shelf.valid) == 4


async def test_match_of_a_fixture_that_has_a_result_is_settled(tmp_path: Path) -> None:
    server = Server(tmp_path / "j", plan_of())
    await server.stop_after(server.start(), 30, killed=True)
    flights = server.in_flight
    done = {flight.opening.fixture for flight in flights[:1]}

    evening = server.start(flights, finished=done)
    await server.play_on(evening)

    assert server.shelf.lost == []
    assert sorted(record.header.fixture or 0 for record in server.shelf.valid) == sorted({0, 1, 2, 3} - done)
    evening.hall.floor.commit()
    assert server.in_flight == []
