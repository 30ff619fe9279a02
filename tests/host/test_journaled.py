"""A floor with a journal: what is in it before anything is sent, and what a full disk does."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.engine.play import random_match
from tests.host.hall import UNDECODABLE, Hall, S, Stream, play_out
from tests.journal.recorded import opening, state_of, writer

from kiery.host import JournaledFloor, Run
from kiery.journal import EntryKind, Journal, read_journal, replay
from kiery.rules import preset
from kiery.table import Table, TableState
from kiery.terms import FaultPolicy, SubstitutionScope, TimeControl
from kiery.v1 import play_pb2

NAMES = ("ala", "ola", "ela", "ula")


class Disk:
    """A disk that may be full."""

    def __init__(self) -> None:
        self.full = False

    def __call__(self, descriptor: int, data: bytes, offset: int) -> int:
        if self.full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return os.pwrite(descriptor, data, offset)


class JournaledHall(Hall):
    """A hall whose tables outlive it."""

    def __init__(self, path: Path, before: Journal | None = None) -> None:
        super().__init__()
        self.disk = Disk()
        self.path = path
        self.journal = writer(path, write=self.disk, before=before)
        self.retries: list[Callable[[], None]] = []
        self.floor = JournaledFloor(self.clock, self.limits, self.journal, later=self.retries.append)
        self.lobby.floor = self.floor
        self.floor.lobby = self.lobby

    def fresh(self, deals: int) -> Table:
        return Table(
            random_match(preset("hearts", 4), 1, deal_limit=deals),
            match_id="m1",
            names=NAMES,
            time_control=TimeControl(),
            fault_policy=FaultPolicy(),
        )

    def begin(self, deals: int = 1) -> tuple[Run, list[Stream]]:
        """Begins a match of four bots that are there."""
        streams = [self.stream(name).hello() for name in NAMES]
        table = self.fresh(deals)
        run = self.floor.open(table, [self.bot(name) for name in NAMES], self.verdicts_only, opening())
        return run, streams

    def verdicts_only(self, _: Run, verdict: object) -> None:
        self.verdicts.append(verdict)  # type: ignore[arg-type]

    def rebuilt(self, deals: int = 1) -> Table:
        """Returns the table that another process would go on with."""
        (table,) = read_journal(self.path).tables.values()
        return replay(self.fresh(deals), table.entries)


async def test_what_a_bot_is_told_follows_from_what_is_in_the_journal(tmp_path: Path) -> None:
    hall = JournaledHall(tmp_path / "j")
    run, streams = hall.begin()
    told = 0

    while run.table.state is not TableState.PLAYED:
        for stream in streams:
            updates = stream.updates()
            told += len(updates)
            if updates:
                # Whatever it was just told, the journal alone gives it, too.
                assert hall.rebuilt().match.sequence >= max(update.sequence for update in updates)
            stream.answer_all(updates)

    assert told > 50
    hall.floor.commit()
    assert state_of(hall.rebuilt()) == state_of(run.table)


def misbehave(hall: JournaledHall, streams: list[Stream], seat: int, chance: Random) -> None:
    stream = streams[seat]
    updates = stream.updates()
    asked = [update for update in updates if update.decision]
    match chance.randrange(12):
        case 0:
            stream.lose()
            hall.pass_time(chance.choice([0, 2, 25]) * S)
            streams[seat] = hall.stream(NAMES[seat]).hello()
        case 1:
            hall.pass_time(chance.choice([1, 3, 70]) * S)
        case 2 if asked:
            answers = [
                play_pb2.Answer(table=each.table, decision=each.decision, cards=b"\x63\x01") for each in asked
            ]
            stream.send(answers=answers)
        case 3 if asked:
            answers = [play_pb2.Answer(table=each.table, decision=each.decision + 3) for each in asked]
            stream.send(answers=answers)
        case 4 if chance.random() < 0.1:
            stream.send(leave=play_pb2.Leave())
            streams[seat] = hall.stream(NAMES[seat]).hello()
        case 5:
            stream.session.receive(UNDECODABLE)
        case _:
            hall.clock.time += chance.randrange(900_000_000)
            stream.answer_all(updates)
            return
    if streams[seat].session.closed is not None:
        streams[seat].lose()
        streams[seat] = hall.stream(NAMES[seat]).hello()


async def test_table_of_bots_that_misbehave_is_rebuilt_at_every_moment(tmp_path: Path) -> None:
    for seed in range(6):
        chance = Random(seed)
        hall = JournaledHall(tmp_path / str(seed))
        run, streams = hall.begin(deals=2)
        for step in range(2_000):
            if run.table.state is TableState.PLAYED:
                break
            misbehave(hall, streams, chance.randrange(4), chance)
            if not step % 7:
                hall.floor.commit()
                assert state_of(hall.rebuilt(2)) == state_of(run.table), (seed, step)
        hall.floor.commit()
        assert run.table.state is TableState.PLAYED
        assert state_of(hall.rebuilt(2)) == state_of(run.table)


async def test_full_disk_stops_messages_and_clocks_until_there_is_room(tmp_path: Path) -> None:
    hall = JournaledHall(tmp_path / "j")
    run, streams = hall.begin()
    for stream in streams:
        stream.answer_all()
    asked = streams[0].updates()

    hall.disk.full = True
    streams[0].answer_all(asked)
    for stream in streams[1:]:
        assert stream.take() == []
    hall.pass_time(9 * S)

    assert hall.floor.stalled
    assert [place.faults for place in run.table.places] == [0, 0, 0, 0]
    assert [place.bank for place in run.table.places] == [60 * S] * 4
    hall.retries.pop()()
    assert hall.floor.stalled
    hall.disk.full = False
    hall.retries.pop()()
    assert not hall.floor.stalled
    play_out(streams)
    assert run.table.state is TableState.PLAYED
    hall.floor.commit()
    assert state_of(hall.rebuilt()) == state_of(run.table)
    assert sum(sum(deal.notes.faults) for deal in run.table.match.deals) == 0


async def test_writer_is_parked_while_nothing_may_be_sent(tmp_path: Path) -> None:
    hall = JournaledHall(tmp_path / "j")
    _, streams = hall.begin()
    hall.disk.full = True
    session = streams[0].session
    # The welcome depends on no entry.
    assert session.next_message() is not None
    assert session.next_message() is None

    waiting = session.wait()
    waiting.send(None)
    hall.disk.full = False
    hall.retries.pop()()

    parked_again = False
    try:
        waiting.send(None)
        parked_again = True
    except StopIteration:
        pass
    assert not parked_again
    assert session.next_message() is not None


async def test_journal_stays_silent_about_answers_that_change_nothing(tmp_path: Path) -> None:
    hall = JournaledHall(tmp_path / "j")
    _, streams = hall.begin()
    updates = streams[0].updates()
    hall.floor.commit()
    before = len(read_journal(hall.path).tables[1].entries)

    stale = play_pb2.Answer(table=updates[0].table, decision=99)
    streams[0].send(answers=[stale, stale])
    hall.floor.commit()

    assert len(read_journal(hall.path).tables[1].entries) == before


async def test_match_that_goes_on_is_asked_again_under_its_ids(tmp_path: Path) -> None:
    killed = JournaledHall(tmp_path / "j")
    run, streams = killed.begin()
    for _ in range(9):
        for stream in streams:
            stream.answer_all()
    killed.floor.commit()
    places = [(place.decision_id, place.decision) for place in run.table.places]

    journal = read_journal(killed.path)
    hall = JournaledHall(tmp_path / "other")
    hall.journal = writer(killed.path, before=journal)
    hall.floor._journal = hall.journal
    table = replay(hall.fresh(1), journal.tables[1].entries)
    again = hall.floor.go_on(table, [hall.bot(name) for name in NAMES], hall.verdicts_only, 1)
    streams = [hall.stream(name).hello() for name in NAMES]

    assert [(place.decision_id, place.decision) for place in table.places] == places
    play_out(streams)
    assert again.table.state is TableState.PLAYED
    assert hall.verdicts
    hall.floor.commit()
    (flight,) = read_journal(killed.path).tables.values()
    assert EntryKind.RESUMED in {entry.kind for entry in flight.entries}
    assert state_of(replay(hall.fresh(1), flight.entries)) == state_of(again.table)


async def test_settled_match_is_in_the_journal_no_more(tmp_path: Path) -> None:
    hall = JournaledHall(tmp_path / "j")
    run, streams = hall.begin()
    play_out(streams)

    hall.floor.settle(run.number)
    hall.floor.settle(None)
    hall.floor.commit()

    assert read_journal(hall.path).tables == {}


async def test_match_that_is_laid_down_holds_nobody_and_stays_in_the_journal(tmp_path: Path) -> None:
    hall = JournaledHall(tmp_path / "j")
    run, streams = hall.begin()
    for stream in streams:
        stream.take()

    hall.floor.lay_down(run)
    for stream in streams:
        stream.lose()
        hall.lobby.give_up(hall.bot(NAMES[0]))
    hall.floor.commit()

    assert not hall.floor.runs
    assert all(not hall.bot(name).seatings for name in NAMES)
    table = hall.rebuilt()
    assert [place.held for place in table.places] == [None] * 4
    assert not any(place.held is SubstitutionScope.MATCH for place in table.places)


def wait(hall: JournaledHall, streams: list[Stream], seconds: int) -> None:
    """Lets time pass for bots that echo heartbeats, so that their streams live."""
    for _ in range(seconds):
        hall.pass_time(S)
        for stream in streams:
            for response in stream.take():
                if response.heartbeat.ping:
                    stream.send(heartbeat=play_pb2.Heartbeat(pong=response.heartbeat.ping))


async def test_bot_that_could_not_be_asked_whether_it_is_ready_has_its_time_once_there_is_room(
    tmp_path: Path,
) -> None:
    hall = JournaledHall(tmp_path / "j")
    hall.disk.full = True
    run, streams = hall.begin()
    wait(hall, streams, 59)

    assert hall.floor.stalled
    hall.disk.full = False
    hall.retries.pop()()
    wait(hall, streams, 29)
    for stream in streams:
        stream.answer_all([update for response in stream.read for update in response.updates])
    play_out(streams)

    assert run.table.state is TableState.PLAYED
    assert [place.held for place in run.table.places] == [None] * 4
    hall.floor.commit()
    assert state_of(hall.rebuilt()) == state_of(run.table)


async def test_bot_that_was_asked_whether_it_is_ready_must_say_so_in_time(tmp_path: Path) -> None:
    hall = JournaledHall(tmp_path / "j")
    run, streams = hall.begin()
    wait(hall, streams, 31)

    assert [place.held for place in run.table.places] == [SubstitutionScope.MATCH] * 4
