"""The floor: tables run side by side, and a table that fails is voided alone."""

import logging
from collections.abc import Callable

import pytest
from tests.host.hall import Hall, S, Stream, news_of, play_out

from kiery.host import Run, Verdict
from kiery.table import Table
from kiery.terms import MatchCause
from kiery.v1 import play_pb2

NAMES = ["a", "b", "c", "d"]
SECRET = "QS is in seat 3"


def fail(*_: object, **__: object) -> None:
    raise ValueError(SECRET)


def two_tables(hall: Hall) -> tuple[list[Stream], Run, Run]:
    streams = [hall.stream(name).hello() for name in NAMES]
    bad, good = hall.seat(NAMES, match_id="bad"), hall.seat(NAMES, match_id="good")
    for stream in streams:
        stream.answer_all()
    return streams, bad, good


def break_table(name: str) -> Callable[[Table], None]:
    def broken(table: Table) -> None:
        setattr(table, name, fail)

    return broken


@pytest.mark.parametrize("name", ["answer", "take", "observe", "_go_on", "leave", "connect"])
@pytest.mark.parametrize("ending", ["ends", "cannot end"])
async def test_a_table_that_fails_is_voided_and_the_others_go_on(
    name: str, ending: str, caplog: pytest.LogCaptureFixture
) -> None:
    hall = Hall()
    streams, bad, good = two_tables(hall)
    pending = [stream.updates() for stream in streams]
    break_table(name)(bad.table)
    if ending == "cannot end":
        break_table("finish")(bad.table)

    with caplog.at_level(logging.ERROR):
        for stream, updates in zip(streams, pending, strict=True):
            stream.answer_all(updates)
        if name == "leave":
            hall.floor.leave(bad.seatings[0], resign=False)
        if name == "connect":
            streams[0].lose()
            streams[0] = hall.stream("a").hello()
        if name == "observe":
            for stream in streams:
                stream.take()
            hall.clock.time += 63 * S
            hall.floor._deadlines._decide()
        play_out(streams)

    assert Verdict.CRASHED in hall.verdicts
    assert hall.verdicts.count(Verdict.PLAYED) == 1
    assert good not in hall.floor.runs
    assert bad not in hall.floor.runs
    assert [stream.reason for stream in streams] == [None] * 4
    assert "table failed" in caplog.text
    told = b"".join(response.SerializeToString() for stream in streams for response in stream.read)
    assert SECRET.encode() not in told
    assert b"ValueError" not in told
    assert all(not hall.bot(bot).seatings for bot in NAMES)


async def test_the_bots_of_a_voided_table_are_told_that_it_is_void() -> None:
    hall = Hall()
    streams, bad, _ = two_tables(hall)
    pending = [stream.updates() for stream in streams]
    break_table("answer")(bad.table)

    streams[0].answer_all(pending[0])

    for stream in streams:
        (ended,) = news_of(stream.updates(), "match_ended")
        assert ended.cause == MatchCause.VOID_SERVER  # type: ignore[attr-defined]


async def test_a_match_is_handed_over_once_when_its_last_deal_is_scored() -> None:
    hall = Hall()
    kept: list[Verdict] = []
    streams = [hall.stream(name).hello() for name in NAMES]
    run = hall.seat(NAMES, ended=lambda _, verdict: kept.append(verdict))
    play_out(streams)
    assert kept == [Verdict.PLAYED]
    assert run in hall.floor.runs

    hall.floor.finish(run, MatchCause.COMPLETED, b"x" * 32)
    hall.floor.finish(run, MatchCause.CANCELLED, b"")

    assert kept == [Verdict.PLAYED]
    ended = [news_of(stream.updates(), "match_ended") for stream in streams]
    assert [len(each) for each in ended] == [1] * 4
    assert run not in hall.floor.runs


async def test_a_run_may_be_ended_while_it_is_played_and_is_not_handed_over() -> None:
    hall = Hall()
    streams, run, _ = two_tables(hall)

    hall.floor.finish(run, MatchCause.VOID_ORGANISER, b"")
    play_out(streams)

    assert hall.verdicts == [Verdict.PLAYED], "only the other one"


async def test_a_silent_bot_runs_out_of_time_and_the_match_ends() -> None:
    hall = Hall()
    streams = [hall.stream(name).hello() for name in NAMES]
    hall.seat(NAMES)
    for stream in streams:
        stream.answer_all()
    silent = streams[2]

    for _ in range(100):
        silent.take()
        play_out([stream for stream in streams if stream is not silent])
        if hall.verdicts:
            break
        hall.clock.time += 70 * S
        hall.floor._deadlines._decide()

    assert hall.verdicts == [Verdict.PLAYED]


async def test_nobody_there_ends_the_match_by_time_alone() -> None:
    hall = Hall()
    run = hall.seat(NAMES)

    hall.pass_time(31 * S)

    assert hall.verdicts == [Verdict.PLAYED]
    assert {cause.name for cause in run.table.seat_causes()} == {"NEVER_READY"}


async def test_decisions_are_counted() -> None:
    hall = Hall()
    streams = [hall.stream(name).hello() for name in NAMES]
    hall.seat(NAMES)

    play_out(streams)

    assert hall.floor.decisions == 4 + 4 + 52


async def test_a_match_goes_on_in_the_bytes_of_a_real_conversation() -> None:
    hall = Hall()
    streams = [hall.stream(name).hello(delivery=play_pb2.DELIVERY_IMMEDIATE) for name in NAMES]
    hall.seat(NAMES, deals=2)

    play_out(streams)

    plays = [update.cards for response in streams[0].read for update in response.updates]
    assert sum(map(len, plays)) == 2 * 52
    assert hall.verdicts == [Verdict.PLAYED]


async def test_match_ends_where_one_seat_is_told_every_event() -> None:
    # Found by the simulator: with the last card only that seat was due, and nobody saw that it was the last.
    hall = Hall()
    streams = [hall.stream(name).hello() for name in NAMES[:3]]
    streams.append(hall.stream(NAMES[3]).hello(delivery=play_pb2.DELIVERY_IMMEDIATE))
    hall.seat(NAMES)

    play_out(streams)

    assert hall.verdicts == [Verdict.PLAYED]
