"""Where and when a bot's methods run, and what becomes of what they raise."""

import asyncio
import logging
import os
import sys
import threading
import time

import pytest
from tests.kiery_client.bots import Blocked, First
from tests.kiery_client.scripted_server import (
    TIMEOUT_S,
    announce,
    ask,
    deal,
    numbers,
    playing,
    scripted_server,
    update,
)

from kiery.v1 import terms_pb2
from kiery.view import DecisionKind
from kiery_client import Client


async def test_a_slow_table_does_not_delay_another() -> None:
    bot = Blocked(stuck_on="2C")
    async with scripted_server() as server, playing(Client(bot, server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1), announce(2, match_id="m2"))
        await stream.answers(2)
        await stream.send(deal(1, **ask("2C")))
        await bot.until_asked()
        await stream.send(deal(2, **ask("8D")))
        quick = await stream.answer()
        bot.go.set()
        slow = await stream.answer()

    assert (quick.table, slow.table) == (2, 1)


async def test_the_nearest_deadline_is_thought_about_first() -> None:
    bot = Blocked(stuck_on="2C")
    async with scripted_server() as server, playing(Client(bot, server.address, "t", workers=1)):
        stream = await server.accept()
        await stream.greet()
        await stream.send(*[announce(table, match_id=f"m{table}") for table in range(1, 5)])
        await stream.answers(4)
        await stream.send(deal(1, **ask("2C")))
        await bot.until_asked()
        limits = {2: ("5C", 5_000), 3: ("4C", 1_000), 4: ("9C", 3_000)}
        await stream.send(
            *[deal(table, **ask(card) | {"time_ms": limit}) for table, (card, limit) in limits.items()]
        )
        await stream.no_answer_before_pong()
        bot.go.set()
        tables = [answer.table for answer in await stream.answers(4)]

    assert bot.asked == ["2C", "4C", "9C", "5C"]
    assert tables == [1, 3, 4, 2]


