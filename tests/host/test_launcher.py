"""Bots' processes: started, heard, started again, given up, and ended with everything they started."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from kiery.host import Bot, Launched, Launcher, LaunchError
from kiery.host.session import Session

CONNECTED = object.__new__(Session)
"""Stands for a live stream; nothing looks into it."""


PARENT = """
import subprocess, time
print(subprocess.Popen(["sleep", "60"]{own}).pid, flush=True)
time.sleep(60)
"""
DEAF = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("deaf", flush=True)
time.sleep(60)
"""


@asynccontextmanager
async def launching(gone: list[Bot] | None = None) -> AsyncIterator[Launcher]:
    launcher = Launcher("127.0.0.1:7", ended=(gone if gone is not None else []).append)
    try:
        yield launcher
    finally:
        await launcher.stop()


async def start(launcher: Launcher, script: str, *, was_here: bool = False, name: str = "ala") -> Launched:
    bot = Bot(f"id-{name}", name)
    bot.was_here = was_here
    return await launcher.start(bot, [sys.executable, "-Sc", script], "secret-token")


async def settled(launcher: Launcher) -> None:
    """Waits until no process is watched any longer."""
    async with asyncio.timeout(10):
        while launcher._watchers:
            await asyncio.wait(launcher._watchers)


async def heard(launched: Launched) -> None:
    """Waits until a process has printed something."""
    async with asyncio.timeout(10):
        while not launched.printed:  # noqa: ASYNC110  (a process tells nobody but by its pipe)
            await asyncio.sleep(0.01)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        # A process that nobody waits for any longer is still listed.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


async def test_process_finds_address_token_and_patience_in_its_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KIERY_CA", "/nowhere/ca.pem")
    async with launching() as launcher:
        names = ("KIERY_ADDRESS", "KIERY_TOKEN", "KIERY_GIVE_UP_S", "KIERY_CA")
        launched = await start(launcher, f"import os; print([os.environ.get(n) for n in {names}])")
        await settled(launcher)

    assert launched.printed == "['127.0.0.1:7', 'secret-token', '30', None]"


async def test_process_that_ends_without_ever_connecting_is_given_up_at_once() -> None:
    gone: list[Bot] = []
    async with launching(gone) as launcher:
        launched = await start(launcher, "print('no weights')")
        await settled(launcher)

        with pytest.raises(LaunchError, match=r"bot ala: .* ended with status 0 .*printed: no weights"):
            launcher.check_alive()

    assert gone == [launched.bot]
    assert launched.restarts_left == 3


async def test_process_that_dies_after_connecting_is_started_again_three_times() -> None:
    gone: list[Bot] = []
    async with launching(gone) as launcher:
        launched = await start(launcher, "print('again')", was_here=True)
        await settled(launcher)

        launcher.check_alive()

    assert gone == [launched.bot]
    assert list(launched.lines) == ["again"] * 4


async def test_stop_ends_the_children_of_a_process_too() -> None:
    async with launching() as launcher:
        launched = await start(launcher, PARENT.format(own=""))
        await heard(launched)
        child = int(launched.printed)
        assert is_running(child)

    assert not is_running(child)


async def test_stop_does_not_wait_for_a_child_that_got_away_with_the_output() -> None:
    async with asyncio.timeout(8), launching() as launcher:
        launched = await start(launcher, PARENT.format(own=", start_new_session=True"))
        await heard(launched)

    child = int(launched.printed)
    assert launched.process is not None
    assert launched.process.returncode is not None
    os.kill(child, 9)


async def test_process_that_ignores_the_request_to_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kiery.host.launcher._STOP_S", 0.2)
    async with launching() as launcher:
        launched = await start(launcher, DEAF)
        await heard(launched)

    assert launched.process is not None
    assert launched.process.returncode == -9


async def test_restart_gives_new_processes_and_keeps_what_the_old_ones_printed() -> None:
    async with launching() as launcher:
        before = await start(
            launcher, "import time; print('here', flush=True); time.sleep(60)", was_here=True
        )
        await heard(before)

        await launcher.restart_all()

        (after,) = launcher.launched
        assert before.process is not None
        assert after.process is not None
        assert after.process.pid != before.process.pid
        assert before.process.returncode is not None
        assert after.bot is before.bot
        assert not after.bot.was_here
        assert "here" in after.printed
        assert after.token == before.token


async def test_restart_leaves_out_a_bot_that_is_gone_for_good() -> None:
    async with launching() as launcher:
        dead = await start(launcher, "pass", name="dead")
        dead.bot.gone = True
        await start(launcher, "import time; time.sleep(60)", name="live")
        await asyncio.wait({watcher for watcher in launcher._watchers if watcher.get_name() == "bot dead"})

        await launcher.restart_all()

        assert [launched.bot.name for launched in launcher.launched] == ["live"]


async def test_process_that_stays_away_is_ended_as_if_it_had_died() -> None:
    gone: list[Bot] = []
    async with launching(gone) as launcher:
        launched = await start(launcher, "import time; time.sleep(60)", was_here=True)
        launched.restarts_left = 0

        launcher.end_absent(100.0, 30.0)
        launcher.end_absent(129.0, 30.0)
        assert launched.process is not None
        assert launched.process.returncode is None
        launcher.end_absent(131.0, 30.0)
        await settled(launcher)

    assert launched.process.returncode == -9
    assert gone == [launched.bot]


async def test_process_that_comes_back_in_time_is_left_alone() -> None:
    async with launching() as launcher:
        launched = await start(launcher, "import time; time.sleep(60)", was_here=True)

        launcher.end_absent(100.0, 30.0)
        launched.bot.session = CONNECTED
        launcher.end_absent(120.0, 30.0)
        launched.bot.session = None
        launcher.end_absent(131.0, 30.0)

        assert launched.away_since == 131.0
        assert launched.process is not None
        assert launched.process.returncode is None


async def test_output_is_kept_within_bounds_and_without_what_a_terminal_obeys() -> None:
    launched = Launched(Bot("id", "ala"), ["x"], "t")

    for number in range(100):
        launched.hear(f"line {number} \x1b[2J".encode() + b"x" * 1000 + b"\n")
    launched.hear(b"half a line" + b"y" * 10_000)

    assert len(launched.lines) == 40
    assert max(map(len, launched.lines)) == 400
    assert "\x1b" not in launched.printed
    assert launched.printed.startswith("line 95  [2Jxx")
    assert launched.printed.split(" | ")[-1].startswith("half a lineyy")
