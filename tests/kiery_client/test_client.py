"""Settings that are refused before anything is dialled, and how a program ends."""

import os
import subprocess
import sys

import pytest
from tests.kiery_client.bots import First

import kiery_client
from kiery_client import Bot, BotError, Client, InputError, run


class Speechless(Bot):
    def play(self, observation):
        return observation.legal[0]


@pytest.mark.parametrize(
    "bot",
    [Speechless, Speechless(), object(), 7, Bot, Bot()],
    ids=["class", "instance", "object", "number", "Bot", "a Bot"],
)
def test_what_is_no_bot_is_refused(bot) -> None:
    with pytest.raises(BotError, match="is no bot: expected a method"):
        Client(bot, "127.0.0.1:1", "t")


def test_a_bot_need_not_be_a_subclass() -> None:
    class Own:
        def pass_cards(self, observation): ...
        def play(self, observation): ...

    Client(Own(), "127.0.0.1:1", "t")
    Client(Own, "127.0.0.1:1", "t")


@pytest.mark.parametrize("options", [{"max_tables": -1}, {"max_tables": 2001}, {"workers": 0}], ids=str)
def test_numbers_out_of_range_are_refused(options) -> None:
    with pytest.raises(InputError, match="expected"):
        Client(First(), "127.0.0.1:1", "t", **options)


def test_a_capacity_out_of_range_is_refused() -> None:
    with pytest.raises(InputError, match="expected 0 to 2000"):
        Client(First(), "127.0.0.1:1", "t").set_capacity(2001)


def test_a_wrong_setting_ends_the_program_with_one_line(capsys, monkeypatch) -> None:
    monkeypatch.delenv("KIERY_ADDRESS", raising=False)

    with pytest.raises(SystemExit) as caught:
        run(First())

    assert caught.value.code == 2
    assert capsys.readouterr().err == (
        "kiery: no server address: set KIERY_ADDRESS or pass address, such as 127.0.0.1:7400\n"
    )


def test_a_missing_server_ends_the_program_when_that_was_asked(capsys) -> None:
    with pytest.raises(SystemExit) as caught:
        run(First(), "127.0.0.1:1", "t", give_up_after=0)

    assert caught.value.code == 1
    assert capsys.readouterr().err.startswith("kiery: no server at 127.0.0.1:1")


def test_the_kit_offers_what_it_names() -> None:
    assert all(hasattr(kiery_client, name) for name in kiery_client.__all__)


def test_the_kit_loads_nothing_but_the_wire() -> None:
    code = "import sys, kiery_client; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ)
    ).stdout.split()

    assert not {"numpy", "pydantic", "rich", "sqlalchemy", "typer"} & set(loaded)


def test_a_launcher_may_bound_the_patience_of_its_bots(monkeypatch) -> None:
    monkeypatch.setenv("KIERY_GIVE_UP_S", "0.01")

    with pytest.raises(SystemExit) as caught:
        run(First(), "127.0.0.1:1", "t")

    assert caught.value.code == 1


@pytest.mark.parametrize("text", ["soon", "0", "-3", "nan"])
def test_a_patience_that_is_no_time_is_refused(text, monkeypatch) -> None:
    monkeypatch.setenv("KIERY_GIVE_UP_S", text)

    with pytest.raises(InputError, match="expected seconds"):
        Client(First(), "127.0.0.1:1", "t")
