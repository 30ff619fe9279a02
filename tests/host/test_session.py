"""One stream: the handshake, what may be sent, strikes, heartbeats, and how it ends."""

import asyncio

import pytest
from tests.host.hall import INVALID_UTF8, MS, UNDECODABLE, Hall, S, Stream, play_out

from kiery.host import Refusal, RefusalReason
from kiery.terms import Limits
from kiery.v1 import play_pb2, terms_pb2

NAMES = ["a", "b", "c", "d"]


def playing(hall: Hall) -> list[Stream]:
    """Returns the streams of four bots that have been asked to pass."""
    streams = [hall.stream(name).hello() for name in NAMES]
    hall.seat(NAMES)
    for stream in streams:
        stream.answer_all()
    return streams


# The handshake


async def test_welcome_comes_first_and_tells_every_limit() -> None:
    hall = Hall()
    hall.seat(NAMES)
    stream = hall.stream("a").hello(bot="mine", version="1.0")

    first, *rest = stream.take()

    welcome = first.welcome
    limits = hall.limits
    assert first.WhichOneof is not None
    assert not first.updates
    assert (welcome.revision, welcome.server, welcome.resumed_tables) == (1, "kiery test", 1)
    assert (welcome.max_message_bytes, welcome.write_timeout_ms) == (65_536, 10_000)
    assert (welcome.heartbeat_ms, welcome.lobby_heartbeat_ms) == (10_000, 60_000)
    assert (welcome.max_tables, welcome.spare_answers_per_second) == (limits.default_tables, 20)
    assert len(welcome.resume_secret) == 16
    assert [len(each.updates) for each in rest] == [1]
    assert hall.bot("a").version == "1.0"


async def test_nothing_is_sent_before_the_hello() -> None:
    hall = Hall()
    hall.seat(NAMES)
    stream = hall.stream("a")

    assert stream.take() == []


async def test_a_first_message_without_hello_ends_the_stream() -> None:
    stream = Hall().stream("a")

    stream.send(heartbeat=play_pb2.Heartbeat(ping=1))

    assert stream.reason == "HELLO_EXPECTED"


@pytest.mark.parametrize(("lowest", "highest"), [(2, 3), (0, 0), (5, 2)])
async def test_no_common_revision_is_refused_with_both_bounds(lowest: int, highest: int) -> None:
    stream = Hall().stream("a").hello(min_revision=lowest, max_revision=highest)

    assert stream.reason == "REVISION"
    assert stream.session.closed is not None
    assert dict(stream.session.closed.metadata) == {"kiery-min-revision": "1", "kiery-max-revision": "1"}


async def test_the_highest_common_revision_is_chosen() -> None:
    stream = Hall().stream("a").hello(min_revision=0, max_revision=99)

    assert stream.take()[0].welcome.revision == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"bot": "x" * 65},
        {"sdk": "x" * 65},
        {"version": "x" * 65},
        {"max_tables": 2_001},
        {"positions": [play_pb2.Position(match_id="m")] * 2_001},
    ],
    ids=lambda fields: next(iter(fields)),
)
async def test_a_hello_out_of_range_is_refused(fields: dict[str, object]) -> None:
    hall = Hall()

    stream = hall.stream("a").hello(**fields)

    assert stream.reason == "HELLO_INVALID"
    assert hall.bot("a").session is None


async def test_unknown_wishes_count_as_the_defaults() -> None:
    hello = play_pb2.Hello(min_revision=1, max_revision=1)
    unknown = b"\x38\x63\x40\x63\xf8\x07\x01"  # delivery 99, snapshots 99, field 127
    stream = Hall().stream("a")

    data = hello.SerializeToString() + unknown
    stream.session.receive(b"\x12" + bytes([len(data)]) + data)

    assert stream.reason is None
    assert stream.take()[0].HasField("welcome")


