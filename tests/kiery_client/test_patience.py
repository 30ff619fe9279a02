"""How long a bot waits for a server that is gone: for ever, or as its launcher wants it."""

import pytest

from kiery.errors import InputError
from kiery_bots.builtin import Low
from kiery_client import Client, GaveUpError

NOBODY = "127.0.0.1:1"


def test_nobody_who_asks_for_nothing_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIERY_GIVE_UP_S", raising=False)

    assert Client(Low(), NOBODY, "token")._give_up_after is None


async def test_launcher_says_by_the_environment_when_to_give_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIERY_GIVE_UP_S", "0.05")

    with pytest.raises(GaveUpError, match=r"no server at 127\.0\.0\.1:1 for 0\.05 s"):
        await Client(Low(), NOBODY, "token").run()


def test_argument_outranks_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIERY_GIVE_UP_S", "30")

    assert Client(Low(), NOBODY, "token", give_up_after=5.0)._give_up_after == 5.0


@pytest.mark.parametrize("text", ["soon", "0", "-1", "nan"])
def test_patience_that_is_no_number_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIERY_GIVE_UP_S", text)

    with pytest.raises(InputError, match="expected seconds, such as 30"):
        Client(Low(), NOBODY, "token")
