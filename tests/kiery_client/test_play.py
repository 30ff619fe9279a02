"""The ordinary course: greeting, ready, decisions, the end."""

from kiery_client import Bot, Client
from tests.kiery_client.scripted_server import announce, ask, deal, playing, scripted_server


class First(Bot):
    def pass_cards(self, observation):
        return observation.legal[: observation.choose_count]

    def play(self, observation):
        return observation.legal[0]


async def test_a_bot_greets_gets_ready_and_plays() -> None:
    async with scripted_server() as server, playing(Client(First(), server.address, "token-1")):
        stream = await server.accept()
        hello = await stream.greet()
        await stream.send(announce(7))
        ready = await stream.answer()
        await stream.send(deal(7, **ask("2C")))
        played = await stream.answer()

    assert stream.metadata["authorization"] == "Bearer token-1"
    assert (hello.min_revision, hello.max_revision, hello.bot) == (1, 1, "First")
    assert (ready.table, ready.decision, ready.cards, ready.decline) == (7, 1, b"", 0)
    assert (played.table, played.decision, played.cards) == (7, 2, b"\x01")