async def test_what_stands_beside_the_hello_is_handled_after_it() -> None:
    hall = Hall()
    stream = hall.stream("a")

    stream.send(
        hello=play_pb2.Hello(min_revision=1, max_revision=1, max_tables=9),
        capacity=play_pb2.Capacity(max_tables=3),
        heartbeat=play_pb2.Heartbeat(ping=7),
    )

    assert hall.bot("a").max_tables == 3
    first, second = stream.take()
    assert first.HasField("welcome")
    assert second.heartbeat.pong == 7


async def test_a_second_hello_is_a_strike_and_changes_nothing() -> None:
    hall = Hall()
    stream = hall.stream("a").hello(max_tables=5)
    stream.take()

    stream.hello(max_tables=9)

    (response,) = stream.take()
    assert response.notices[0].reason == terms_pb2.NOTICE_REASON_SECOND_HELLO
    assert hall.bot("a").max_tables == 5


async def test_no_hello_in_time_ends_the_stream() -> None:
    hall = Hall()
    stream = hall.stream("a")

    hall.pass_time(10 * S)
    assert stream.reason is None
    hall.pass_time(1 * S)

    assert stream.reason == "HELLO_EXPECTED"


# Bad bytes


@pytest.mark.parametrize("data", [UNDECODABLE, INVALID_UTF8, b"\x0a\xff\x01"])
async def test_bytes_that_cannot_be_decoded_are_a_strike_and_the_third_ends_the_stream(data: bytes) -> None:
    hall = Hall()
    streams = playing(hall)
    bad = streams[1]
    bad.take()

    for left in (2, 1):
        bad.session.receive(data)
        (response,) = bad.take()
        (notice,) = response.notices
        assert (notice.reason, notice.strikes_left) == (terms_pb2.NOTICE_REASON_UNDECODABLE, left)
    bad.session.receive(data)

    assert bad.reason == "STRIKES"
    assert [stream.reason for stream in streams if stream is not bad] == [None] * 3


async def test_unknown_fields_are_ignored() -> None:
    stream = Hall().stream("a").hello()
    stream.take()

    stream.session.receive(b"\xf8\x07\x01" + play_pb2.PlayRequest().SerializeToString())

    assert stream.reason is None
    assert stream.take() == []


async def test_an_empty_message_is_no_offence() -> None:
    stream = Hall().stream("a").hello()
    stream.take()

    stream.session.receive(b"")

    assert stream.reason is None


async def test_mutated_messages_never_raise() -> None:
    from random import Random  # noqa: PLC0415

    chance = Random(5)
    hall = Hall(Limits(strikes=10**9))
    streams = playing(hall)
    updates = streams[0].updates()
    whole = play_pb2.PlayRequest(
        answers=[play_pb2.Answer(table=update.table, decision=1, cards=b"\x01") for update in updates]
        or [play_pb2.Answer(table=5, decision=1, cards=b"\x01\x02")],
        heartbeat=play_pb2.Heartbeat(ping=3),
        capacity=play_pb2.Capacity(max_tables=4),
    ).SerializeToString()

    for _ in range(3_000):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        streams[0].session.receive(bytes(data[: chance.randrange(1, len(data) + 1)]))
        streams[0].take()

    assert streams[0].reason in {None, "FAREWELL"}
    assert [stream.reason for stream in streams[1:]] == [None] * 3
    play_out(streams[1:])


# Answers


async def test_answers_to_unknown_handles_are_dropped_and_counted() -> None:
    hall = Hall()
    streams = playing(hall)
    streams[0].take()

    streams[0].send(answers=[play_pb2.Answer(table=handle, decision=1) for handle in (0, 1, 2**32 - 1)])

    assert hall.bot("a").dropped == 3
    assert streams[0].take() == []


async def test_another_seats_handle_is_unknown_on_this_stream() -> None:
    hall = Hall()
    streams = playing(hall)
    (update,) = streams[1].updates()
    place = hall.bot("b").seatings["m1", 1].place

    streams[0].send(
        answers=[
            play_pb2.Answer(table=update.table, decision=update.decision, cards=update.legal[:3]),
        ]
    )

    assert hall.bot("a").dropped == 1
    assert place.decision is not None
    assert place.faults == 0
    assert not place.rejections


