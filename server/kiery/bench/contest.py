"""A whole tournament on the bench's server: schedule, director, scoreboard and store as in earnest."""

import asyncio
from typing import TYPE_CHECKING, Final

from kiery.bench.tables import PLAYERS
from kiery.host import Contest, Launcher, Scoreboard, enter
from kiery.tournament import spec_from_values

if TYPE_CHECKING:
    from kiery.bench.server import BenchServer

__all__ = ["play_contest"]

_CONNECT_S: Final = 60.0
_HOUR_MS: Final = 3_600_000


async def play_contest(server: "BenchServer", matches: int, max_tables: int) -> None:
    """Plays a tournament of one-deal matches between the bots `b0` to `b3`.

    Args:
        server: The server, whose bots are connected.
        matches: How many there are at least.
        max_tables: Tables at a time.
    """
    spec = spec_from_values(
        {
            "name": "bench",
            "entrants": [{"name": f"b{number}"} for number in range(PLAYERS)],
            "deals": 1,
            "deals_per_bot": matches,
            "time_control": {"decision_ms": _HOUR_MS, "ceiling_ms": 2 * _HOUR_MS, "ready_ms": _HOUR_MS},
        }
    )
    plan = enter(server.store, spec, bytes(32), 0)
    board = Scoreboard(plan)
    contest = Contest(
        plan,
        server.store,
        server.writer,
        server.lobby,
        server.clock,
        server.tokens,
        Launcher("", ended=server.lobby.give_up),
        seen=board.add,
        unseen=board.clear,
        max_tables=max_tables,
        connect_s=_CONNECT_S,
    )
    server.count_finished = lambda: board.fixtures
    await contest.play()
    # What comes after the last match is not measured; the bench ends the process.
    await asyncio.Event().wait()
