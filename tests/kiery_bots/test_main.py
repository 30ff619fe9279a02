"""`python -m kiery_bots NAME` as a process of its own."""

import asyncio
import os
import signal
import sys
from contextlib import asynccontextmanager

import pytest
from tests.kiery_client.scripted_server import TIMEOUT_S, announce, ask, deal, numbers, scripted_server


@asynccontextmanager
async def launched(*arguments, **environment):
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "kiery_bots",
        *arguments,
        env=dict(os.environ) | environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        async with asyncio.timeout(TIMEOUT_S):
            await process.communicate()


async def test_a_launched_bot_finds_the_server_in_its_environment_and_leaves_on_ctrl_c() -> None:
    async with (
        scripted_server() as server,
        launched("cautious", KIERY_ADDRESS=server.address, KIERY_TOKEN="launched") as process,
    ):
        stream = await server.accept()
        hello = await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        await stream.send(deal(1, **ask("2C")))
        answer = await stream.answer()
        process.send_signal(signal.SIGINT)
        farewell = await stream.request()
        async with asyncio.timeout(TIMEOUT_S):
            _, errors = await process.communicate()

    assert stream.metadata["authorization"] == "Bearer launched"
    assert (hello.bot, hello.version) == ("cautious", "1")
    assert answer.cards == numbers("2C")
    assert farewell.HasField("leave")
    assert (process.returncode, errors) == (0, b"")


async def test_a_person_who_ends_the_input_leaves() -> None:
    async with (
        scripted_server() as server,
        launched("human", "--address", server.address, KIERY_TOKEN="t") as process,
    ):
        stream = await server.accept()
        hello = await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        await stream.send(deal(1, **ask("2C 4C")))
        process.stdin.write(b"4c\n")
        answer = await stream.answer()
        await stream.send(deal(1, **ask("2C", 3)))
        process.stdin.close()
        farewell = await stream.request()
        async with asyncio.timeout(TIMEOUT_S):
            output = await process.stdout.read()
            await process.wait()

    assert hello.max_tables == 1
    assert answer.cards == numbers("4C")
    assert b"Play one of 2C 4C" in output
    assert farewell.HasField("leave")
    assert process.returncode == 0


async def test_a_person_who_thinks_can_stop_with_ctrl_c() -> None:
    async with (
        scripted_server() as server,
        launched("human", "--address", server.address, KIERY_TOKEN="t") as process,
    ):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        await stream.send(deal(1, **ask("2C 4C")))
        async with asyncio.timeout(TIMEOUT_S):
            await process.stdout.readuntil(b"Play one of")
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(TIMEOUT_S):
            _, errors = await process.communicate()

    assert (process.returncode, errors) == (0, b"")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [(("random",), b"kiery: no server address"), (("nobody",), b"invalid choice: 'nobody'")],
)
async def test_wrong_usage_ends_with_status_2_and_says_why(arguments, complaint) -> None:
    async with launched(*arguments, KIERY_ADDRESS="") as process:
        _, errors = await process.communicate()

    assert process.returncode == 2
    assert complaint in errors
