"""Streams over real gRPC: how they begin, what bad peers do, and how every stream ends."""

import asyncio
import logging
from contextlib import suppress

import grpc
import grpc.aio
import pytest
from tests.transport.served import METHOD, Call, Client, Served, serving

from kiery.host import Lobby, Refusal, RefusalReason, Session
from kiery.terms import Limits
from kiery.transport.status import STATUS, status_of
from kiery.v1 import play_pb2

NAMES = ["a", "b", "c", "d"]
SECRET = "QS is in seat 3"


def fail(*_: object, **__: object) -> None:
    raise ValueError(SECRET)


async def test_a_match_is_played_over_tcp() -> None:
    async with serving() as served:
        clients = [Client(served.port, name) for name in NAMES]
        for client in clients:
            await client.hello()
        served.seat(NAMES)

        answered = await asyncio.gather(*[client.play() for client in clients])

        assert sum(answered) == 4 + 4 + 52
        for client in clients:
            await client.__aexit__()


async def test_initial_metadata_is_sent_when_the_call_is_accepted() -> None:
    async with serving() as served, Client(served.port) as client:
        async with asyncio.timeout(5):
            await client.call.initial_metadata()

        assert (await client.hello()).revision == 1


async def test_many_streams_share_a_connection() -> None:
    async with serving() as served, Client(served.port, "a") as client:
        calls: list[Call] = [
            client.channel.stream_stream(METHOD)(metadata=(("authorization", f"Bearer b{number}"),))
            for number in range(100)
        ]
        hello = play_pb2.PlayRequest(hello=play_pb2.Hello(min_revision=1, max_revision=1))

        for call in calls:
            await call.write(hello.SerializeToString())
        async with asyncio.timeout(5):
            first = [await call.read() for call in calls]

        assert all(isinstance(data, bytes) for data in first)


# Refusals


def test_every_reason_has_a_status() -> None:
    assert set(STATUS) == set(RefusalReason)
    assert [reason for reason in RefusalReason if status_of(reason) is grpc.StatusCode.OK] == [
        RefusalReason.FAREWELL
    ]
    assert grpc.StatusCode.UNKNOWN not in STATUS.values()


@pytest.mark.parametrize("reason", [each for each in RefusalReason if each is not RefusalReason.FAREWELL])
async def test_every_refusal_carries_its_reason(reason: RefusalReason) -> None:
    refusal = Refusal(reason=reason, message="because", metadata=(("kiery-more", "7"),))
    async with serving(authenticate=lambda _: refusal) as served, Client(served.port) as client:
        assert await client.status() == (STATUS[reason], reason.value, "because")
        trailing = dict(await client.call.trailing_metadata() or ())
        assert trailing["kiery-more"] == "7"


async def test_a_call_without_token_is_refused() -> None:
    async with serving() as served, Client(served.port, None) as client:
        code, reason, _ = await client.status()

    assert (code, reason) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN")


async def test_no_common_revision_is_refused_with_both_bounds() -> None:
    async with serving() as served, Client(served.port) as client:
        await client.send(hello=play_pb2.Hello(min_revision=2, max_revision=3))

        code, reason, _ = await client.status()

        trailing = dict(await client.call.trailing_metadata() or ())
    assert (code, reason) == (grpc.StatusCode.FAILED_PRECONDITION, "REVISION")
    assert (trailing["kiery-min-revision"], trailing["kiery-max-revision"]) == ("1", "1")


async def test_another_method_is_unimplemented() -> None:
    async with serving() as served, Client(served.port) as client:
        cheat: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]
        cheat = client.channel.unary_unary("/kiery.v1.PlayService/Cheat")
        call = cheat(b"")
        assert await call.code() is grpc.StatusCode.UNIMPLEMENTED


# Bad peers


async def test_malformed_bytes_cost_a_strike_and_the_third_the_stream() -> None:
    async with serving() as served, Client(served.port) as client:
        await client.hello()
        for left in (2, 1):
            await client.send(b"\xff\xff\xff")
            response = await client.read()
            assert response is not None
            assert response.notices[0].strikes_left == left
        await client.send(b"\xff\xff\xff")

        code, reason, details = await client.status()

    assert (code, reason) == (grpc.StatusCode.INVALID_ARGUMENT, "STRIKES")
    assert "DecodeError" not in details


