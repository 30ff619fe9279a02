"""The bots in the kit's README are bots, and its tables name what exists."""

import re
from dataclasses import fields
from pathlib import Path

from tests.kiery_client.scripted_server import announce, ask, deal, numbers, playing, scripted_server

import kiery_client
from kiery_client import Client, Observation

README = (Path(__file__).parents[2] / "clients/python/README.md").read_text(encoding="utf-8")


def section(title):
    return README.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def cells(title):
    """Yields the names in the first column of the section's table."""
    for row in re.findall(r"^\| (`.*?) \|", section(title), re.MULTILINE):
        yield from re.findall(r"`(\w+)", row)


async def test_the_first_bot_is_whole_and_plays(monkeypatch) -> None:
    code = re.findall(r"```python\n(.*?)```", section("The first bot"), re.DOTALL)[0]
    assert len([line for line in code.splitlines() if line]) < 10
    given = []
    monkeypatch.setattr(kiery_client, "run", given.append)
    exec(compile(code, "mybot.py", "exec"), {"__name__": "__main__"})  # the README's own
    (bot,) = given

    async with scripted_server() as server, playing(Client(bot, server.address, "t")):
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        await stream.send(deal(1, **ask("3D 8D")))

        assert (await stream.answer()).cards == numbers("3D")


def test_the_observation_has_every_field_that_is_shown() -> None:
    names = set(cells("The observation"))

    assert names
    assert [name for name in names if not hasattr(Observation, name)] == []


def test_every_field_of_the_observation_is_shown() -> None:
    shown = section("The observation")

    assert [field.name for field in fields(Observation) if f"`{field.name}`" not in shown] == ["trick_size"]


def test_events_and_errors_can_be_imported_from_the_kit() -> None:
    names = [*cells("Events"), *cells("When something is wrong")]

    assert len(names) > 20
    assert [name for name in names if name not in kiery_client.__all__] == []
