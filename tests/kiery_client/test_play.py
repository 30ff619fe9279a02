"""The ordinary course: greeting, ready, decisions, events, the end; what is sent and what is not."""

import asyncio
import logging

import pytest
from tests.kiery_client.bots import Blocked, First, Listener
from tests.kiery_client.scripted_server import (
    HAND,
    announce,
    ask,
    deal,
    numbers,
    playing,
    scripted_server,
    started,
    update,
)

from kiery.cards import mask_of
from kiery.rules import preset
from kiery.terms import CloseCause, DeclineReason, MatchCause, RejectReason, SeatCause, TimeControl
from kiery.v1 import play_pb2, terms_pb2
from kiery.view import (
    CardsExchanged,
    DealScored,
    DealStarted,
    Decision,
    DecisionClosed,
    DecisionKind,
    Illegality,
    MatchEnded,
    News,
    Play,
    Rejection,
)
from kiery_client import Client, MoonChoice, TrickTaken, run_async

ENDED = MatchEnded(
    cause=MatchCause.COMPLETED,
    placements=(1, 2, 3, 4),
    scores=(0, 5, 10, 11),
    seat_causes=(SeatCause.COMPLETED,) * 4,
    digest=b"",
)


async def test_a_bot_gets_ready_and_plays() -> None:
    async with scripted_server() as server, playing(Client(First(), server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(7))
        ready = await stream.answer()
        await stream.send(deal(7, **ask("2C")))
        played = await stream.answer()

    assert (ready.table, ready.decision, ready.cards, ready.decline) == (7, 1, b"", 0)
    assert (played.table, played.decision, played.cards) == (7, 2, numbers("2C"))


async def test_many_tables_share_a_stream_and_a_message() -> None:
    async with scripted_server() as server, playing(Client(First(), server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(*[announce(table, match_id=f"m{table}") for table in range(1, 65)])
        ready = await stream.answers(64)
        await stream.send(*[deal(table, **ask("3D 8D")) for table in range(1, 65)])
        played = await stream.answers(64)

    assert sorted(answer.table for answer in ready) == list(range(1, 65))
    assert sorted((answer.table, answer.cards) for answer in played) == [
        (table, numbers("3D")) for table in range(1, 65)
    ]


async def test_two_seats_of_a_match_share_nothing() -> None:
    class Seat(First):
        def play(self, observation):
            return observation.legal[observation.seat]

    async with scripted_server() as server, playing(Client(Seat(), server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1, seat=0), announce(2, seat=3))
        await stream.answers(2)
        legal = "4C 5C 9C TD"
        await stream.send(deal(1, **ask(legal)), deal(2, **ask(legal)))
        cards = {answer.table: answer.cards for answer in await stream.answers(2)}

    assert cards == {1: numbers("4C"), 2: numbers("TD")}


async def test_a_pass_goes_into_the_view_when_it_is_accepted() -> None:
    seen = []

    class Passing(First):
        def play(self, observation):
            seen.append(observation)
            return observation.legal[0]

    exchanged = CardsExchanged(passed=mask_of(numbers("2C 4C 5C")), received=mask_of(numbers("AS AD AC")))
    async with scripted_server() as server, playing(Client(Passing(), server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        await stream.send(deal(1, pass_offset=1, **ask(HAND, kind=DecisionKind.PASS, count=3)))
        passed = await stream.answer()
        await stream.send(update(1, 1, news=News(pass_accepted=True)))
        await stream.send(update(1, 2, news=News(cards_exchanged=exchanged), **ask("9C", 3)))
        await stream.answer()

    assert passed.cards == numbers("2C 4C 5C")
    assert [str(card) for card in seen[0].passed] == ["2C", "4C", "5C"]
    assert len(seen[0].hand) == 13
    assert set(numbers("AS AD AC")) < set(seen[0].hand)


@pytest.mark.parametrize(
    ("choice", "sent"), [(None, 3), (MoonChoice.ADD, 1), (MoonChoice.SUBTRACT, 2)], ids=str
)
async def test_a_moon_is_chosen_or_left_to_the_rules(choice, sent) -> None:
    class Shooter(First):
        def choose_moon(self, observation):
            return choice

    async with scripted_server() as server, playing(Client(Shooter(), server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        moon = Decision(kind=DecisionKind.MOON_CHOICE)
        await stream.send(deal(1, decision_id=2, decision=moon, time_ms=2_000))
        answer = await stream.answer()

    assert (answer.decision, answer.moon_choice, answer.cards) == (2, sent, b"")


async def test_a_bot_without_an_opinion_takes_the_default_moon() -> None:
    async with scripted_server() as server, playing(Client(First(), server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        moon = Decision(kind=DecisionKind.MOON_CHOICE)
        await stream.send(deal(1, decision_id=2, decision=moon, time_ms=2_000))
        answer = await stream.answer()

    assert (answer.decision, answer.moon_choice) == (2, terms_pb2.MOON_CHOICE_DEFAULT)


async def test_a_bot_may_decline_a_match() -> None:
    class Purist(First):
        def ready(self, started):
            return None if started.rules.preset == "hearts" else DeclineReason.RULES

    async with scripted_server() as server, playing(Client(Purist(), server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1), announce(2, match_id="m2", rules=preset("omnibus", 4)))
        declines = {answer.table: answer.decline for answer in await stream.answers(2)}

    assert declines == {1: 0, 2: terms_pb2.DECLINE_REASON_RULES}


async def test_events_come_in_the_order_of_the_protocol_before_the_decision() -> None:
    bot = Listener()
    scored = DealScored(points=(0, 0, 13, 13), scores=(0, 0, 13, 13))
    async with scripted_server() as server, playing(Client(bot, server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        await stream.send(
            deal(1, 4, seats=b"\1\2\3", cards=numbers("3C 6C 7C"), **ask("2C 4C")),
        )
        await stream.answer()
        before = list(bot.events)
        plays = {"seats": b"\0\3", "cards": numbers("2C 8C"), "winners": b"\3"}
        await stream.send(update(1, 7, news=News(deal_scored=scored, match_ended=ENDED), **plays))
        await bot.until_heard(len(before) + 5)

    assert before == [
        started(),
        DealStarted(deal_number=1, dealer=0, hand=mask_of(numbers(HAND)), pass_offset=0, key_hash=b""),
        *[Play(seat, card) for seat, card in enumerate(numbers("3C 6C 7C"), 1)],
    ]
    assert bot.events[len(before) :] == [
        Play(0, numbers("2C")[0]),
        TrickTaken(seat=3),
        Play(3, numbers("8C")[0]),
        scored,
        ENDED,
    ]


async def test_a_class_makes_a_bot_for_each_seat_and_an_instance_serves_all() -> None:
    made = []

    class Own(First):
        def __init__(self):
            made.append(self)

    async with scripted_server() as server, playing(Client(Own, server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1), announce(2, seat=1))
        await stream.answers(2)
    assert len(made) == 2

    async with scripted_server() as server, playing(Client(Own(), server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1), announce(2, seat=1))
        await stream.answers(2)
    assert len(made) == 3


async def test_a_function_may_make_the_bots() -> None:
    async with scripted_server() as server, playing(Client(lambda: First(), server.address, "t")):  # noqa: PLW0108
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        await stream.send(deal(1, **ask("8D")))

        assert (await stream.answer()).cards == numbers("8D")


async def test_a_decision_that_was_closed_meanwhile_is_not_answered(caplog) -> None:
    bot = Blocked()
    async with scripted_server() as server, playing(Client(bot, server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        await stream.send(deal(1, **ask("2C")))
        await bot.until_asked()
        closed = News(closed=[DecisionClosed(decision_id=2, cause=CloseCause.TIMEOUT)])
        await stream.send(update(1, 2, news=closed, seats=b"\0", cards=numbers("2C")))
        await stream.send(update(1, 6, **ask("4C", 3)))
        bot.go.set()
        answer = await stream.answer()
        await stream.no_answer_before_pong()

    assert (answer.decision, answer.cards) == (3, numbers("4C"))
    assert "no answer in time (TIMEOUT), the substitute acted: decision 2 of match m1, seat 0" in caplog.text


async def test_a_decision_that_waits_and_is_closed_never_reaches_the_bot() -> None:
    bot = Blocked()
    async with scripted_server() as server, playing(Client(bot, server.address, "t", workers=1)):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1), announce(2, match_id="m2"))
        await stream.answers(2)
        await stream.send(deal(1, **ask("2C")))
        await bot.until_asked()
        await stream.send(deal(2, **ask("4C")))
        closed = News(closed=[DecisionClosed(decision_id=2, cause=CloseCause.TIMEOUT)])
        await stream.send(update(2, 1, news=closed))
        await stream.no_answer_before_pong()
        bot.go.set()
        answer = await stream.answer()
        await stream.no_answer_before_pong()

    assert answer.table == 1
    assert bot.asked == ["2C"]


async def test_a_decision_told_twice_is_answered_once() -> None:
    bot = Blocked()
    async with scripted_server() as server, playing(Client(bot, server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        await stream.send(deal(1, **ask("2C")))
        await bot.until_asked()
        await stream.send(update(1, 1, **ask("2C")))
        bot.go.set()
        await stream.answer()
        await stream.no_answer_before_pong()

    assert bot.asked == ["2C"]


async def test_a_rejected_answer_is_followed_by_the_next_id(caplog) -> None:
    class Stubborn(First):
        def play(self, observation):
            return observation.hand[-1]

    rejection = Rejection(
        decision_id=2,
        illegality=Illegality(reason=RejectReason.ILLEGAL_CARD, message="AH may not be played now"),
        retries_left=2,
        fault=False,
    )
    async with scripted_server() as server, playing(Client(Stubborn(), server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        await stream.send(deal(1, **ask("2C")))
        first = await stream.answer()
        await stream.send(update(1, 1, news=News(rejections=[rejection]), **ask("2C", 3)))
        second = await stream.answer()

    assert [(one.decision, one.cards) for one in (first, second)] == [(2, numbers("AH")), (3, numbers("AH"))]
    assert (
        "play returned an illegal answer: AH may not be played now: expected one of 2C (match m1, seat 0)"
        in caplog.text
    )
    assert "answer rejected (ILLEGAL_CARD, 2 retries left): AH may not be played now" in caplog.text


async def test_unknown_tables_notices_and_dials_are_taken_calmly(caplog) -> None:
    caplog.set_level(logging.INFO)
    notice = play_pb2.Notice(reason=1, message="that was odd", strikes_left=2)
    async with scripted_server() as server, playing(Client(First(), server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(update(99, 3, **ask("2C")), notices=[notice])
        await stream.send(dial=play_pb2.Dial(endpoint="elsewhere:1", ticket="secret-ticket"))
        await stream.no_answer_before_pong()

    assert "unknown table 99" in caplog.text
    assert "that was odd (2 strikes left)" in caplog.text
    assert "asked to dial elsewhere:1" in caplog.text
    assert "secret-ticket" not in caplog.text


async def test_a_table_that_cannot_be_followed_leaves_the_others_alone(caplog) -> None:
    strange = announce(2, match_id="m2")
    strange.news.match_started.rules.moon = 99
    async with scripted_server() as server, playing(Client(First(), server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1), strange)
        ready = {answer.table: answer.decline for answer in await stream.answers(2)}
        broken = update(1, 2, seats=b"\0", cards=b"\5")
        broken.cards = b"\x63"
        await stream.send(announce(3, match_id="m3"), broken)
        await stream.answer()
        await stream.send(update(1, 3, **ask("2C")), deal(2, **ask("2C")), deal(3, **ask("2C")))
        answer = await stream.answer()
        await stream.no_answer_before_pong()

    assert ready == {1: 0, 2: terms_pb2.DECLINE_REASON_RULES}
    assert answer.table == 3
    assert "cannot follow table 2 (m2)" in caplog.text
    assert "cannot follow table 1 (match m1, seat 0)" in caplog.text


async def test_leaving_says_goodbye_and_ends_the_run() -> None:
    async with scripted_server() as server:
        client = Client(First(), server.address, "t")
        async with playing(client) as run:
            stream = await server.accept()
            await stream.greet()
            client.leave(resign=True)
            request = await stream.request()
            await run

    assert request.leave.resign is True


async def test_a_task_that_is_cancelled_says_goodbye_first() -> None:
    async with scripted_server() as server, playing(Client(First(), server.address, "t")) as run:
        stream = await server.accept()
        await stream.greet()
        await stream.no_answer_before_pong()
        run.cancel()
        request = await stream.request()
        with pytest.raises(asyncio.CancelledError):
            await run

    assert request.HasField("leave")
    assert request.leave.resign is False


async def test_draining_takes_no_new_table_and_leaves_after_the_last() -> None:
    async with scripted_server() as server:
        client = Client(First(), server.address, "t")
        async with playing(client) as run:
            stream = await server.accept()
            await stream.greet()
            await stream.send(announce(1))
            await stream.answer()
            client.drain()
            capacity = await stream.request()
            await stream.no_answer_before_pong()
            await stream.send(update(1, 9, news=News(match_ended=ENDED)))
            farewell = await stream.request()
            await run

    assert capacity.HasField("capacity")
    assert capacity.capacity.max_tables == 0
    assert farewell.HasField("leave")


async def test_capacity_can_be_changed() -> None:
    async with scripted_server() as server:
        client = Client(First(), server.address, "t", max_tables=3)
        async with playing(client):
            stream = await server.accept()
            hello = await stream.greet()
            client.set_capacity(9)
            request = await stream.request()

    assert hello.max_tables == 3
    assert request.capacity.max_tables == 9


async def test_a_limit_of_zero_means_the_ceiling() -> None:
    order = []

    class Noting(Blocked):
        def play(self, observation):
            card = super().play(observation)
            order.append(str(card))
            return card

    bot = Noting()
    clocks = TimeControl(decision_ms=0, bank_ms=0, ceiling_ms=500_000)
    async with scripted_server() as server, playing(Client(bot, server.address, "t", workers=1)):
        stream = await server.accept()
        await stream.greet()
        await stream.send(
            announce(1), announce(2, match_id="m2", time_control=clocks), announce(3, match_id="m3")
        )
        await stream.answers(3)
        await stream.send(deal(1, **ask("2C")))
        await bot.until_asked()
        unlimited = ask("4C") | {"time_ms": 0, "bank_ms": 0}
        await stream.send(deal(2, **unlimited), deal(3, **ask("5C")))
        await stream.no_answer_before_pong()
        bot.go.set()
        await stream.answers(3)

    assert order == ["2C", "5C", "4C"]


async def test_a_bot_plays_inside_a_running_program() -> None:
    async with scripted_server() as server:
        playing_bot = asyncio.create_task(run_async(First(), server.address, "t"))
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        assert (await stream.answer()).decision == 1
        playing_bot.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing_bot