async def ends_alone(served: Served, bad: Client) -> grpc.StatusCode:
    """Lets a bad peer's stream end, and has another bot say hello after it."""
    code, _, details = await bad.status()
    assert "Error" not in details
    assert "<class" not in details
    async with Client(served.port, "good") as good:
        assert (await good.hello()).revision == 1
    return code


async def test_a_message_at_the_limit_is_read() -> None:
    async with serving() as served, Client(served.port) as client:
        await client.hello()
        answers = play_pb2.PlayRequest(answers=[play_pb2.Answer(table=1, decision=1, cards=b"x" * 65_500)])
        padding = 65_536 - answers.ByteSize()
        answers.answers[0].cards += b"x" * padding
        assert answers.ByteSize() == 65_536

        await client.send(answers.SerializeToString())
        await client.send(heartbeat=play_pb2.Heartbeat(ping=1))

        response = await client.read()
        assert response is not None
        assert response.heartbeat.pong == 1


@pytest.mark.parametrize("size", [65_537, 4_000_000])
async def test_an_oversized_message_ends_its_own_stream_only(size: int) -> None:
    async with serving() as served, Client(served.port) as client:
        await client.hello()

        await client.send(b"\x00" * size)

        assert await ends_alone(served, client) in {
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            grpc.StatusCode.ABORTED,
        }


async def test_a_compressed_bomb_is_refused() -> None:
    async with serving() as served:
        channel = grpc.aio.insecure_channel(
            f"127.0.0.1:{served.port}",
            options=[("grpc.use_local_subchannel_pool", 1)],
            compression=grpc.Compression.Gzip,
        )
        async with Client(served.port) as client:
            client.call.cancel()
            client.call = channel.stream_stream(METHOD)(
                metadata=(("authorization", "Bearer a"),), compression=grpc.Compression.Gzip
            )
            await client.hello()

            await client.send(b"\x00" * 20_000_000)

            assert await ends_alone(served, client) in {
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                grpc.StatusCode.ABORTED,
            }
        await channel.close()


async def test_a_peer_that_does_not_read_is_cut_off_while_another_plays_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kiery.transport.play._ABORT_S", 0.1)
    limits = Limits(write_timeout_ms=200, spare_answers_per_second=10**6, strikes=10**6)
    async with serving(limits) as served:
        deaf = Client(served.port, "deaf", options=[("grpc.http2.bdp_probe", 0)])
        clients = [Client(served.port, name) for name in NAMES]
        for client in clients:
            await client.hello()
        await deaf.send(hello=play_pb2.Hello(min_revision=1, max_revision=1))
        await served.until(lambda: len(served.lobby.sessions) == 5)
        session = next(each for each in served.lobby.sessions if each.bot.name == "deaf")
        await served.until(lambda: session.greeted)
        notice = play_pb2.Notice(message="x" * 60_000)
        for _ in range(500):
            session.say(play_pb2.PlayResponse(notices=[notice]))
        await served.until(lambda: session.write_began_at is not None)
        served.seat(NAMES)
        playing = asyncio.gather(*[client.play() for client in clients])

        async with asyncio.timeout(5):
            while session.closed is None:
                served.lobby.tick()
                await asyncio.sleep(0.02)
        assert session.closed.reason is RefusalReason.WRITE_TIMEOUT
        await served.until(lambda: session not in served.lobby.sessions)
        # Four handlers play on; the fifth does not wait for a peer that takes no status.
        await served.until(lambda: handlers() <= 4)

        assert sum(await playing) == 4 + 4 + 52
        for client in (deaf, *clients):
            await client.__aexit__()


def handlers() -> int:
    """Counts the handlers of streams that have not returned."""
    return sum("_handle_exceptions" in str(task.get_coro()) for task in asyncio.all_tasks())


# The ends of a stream


async def test_a_half_closed_stream_is_lost_and_says_so() -> None:
    async with serving() as served, Client(served.port) as client:
        await client.hello()

        await client.call.done_writing()

        code, reason, _ = await client.status()
    assert (code, reason) == (grpc.StatusCode.ABORTED, "HALF_CLOSED")