async def test_a_table_has_one_decision_at_a_time() -> None:
    running = []
    most = []

    class Counting(First):
        def on_event(self, event):
            running.append(1)
            most.append(len(running))
            running.pop()

        play = First.play

    async with scripted_server() as server, playing(Client(Counting(), server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        await stream.send(
            deal(1, **ask("2C")), *[update(1, 2 + n, seats=b"\1", cards=b"\5") for n in range(20)]
        )
        await stream.answer()

    assert max(most) == 1


async def test_a_bot_that_is_quick_moves_onto_the_loop() -> None:
    threads = []

    class Where(First):
        def play(self, observation):
            threads.append(threading.current_thread())
            return observation.legal[0]

    async with scripted_server() as server, playing(Client(Where(), server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        await stream.send(deal(1))
        # 64 quick answers in a row are wanted; a busy machine may need some more.
        for decision_id in range(2, 3_000):
            await stream.send(update(1, 1, **ask("2C", decision_id)))
            await stream.answer()
            if threads[-1] is threading.main_thread():
                break

    assert threads[0] is not threading.main_thread()
    assert threads[-1] is threading.main_thread()
    assert len(threads) > 64


class Async(First):
    def __init__(self):
        self.go = asyncio.Event()
        self.events = []
        self.plain_thread = None

    async def on_event(self, event):
        await asyncio.sleep(0)
        self.events.append(event)

    def pass_cards(self, observation):
        self.plain_thread = threading.current_thread()
        return observation.legal[:3]

    async def play(self, observation):
        if str(observation.legal[0]) == "2C":
            await self.go.wait()
        return observation.legal[0]


async def test_async_methods_run_on_the_loop_side_by_side() -> None:
    bot = Async()
    async with scripted_server() as server, playing(Client(bot, server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1), announce(2, match_id="m2"))
        await stream.answers(2)
        await stream.send(deal(1, **ask("2C")), deal(2, **ask("8D")))
        quick = await stream.answer()
        bot.go.set()
        slow = await stream.answer()
        hand = ask("2C 3C 4C 5C", 3, DecisionKind.PASS, 3)
        await stream.send(update(1, 1, **hand))
        passed = await stream.answer()

    assert (quick.table, slow.table) == (2, 1)
    assert passed.cards == numbers("2C 3C 4C")
    assert len(bot.events) == 4
    assert bot.plain_thread is not threading.main_thread()


async def test_a_bot_that_raises_answers_wrongly_at_once_and_says_where(caplog) -> None:
    class Broken(First):
        def play(self, observation):
            raise ZeroDivisionError("my own fault")

        def pass_cards(self, observation):
            return 3

        def choose_moon(self, observation):
            return "add"

    async with scripted_server() as server, playing(Client(Broken(), server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        await stream.send(deal(1))
        for decision_id in range(2, 7):
            await stream.send(update(1, 1, **ask("2C", decision_id)))
            answer = await stream.answer()
            assert (answer.decision, answer.cards) == (decision_id, b"")
        await stream.send(update(1, 1, **ask("2C 3C 4C", 7, DecisionKind.PASS, 3)))
        assert (await stream.answer()).cards == b""
        await stream.send(update(1, 1, **ask("", 8, DecisionKind.MOON_CHOICE, 0)))
        moon = await stream.answer()

    assert (moon.decision, moon.moon_choice) == (8, terms_pb2.MOON_CHOICE_DEFAULT)
    assert caplog.text.count("Broken: play raised ZeroDivisionError (match m1, seat 0)") == 3
    assert caplog.text.count("Traceback") == 5
    assert caplog.text.count("Broken: play has raised ZeroDivisionError 3 times") == 1
    assert "choose_moon returned 'add': expected a MoonChoice" in caplog.text


@pytest.mark.parametrize("returned", ["2C", None, 300, -1, 2.5], ids=repr)
async def test_what_is_no_card_is_explained(returned, caplog) -> None:
    class Odd(First):
        def play(self, observation):
            return returned

    async with scripted_server() as server, playing(Client(Odd(), server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        await stream.send(deal(1, **ask("2C")))
        answer = await stream.answer()

    assert answer.cards == b""
    assert "Odd: play raised" in caplog.text


async def test_a_bot_that_cannot_be_made_or_get_ready_declines(caplog) -> None:
    class Stillborn(First):
        def __init__(self):
            raise OSError("no model file")

    class Unready(First):
        def ready(self, started):
            raise OSError("no model file")

    for bot, where in ((Stillborn, "the bot's constructor"), (Unready(), "ready")):
        async with scripted_server() as server, playing(Client(bot, server.address, "t")):
            stream = await server.accept()
            await stream.greet()
            await stream.send(announce(1))
            ready = await stream.answer()

        assert ready.decline == terms_pb2.DECLINE_REASON_OTHER
        assert f"{where} raised OSError" in caplog.text


async def test_an_error_in_an_event_does_not_cost_the_decision(caplog) -> None:
    class Deaf(First):
        def on_event(self, event):
            raise KeyError("what?")

    class AsyncDeaf(First):
        async def on_event(self, event):
            raise KeyError("what?")

    for bot in (Deaf(), AsyncDeaf()):
        async with scripted_server() as server, playing(Client(bot, server.address, "t")):
            stream = await server.accept()
            await stream.greet()
            await stream.send(announce(1))
            await stream.answer()
            await stream.send(deal(1, **ask("2C")))

            assert (await stream.answer()).cards == numbers("2C")
    assert "AsyncDeaf: on_event raised KeyError" in caplog.text


async def test_further_errors_are_told_to_who_debugs(caplog) -> None:
    class Broken(First):
        async def play(self, observation):
            raise ZeroDivisionError

    caplog.set_level(logging.DEBUG, "kiery_client")
    async with scripted_server() as server, playing(Client(Broken(), server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        await stream.send(deal(1))
        for decision_id in range(2, 7):
            await stream.send(update(1, 1, **ask("2C", decision_id)))
            await stream.answer()

    raised = [one for one in caplog.records if "play raised" in one.getMessage()]
    assert [one.levelno for one in raised] == [logging.ERROR] * 3 + [logging.DEBUG] * 2


async def test_thousands_of_cards_are_no_answer(caplog) -> None:
    class Generous(First):
        def pass_cards(self, observation):
            return observation.legal * 10_000

    async with scripted_server() as server, playing(Client(Generous(), server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        await stream.send(deal(1, **ask("2C 3D", 2, DecisionKind.PASS, 3)))
        answer = await stream.answer()

    assert answer.cards == b""
    assert "20000 cards" in caplog.text


async def test_a_thread_that_thinks_for_ever_does_not_keep_the_program() -> None:
    bot = Blocked()
    async with scripted_server() as server:
        async with playing(Client(bot, server.address, "t")) as run:
            stream = await server.accept()
            await stream.greet()
            await stream.send(announce(1))
            await stream.answer()
            await stream.send(deal(1, **ask("2C")))
            await bot.until_asked()
            run.cancel()
            await asyncio.wait({run}, timeout=TIMEOUT_S)
            assert run.done()
            left = [one for one in threading.enumerate() if one.name.startswith("kiery-bot")]
            assert [one.daemon for one in left] == [True]
        bot.go.set()


def spin(seconds):
    """Keeps the processor busy, as a bot that thinks does."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


class Spinning(First):
    """Quick, until it is told how long to think."""

    def __init__(self):
        self.seconds = 0.0
        self.threads = []

    def play(self, observation):
        self.threads.append(threading.current_thread() is threading.main_thread())
        spin(self.seconds)
        return observation.legal[0]


async def until_trusted(stream, bot):
    """Has a bot answer at table 1 until it runs on the loop; returns the next id of a decision."""
    await stream.send(deal(1))
    for decision_id in range(2, 3_000):
        await stream.send(update(1, 1, **ask("2C", decision_id)))
        await stream.answer()
        if bot.threads[-1]:
            return decision_id + 1
    pytest.fail("the bot was never trusted")


async def test_a_bot_that_turns_slow_leaves_the_loop_with_what_still_waits() -> None:
    bot = Spinning()
    async with scripted_server() as server, playing(Client(bot, server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1), *[announce(table, match_id=f"m{table}") for table in (2, 3, 4)])
        await stream.answers(4)
        next_id = await until_trusted(stream, bot)
        bot.threads.clear()
        bot.seconds = 0.006
        await stream.send(
            update(1, 1, **ask("2C", next_id)), *[deal(table, **ask("2C")) for table in (2, 3, 4)]
        )
        tables = {answer.table for answer in await stream.answers(4)}

    assert tables == {1, 2, 3, 4}
    assert bot.threads == [True, False, False, False]


async def test_answers_are_written_between_decisions_that_add_up() -> None:
    bot = Spinning()
    async with scripted_server() as server, playing(Client(bot, server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1), *[announce(table, match_id=f"m{table}") for table in (2, 3, 4)])
        await stream.answers(4)
        await until_trusted(stream, bot)
        bot.seconds = 0.0025
        await stream.send(*[deal(table, **ask("2C")) for table in (2, 3, 4)])
        first = await stream.request()
        rest = await stream.answers(2)

    # One slice of 2 ms holds one of them.
    assert len(first.answers) == 1
    assert len(rest) == 2


@pytest.mark.parametrize("method", ["def", "async def"])
async def test_a_bot_that_ends_its_program_says_goodbye(method) -> None:
    code = f"""
import sys
from kiery_client import Bot, run
class Quitter(Bot):
    def pass_cards(self, observation): ...
    {method} play(self, observation): sys.exit(3)
run(Quitter())
"""
    async with scripted_server() as server:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            code,
            env=dict(os.environ) | {"KIERY_ADDRESS": server.address, "KIERY_TOKEN": "t"},
        )
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        await stream.send(deal(1, **ask("2C")))
        farewell = await stream.request()
        async with asyncio.timeout(TIMEOUT_S):
            status = await process.wait()

    assert farewell.HasField("leave")
    assert status == 3


async def test_a_plain_method_beside_async_ones_may_raise(caplog) -> None:
    class Mixed(First):
        async def on_event(self, event): ...

        def play(self, observation):
            raise ZeroDivisionError

    async with scripted_server() as server, playing(Client(Mixed(), server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        await stream.send(deal(1, **ask("2C")))
        answer = await stream.answer()

    assert (answer.decision, answer.cards) == (2, b"")
    assert "Mixed: play raised ZeroDivisionError" in caplog.text
