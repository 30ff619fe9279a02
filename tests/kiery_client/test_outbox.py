"""Everything pending goes out together, in order, within the bound."""

import asyncio

from kiery.v1 import play_pb2
from kiery.view import Action, DecisionKind
from kiery_client.outbox import Outbox


def taken(outbox: Outbox) -> list[play_pb2.PlayRequest]:
    return [play_pb2.PlayRequest.FromString(data) for data in outbox.take()]


def play(outbox: Outbox, table: int) -> None:
    outbox.answer(table, 1, Action(cards=b"\5"), DecisionKind.PLAY)


def test_everything_pending_is_one_message() -> None:
    outbox = Outbox(play_pb2.Hello(min_revision=1))
    play(outbox, 3)
    play(outbox, 2)
    outbox.pong(9)
    outbox.ping(1)

    (request,) = taken(outbox)

    assert request.hello.min_revision == 1
    assert [answer.table for answer in request.answers] == [3, 2]
    assert request.heartbeat == play_pb2.Heartbeat(ping=1, pong=9)


def test_what_was_taken_is_gone() -> None:
    outbox = Outbox(play_pb2.Hello())
    outbox.take()
    play(outbox, 1)

    (request,) = taken(outbox)

    assert not request.HasField("hello")


def test_long_messages_are_split_in_the_order_of_their_parts() -> None:
    outbox = Outbox(play_pb2.Hello(sdk="x" * 50))
    outbox.max_message_bytes = 100
    outbox.capacity(0)
    for table in range(1_000):
        play(outbox, table)
    outbox.pong(9)
    outbox.leave(resign=True)

    messages = outbox.take()
    requests = [play_pb2.PlayRequest.FromString(data) for data in messages]

    assert max(map(len, messages)) <= 100
    assert requests[0].HasField("hello")
    assert requests[0].HasField("capacity")
    assert [answer.table for request in requests for answer in request.answers] == list(range(1_000))
    assert all(
        not request.HasField("hello") and not request.HasField("heartbeat") for request in requests[1:-1]
    )
    assert requests[-1].heartbeat.pong == 9
    assert requests[-1].leave.resign is True


def test_a_greeting_with_two_thousand_positions_fits() -> None:
    positions = [play_pb2.Position(match_id="m" * 16, seat=10, sequence=2**20) for _ in range(2_000)]
    hello = play_pb2.Hello(
        min_revision=1, max_revision=1, bot="b" * 64, resume_secret=b"s" * 32, positions=positions
    )

    (data,) = Outbox(hello).take()

    assert len(data) < 65_536


async def test_the_writer_is_woken_by_what_comes() -> None:
    outbox = Outbox(play_pb2.Hello())
    await outbox.wait()
    outbox.take()
    waiting = asyncio.create_task(outbox.wait())
    await asyncio.sleep(0)
    assert not waiting.done()

    play(outbox, 1)

    await waiting
    assert len(taken(outbox)) == 1


def test_a_shooter_without_an_opinion_says_so() -> None:
    outbox = Outbox(play_pb2.Hello())

    outbox.answer(1, 2, Action(), DecisionKind.MOON_CHOICE)

    assert taken(outbox)[0].answers[0].moon_choice == 3