async def test_answers_beyond_the_open_decisions_are_bounded_and_noticed_once() -> None:
    hall = Hall()
    streams = playing(hall)
    streams[0].take()

    for _ in range(10):
        streams[0].send(answers=[play_pb2.Answer(table=1, decision=1)] * 100)

    notices = [notice for response in streams[0].take() for notice in response.notices]
    assert [notice.reason for notice in notices] == [terms_pb2.NOTICE_REASON_TOO_MANY_ANSWERS]
    assert notices[0].strikes_left == 3, "a flood is no strike"
    assert streams[0].reason is None


async def test_an_overdrawn_bot_may_still_answer_what_is_open() -> None:
    hall = Hall()
    streams = playing(hall)
    (update,) = streams[0].updates()
    streams[0].send(answers=[play_pb2.Answer(table=1, decision=1)] * 1000)

    streams[0].answer_all([update])

    assert hall.bot("a").seatings["m1", 0].place.decision is None


async def test_repeats_of_a_closed_decision_spend_the_spare_answers() -> None:
    hall = Hall()
    streams = playing(hall)
    (update,) = streams[0].updates()
    place = hall.bot("a").seatings["m1", 0].place

    streams[0].send(answers=[play_pb2.Answer(table=update.table, decision=1)] * 100)

    assert len(place.rejections) + place.dropped_rejections == 40


async def test_two_answers_to_one_decision_in_one_message_count_once() -> None:
    hall = Hall()
    streams = playing(hall)
    (update,) = streams[0].updates()
    answer = play_pb2.Answer(table=update.table, decision=update.decision, cards=update.legal[:3])

    streams[0].send(answers=[answer, answer])

    place = hall.bot("a").seatings["m1", 0].place
    assert [each.illegality.reason.name for each in place.rejections] == ["DUPLICATE"]


async def test_bad_values_in_an_answer_reject_the_answer_and_not_the_stream() -> None:
    hall = Hall()
    streams = playing(hall)
    (update,) = streams[0].updates()
    strange = play_pb2.Answer(table=update.table, decision=update.decision, cards=b"\x00" * 9_999)
    unknown = b"\x0a\x08" + bytes([0x08]) + b"\x05" + b"\x28\xff\xff\xff\x07"

    streams[0].send(answers=[strange])
    streams[0].session.receive(unknown)

    (after,) = streams[0].updates()
    assert after.news.rejections[0].reason == terms_pb2.REJECT_REASON_WRONG_COUNT
    assert after.decision == update.decision + 1
    assert streams[0].reason is None


# Heartbeats and silence


async def test_a_ping_is_echoed_at_once() -> None:
    stream = Hall().stream("a").hello()
    stream.take()

    stream.send(heartbeat=play_pb2.Heartbeat(ping=42))

    (response,) = stream.take()
    assert response.heartbeat.pong == 42


async def test_pings_of_a_bot_that_does_not_read_take_no_memory() -> None:
    hall = Hall()
    stream = hall.stream("a").hello()
    stream.take()

    for ping in range(1, 1_000):
        stream.send(heartbeat=play_pb2.Heartbeat(ping=ping))

    assert len(stream.session._control) == 1
    (response,) = stream.take()
    assert response.heartbeat.pong == 999


async def test_a_ping_is_sent_only_after_silence() -> None:
    hall = Hall()
    streams = playing(hall)
    for stream in streams:
        stream.take()

    hall.pass_time(9 * S)
    assert all(not stream.take() for stream in streams)
    hall.pass_time(1 * S)

    pings = [response.heartbeat.ping for stream in streams for response in stream.take()]
    assert pings == [1] * 4


async def test_the_lobby_is_pinged_once_a_minute() -> None:
    hall = Hall()
    stream = hall.stream("a").hello()
    stream.take()

    hall.pass_time(59 * S)
    assert stream.take() == []
    hall.pass_time(1 * S)

    assert stream.take()[0].heartbeat.ping == 1


