"""Lost streams: what is sent again, what goes on, what is forgotten."""

import grpc
from tests.kiery_client.bots import Blocked, First, Listener
from tests.kiery_client.scripted_server import (
    announce,
    ask,
    deal,
    numbers,
    playing,
    scripted_server,
    started,
    update,
)
from tests.kiery_client.test_play import ENDED

from kiery.cards import mask_of
from kiery.rules import preset
from kiery.v1 import play_pb2
from kiery.view import News, Observation, Phase, Play
from kiery_client import Client


def positions(hello):
    return sorted((one.match_id, one.seat, one.sequence) for one in hello.positions)


def snapshot(cards: str, hand: str = "2C") -> Observation:
    played = numbers(cards)
    return Observation(
        rules=preset("hearts", 4),
        seat=0,
        deal_number=2,
        phase=Phase.PLAYING,
        dealer=1,
        pass_offset=0,
        hand_mask=mask_of(numbers(hand)),
        seats=bytes(range(1, 1 + len(played))),
        cards=played,
        trick_size=len(played),
        leader=1,
        points=(0, 0, 0, 0),
        scores=(1, 2, 3, 20),
    )


async def test_a_lost_stream_is_resumed_where_it_ended() -> None:
    bot = Listener()
    async with scripted_server() as server, playing(Client(bot, server.address, "t")):
        first = await server.accept()
        await first.greet()
        await first.send(announce(1), announce(2, match_id="m2", seat=3))
        await first.answers(2)
        await first.send(deal(1, 4, seats=b"\1\2\3", cards=numbers("3C 6C 7C")))
        await first.no_answer_before_pong()
        first.end(grpc.StatusCode.UNAVAILABLE)

        second = await server.accept()
        hello = await second.greet(resumed_tables=2)
        # Handles of the old stream mean nothing here: 1 is the other seat now.
        again = update(
            8, 5, news=News(match_started=started(after=4)), seats=b"\0", cards=numbers("2C"), **ask("4C", 5)
        )
        await second.send(again, update(1, news=News(match_started=started("m2", 3))))
        answer = await second.answer()
        await bot.until_heard(6)

    assert hello.resume_secret == b"secret"
    assert positions(hello) == [("m1", 0, 4), ("m2", 3, 0)]
    assert (answer.table, answer.decision, answer.cards) == (8, 5, numbers("4C"))
    assert [event for event in bot.events if isinstance(event, Play)][3:] == [Play(0, numbers("2C")[0])]
    assert len([event for event in bot.events if type(event) is type(started())]) == 2


async def test_an_answer_that_went_down_with_the_stream_is_sent_again_without_thinking() -> None:
    bot = Blocked(stuck_on="none")
    async with scripted_server() as server, playing(Client(bot, server.address, "t")):
        first = await server.accept()
        await first.greet()
        await first.send(announce(1))
        await first.answer()
        await first.send(deal(1, **ask("2C")))
        await first.answer()
        first.end(grpc.StatusCode.UNAVAILABLE)
        second = await server.accept()
        await second.greet(resumed_tables=1)
        await second.send(update(5, 1, news=News(match_started=started(after=1)), **ask("2C")))
        answer = await second.answer()

    assert (answer.table, answer.decision, answer.cards) == (5, 2, numbers("2C"))
    assert bot.asked == ["2C"]


async def test_a_decision_outlives_the_stream_that_asked_it() -> None:
    bot = Blocked()
    async with scripted_server() as server, playing(Client(bot, server.address, "t")):
        first = await server.accept()
        await first.greet()
        await first.send(announce(1))
        await first.answer()
        await first.send(deal(1, **ask("2C")))
        await bot.until_asked()
        first.end(grpc.StatusCode.UNAVAILABLE)
        second = await server.accept()
        await second.greet(resumed_tables=1)
        await second.send(update(5, 1, news=News(match_started=started(after=1)), **ask("2C")))
        await second.no_answer_before_pong()
        bot.go.set()
        answer = await second.answer()
        await second.no_answer_before_pong()

    assert (answer.table, answer.decision) == (5, 2)
    assert bot.asked == ["2C"]


async def test_an_answer_found_between_streams_waits_for_the_next() -> None:
    bot = Blocked()
    async with scripted_server() as server, playing(Client(bot, server.address, "t")):
        first = await server.accept()
        await first.greet()
        await first.send(announce(1))
        await first.answer()
        await first.send(deal(1, **ask("2C")))
        await bot.until_asked()
        first.end(grpc.StatusCode.UNAVAILABLE)
        second = await server.accept()
        await second.greet(resumed_tables=1)
        # The bot answers while its seat is not announced yet.
        bot.go.set()
        await second.no_answer_before_pong()
        await second.send(update(5, 1, news=News(match_started=started(after=1)), **ask("2C")))

        assert (await second.answer()).table == 5

    assert bot.asked == ["2C"]


