"""Signs of life, both ways."""

from tests.kiery_client.bots import Blocked, First
from tests.kiery_client.scripted_server import announce, ask, deal, playing, scripted_server

from kiery.v1 import play_pb2
from kiery_client import Client


async def test_a_ping_is_echoed_while_the_bot_thinks() -> None:
    bot = Blocked()
    async with scripted_server() as server, playing(Client(bot, server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        await stream.send(deal(1, **ask("2C")))
        await bot.until_asked()
        await stream.send(heartbeat=play_pb2.Heartbeat(ping=41))
        request = await stream.request()
        bot.go.set()
        await stream.answer()

    assert request.heartbeat == play_pb2.Heartbeat(pong=41)


async def test_a_silent_bot_pings() -> None:
    async with scripted_server() as server, playing(Client(First(), server.address, "t")):
        stream = await server.accept()
        await stream.greet(lobby_heartbeat_ms=50)
        first = await stream.request()
        await stream.send(heartbeat=play_pb2.Heartbeat(pong=first.heartbeat.ping))
        second = await stream.request()

    assert (first.heartbeat.ping, second.heartbeat.ping) == (1, 2)


async def test_a_silent_server_is_given_up_and_dialled_again(caplog) -> None:
    async with scripted_server() as server, playing(Client(First(), server.address, "t")):
        silent = await server.accept()
        await silent.greet(lobby_heartbeat_ms=50)
        again = await server.accept()
        hello = await again.greet()

    assert hello.resume_secret == b"secret"
    assert "the server was silent for" in caplog.text