async def test_a_ping_that_is_not_echoed_ends_the_stream() -> None:
    hall = Hall()
    stream = hall.stream("a").hello()
    stream.take()
    hall.pass_time(60 * S)
    stream.take()

    hall.pass_time(10 * S)
    assert stream.reason is None
    hall.pass_time(1 * S)

    assert stream.reason == "HEARTBEAT_TIMEOUT"


async def test_anything_heard_counts_as_an_echo() -> None:
    hall = Hall()
    stream = hall.stream("a").hello()
    stream.take()
    hall.pass_time(60 * S)
    stream.take()

    stream.send(heartbeat=play_pb2.Heartbeat(pong=1))
    hall.pass_time(11 * S)

    assert stream.reason is None


async def test_a_write_that_does_not_complete_ends_the_stream() -> None:
    hall = Hall()
    stream = hall.stream("a").hello()
    interrupted: list[bool] = []
    stream.session.interrupt = lambda: interrupted.append(True)
    assert stream.session.next_message() is not None

    hall.pass_time(10 * S)
    assert stream.reason is None
    hall.pass_time(1 * S)

    assert stream.reason == "WRITE_TIMEOUT"
    assert interrupted == [True]


async def test_what_is_said_wakes_the_writer() -> None:
    hall = Hall()
    stream = hall.stream("a").hello()
    stream.take()

    writer = asyncio.create_task(stream.session.wait())
    await asyncio.sleep(0)
    assert not writer.done()
    hall.seat(NAMES)
    await asyncio.sleep(0)

    assert writer.done()
    assert len(stream.updates()) == 1


async def test_closing_wakes_the_writer_and_the_first_reason_counts() -> None:
    stream = Hall().stream("a").hello()
    stream.take()
    writer = asyncio.create_task(stream.session.wait())
    await asyncio.sleep(0)

    stream.session.hang_up()
    stream.send(leave=play_pb2.Leave())
    await asyncio.sleep(0)

    assert writer.done()
    assert stream.session.closed is not None
    assert stream.session.closed.reason is RefusalReason.HALF_CLOSED


# Leaving


async def test_a_farewell_gives_the_seats_away_and_ends_in_peace() -> None:
    hall = Hall()
    streams = playing(hall)

    streams[0].send(leave=play_pb2.Leave(resign=True))

    assert streams[0].reason == "FAREWELL"
    run = next(iter(hall.floor.runs))
    assert run.table.seat_causes()[0].name == "RESIGNED"
    play_out(streams[1:])
    assert hall.verdicts[0].name == "PLAYED"


async def test_answers_beside_a_farewell_still_count() -> None:
    hall = Hall()
    streams = playing(hall)
    (update,) = streams[0].updates()
    answer = play_pb2.Answer(table=update.table, decision=update.decision, cards=update.legal[:3])

    streams[0].send(answers=[answer], leave=play_pb2.Leave())

    deal = next(iter(hall.floor.runs)).table.match.deal
    assert deal.passes[0] is not None
    assert deal.notes.pass_causes[0] is not None
    assert deal.notes.pass_causes[0].name == "ANSWERED"


async def test_the_clock_of_a_decision_starts_with_the_message_that_carries_it() -> None:
    hall = Hall()
    streams = playing(hall)
    place = hall.bot("b").seatings["m1", 1].place
    hall.clock.time += 500 * MS

    assert place.started_at is None
    streams[1].take()

    assert place.started_at == hall.clock.time


def test_a_bot_is_told_that_the_server_goes_down_and_when_to_come_back() -> None:
    hall = Hall()
    stream = hall.stream("a").hello()

    hall.lobby.shut_down()

    assert stream.session.closed is not None
    assert stream.session.closed.reason is RefusalReason.SHUTDOWN
    told = play_pb2.PlayResponse.FromString(stream.session.last_words() or b"")
    assert (told.shutdown.retry_after_ms, told.shutdown.message) == (
        2_000,
        "the server goes down; nothing is lost",
    )


def test_a_stream_that_ends_for_another_reason_has_no_last_words() -> None:
    hall = Hall()
    stream = hall.stream("a").hello()

    stream.session.close(Refusal(reason=RefusalReason.STRIKES, message="too many"))

    assert stream.session.last_words() is None