async def test_a_match_that_ended_meanwhile_is_told_and_forgotten() -> None:
    bot = Listener()
    async with scripted_server() as server, playing(Client(bot, server.address, "t")):
        first = await server.accept()
        await first.greet()
        await first.send(announce(1), announce(2, match_id="m2"))
        await first.answers(2)
        first.end(grpc.StatusCode.UNAVAILABLE)
        second = await server.accept()
        await second.greet(resumed_tables=2)
        ended = update(3, 9, news=News(match_started=started(after=9), match_ended=ENDED))
        await second.send(ended, update(4, news=News(match_started=started("m2"))))
        await bot.until_heard(3)
        second.end(grpc.StatusCode.UNAVAILABLE)
        third = await server.accept()
        hello = await third.greet()

    assert ENDED in bot.events
    assert positions(hello) == [("m2", 0, 0)]


async def test_seats_that_are_not_announced_again_are_forgotten(caplog) -> None:
    async with scripted_server() as server, playing(Client(First(), server.address, "t")):
        first = await server.accept()
        await first.greet()
        await first.send(announce(1), announce(2, match_id="m2"), announce(3, match_id="m3"))
        await first.answers(3)
        first.end(grpc.StatusCode.UNAVAILABLE)
        second = await server.accept()
        await second.greet(resumed_tables=1)
        await second.send(update(4, news=News(match_started=started("m2"))))
        await second.no_answer_before_pong()
        second.end(grpc.StatusCode.UNAVAILABLE)
        third = await server.accept()
        third_hello = await third.greet(resumed_tables=0)
        await third.no_answer_before_pong()
        third.end(grpc.StatusCode.UNAVAILABLE)
        fourth = await server.accept()
        fourth_hello = await fourth.greet()

    assert positions(third_hello) == [("m2", 0, 0)]
    assert positions(fourth_hello) == []
    assert "the server has no seat for us any more (match m1, seat 0)" in caplog.text


async def test_skipped_history_is_replaced_by_the_snapshot() -> None:
    seen = []

    class Watching(Listener):
        def play(self, observation):
            seen.append(observation)
            return observation.legal[0]

    bot = Watching()
    async with scripted_server() as server, playing(Client(bot, server.address, "t")):
        first = await server.accept()
        await first.greet()
        await first.send(announce(1))
        await first.answer()
        await first.send(deal(1, 1))
        await first.no_answer_before_pong()
        first.end(grpc.StatusCode.UNAVAILABLE)
        second = await server.accept()
        await second.greet(resumed_tables=1)
        news = News(match_started=started(after=60))
        await second.send(update(2, 60, news=news, observation=snapshot("3C 6C 7C"), **ask("2C", 20)))
        await second.answer()
        await second.send(update(2, 61, seats=b"\0", cards=numbers("2C"), winners=b"\3"))
        await bot.until_heard(5)

    (observation,) = seen
    assert (observation.deal_number, observation.scores) == (2, (1, 2, 3, 20))
    assert [str(play.card) for play in observation.trick] == ["3C", "6C", "7C"]
    assert [type(event).__name__ for event in bot.events] == [
        "MatchStarted",
        "DealStarted",
        "Observation",
        "Play",
        "TrickTaken",
    ]


async def test_a_new_process_takes_over_from_a_snapshot() -> None:
    bot = Listener()
    async with scripted_server() as server, playing(Client(bot, server.address, "t")):
        stream = await server.accept()
        hello = await stream.greet(resumed_tables=1)
        news = News(match_started=started(after=60))
        await stream.send(update(2, 60, news=news, observation=snapshot("3C"), **ask("2C", 20)))
        answer = await stream.answer()

    assert hello.resume_secret == b""
    assert (answer.decision, answer.cards) == (20, numbers("2C"))
    assert [type(event).__name__ for event in bot.events] == ["MatchStarted", "Observation"]


async def test_a_server_that_goes_down_is_dialled_after_the_pause_it_asked_for(caplog) -> None:
    async with scripted_server() as server, playing(Client(First(), server.address, "t")):
        first = await server.accept()
        await first.greet()
        await first.send(announce(1))
        await first.answer()
        await first.send(shutdown=play_pb2.Shutdown(retry_after_ms=10, message="new version"))
        # Answers still count.
        await first.send(deal(1, **ask("2C")))
        assert (await first.answer()).decision == 2
        first.end(grpc.StatusCode.UNAVAILABLE, "SHUTDOWN")
        second = await server.accept()
        hello = await second.greet()

    assert positions(hello) == [("m1", 0, 1)]
    assert "the server goes down: new version" in caplog.text


async def test_capacity_is_told_again_on_a_new_stream() -> None:
    async with scripted_server() as server:
        client = Client(First(), server.address, "t")
        async with playing(client):
            first = await server.accept()
            await first.greet()
            client.set_capacity(0)
            await first.request()
            first.end(grpc.StatusCode.UNAVAILABLE)
            second = await server.accept()
            request = await second.request()

    assert request.HasField("hello")
    assert request.HasField("capacity")
    assert request.capacity.max_tables == 0
