"""Real processes: each part that a figure rests on does what the figure says it does."""

import pytest

from kiery.bench.rig import Kind, RigSpec, Settings, rigs_running
from kiery.bench.worker import Worker, WorkerError

pytestmark = pytest.mark.slow

SHORT = Settings(rounds=1, window_s=0.2, warm_s=0.05)


@pytest.mark.parametrize(
    "spec",
    [
        RigSpec(name="pingpong", kind=Kind.PINGPONG, tables=2),
        RigSpec(name="ring", kind=Kind.RING, tables=2),
        RigSpec(name="lockstep", kind=Kind.GAME, tables=2),
        RigSpec(name="multiplexed", kind=Kind.GAME, tables=8, shared=True),
    ],
    ids=lambda spec: spec.name,
)
def test_a_window_counts_play_on_both_sides(spec: RigSpec) -> None:
    with rigs_running([spec], SHORT) as (rig,):
        first, second = rig.window(), rig.window()

    for window in (first, second):
        # Both sides are asked one after the other, so they agree but for the moment between.
        assert window.asked == pytest.approx(window.decisions, rel=0.5)
        assert window.decisions > 50
        assert window.seconds > 0.2
        assert 0 < window.messages <= window.asked
        assert window.server_us > 0
        assert window.client_us > 0


def test_a_stopped_rig_costs_nothing() -> None:
    spec = RigSpec(name="lockstep", kind=Kind.GAME, tables=2)

    with rigs_running([spec, spec], SHORT) as (stopped, playing):
        stopped.resume()
        before = stopped.server.ask("mark")["decisions"]
        stopped.pause()
        playing.window()
        stopped.server.resume()
        after = stopped.server.ask("mark")["decisions"]

    # At most what was under way when it was stopped.
    assert after - before <= 2 * 8 + 200


def test_bots_of_the_kit_play_too() -> None:
    with rigs_running([RigSpec(name="kit", kind=Kind.GAME, tables=2, client="kit")], SHORT) as (rig,):
        window = rig.window()

    assert window.asked > 20
    assert window.client_us > 0


def test_a_timed_server_knows_how_long_tables_take() -> None:
    with rigs_running([RigSpec(name="timed", kind=Kind.GAME, tables=2, timed=True)], SHORT) as (rig,):
        window, waits = rig.timed_window()

    assert window.decisions > 20
    assert 0 < waits["p50"] <= waits["p99"] <= waits["max"] < 10_000


def test_a_whole_tournament_can_be_played() -> None:
    spec = RigSpec(name="contest", kind=Kind.GAME, tables=4, shared=True, contest_matches=10_000)

    with rigs_running([spec], SHORT) as (rig,):
        first, second = rig.window(), rig.window()

    assert second.finished > first.finished > 0


def test_a_crowd_waits_in_the_lobby() -> None:
    server, crowd = Worker("server", ["asyncio", "plain", "plain"]), Worker("crowd", ["asyncio"])
    try:
        port = server.hear()["port"]
        tokens = server.ask("tokens", count=20)["tokens"]
        dialled = crowd.ask("connect", port=port, tokens=tokens, at_a_time=5)

        assert dialled["seconds"] > 0
        assert server.ask("here") == {"bots": 20}
        found = crowd.ask("mark")
        assert (found["welcomed"], found["lost"]) == (20, 0)
    finally:
        crowd.end()
        server.end()


def test_a_process_that_ends_is_not_waited_for() -> None:
    unknown = Worker("crowd", ["no such loop"])
    try:
        with pytest.raises(WorkerError, match=r"(?s)crowd ended too early; its last words: .*uvloop"):
            unknown.hear()
    finally:
        unknown.end()


def test_a_process_that_fails_says_why() -> None:
    crowd = Worker("crowd", ["asyncio"])
    try:
        with pytest.raises(WorkerError, match=r"process crowd failed: ConnectionRefusedError"):
            crowd.ask("connect", port=1, tokens=["x"], at_a_time=1)
    finally:
        crowd.end()