async def test_a_half_close_says_so_also_while_something_is_being_written() -> None:
    async with serving() as served:
        ends = []
        for number in range(60):
            async with Client(served.port, f"b{number}") as client:
                await client.send(hello=play_pb2.Hello(min_revision=1, max_revision=1))
                await client.send(heartbeat=play_pb2.Heartbeat(ping=1))
                await client.call.done_writing()
                code, reason, _ = await client.status()
                ends.append((code, reason))

    assert set(ends) == {(grpc.StatusCode.ABORTED, "HALF_CLOSED")}


async def test_a_replaced_stream_says_so_also_while_something_is_being_written() -> None:
    async with serving() as served:
        for _ in range(30):
            async with Client(served.port, "a") as old, Client(served.port, "a") as new:
                await old.hello()
                await asyncio.gather(old.send(heartbeat=play_pb2.Heartbeat(ping=1)), new.hello())
                assert (await old.status())[:2] == (grpc.StatusCode.ABORTED, "SESSION_REPLACED")


async def test_a_cancelled_call_loses_the_stream_quietly(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        async with serving() as served:
            client = Client(served.port)
            await client.hello()
            client.call.cancel()
            await served.until(lambda: not served.lobby.sessions)
            await client.channel.close()

            assert served.lobby.bot("Bearer a", "a").session is None
    assert caplog.text == ""


async def test_peers_that_vanish_in_mid_write_are_no_error_of_ours(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        async with serving() as served:
            for number in range(30):
                client = Client(served.port, f"b{number}")
                await client.hello()
                session = next(iter(served.lobby.sessions))
                for _ in range(20):
                    session.say(play_pb2.PlayResponse(notices=[play_pb2.Notice(message="x" * 30_000)]))
                if number % 2:
                    client.call.cancel()
                await client.channel.close()
                await served.until(lambda: not served.lobby.sessions)
    assert caplog.text == ""


async def test_ok_comes_only_after_a_farewell() -> None:
    async with serving() as served, Client(served.port) as client:
        await client.hello()

        await client.send(leave=play_pb2.Leave())
        await client.call.done_writing()

        code, reason, _ = await client.status()
    assert (code, reason) == (grpc.StatusCode.OK, "")


async def test_a_lost_stream_may_be_resumed() -> None:
    async with serving() as served:
        others = [Client(served.port, name) for name in NAMES[1:]]
        for other in others:
            await other.hello()
        async with Client(served.port, "a") as first:
            secret = (await first.hello()).resume_secret
            served.seat(NAMES)
            assert await first.read() is not None
        await served.until(lambda: len(served.lobby.sessions) == 3)

        async with Client(served.port, "a") as second:
            welcome = await second.hello(resume_secret=secret)
            answered = await asyncio.gather(second.play(), *[other.play() for other in others])

        assert welcome.resumed_tables == 1
        assert sum(answered) == 4 + 4 + 52
        for other in others:
            await other.__aexit__()


# Faults of ours


@pytest.mark.parametrize(
    ("place", "name"),
    [(Session, "receive"), (Session, "next_message"), (Lobby, "greet"), (Lobby, "open_session")],
    ids=lambda value: str(getattr(value, "__name__", value)),
)
async def test_a_fault_of_ours_tells_the_peer_an_opaque_id_only(
    place: type, name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving() as served, Client(served.port) as client:
        monkeypatch.setattr(place, name, fail)
        with suppress(grpc.aio.AioRpcError):  # the stream may have ended already
            await client.send(hello=play_pb2.Hello(min_revision=1, max_revision=1))

        code, reason, details = await client.status()
        monkeypatch.undo()

    assert (code, reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
    assert details.startswith("internal error ")
    assert details.removeprefix("internal error ").isalnum()
    assert SECRET in caplog.text, "the log has it"


async def test_a_fault_while_authenticating_tells_the_peer_an_opaque_id_only(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with serving(authenticate=fail) as served, Client(served.port) as client:  # type: ignore[arg-type]
        code, reason, details = await client.status()

    assert (code, reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
    assert SECRET not in details
    assert SECRET in caplog.text


async def test_a_server_that_goes_down_says_so_before_it_ends_the_stream() -> None:
    async with serving() as served, Client(served.port) as client:
        await client.hello()

        served.lobby.shut_down()

        told = await client.read()
        assert told is not None
        assert told.shutdown.retry_after_ms == 2_000
        assert (await client.status())[:2] == (grpc.StatusCode.UNAVAILABLE, "SHUTDOWN")
