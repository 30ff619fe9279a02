"""A tournament within this process: the real server on a real port, bots that dial in as tasks."""

import asyncio
import contextlib
from collections.abc import Mapping
from pathlib import Path

from kiery.access import Role, TokenBook, UnknownTokenError
from kiery.cli.node import Listen, Node
from kiery.host import Clock, Scoreboard, enter, new_event_loop
from kiery.store import Store
from kiery.tournament import TournamentSpec, spec_from_values
from kiery_bots.builtin import BOTS
from kiery_client import run_async

SECRET = bytes(range(32))
NOW_MS = 1_780_000_000_000
BUILTIN = ("random", "low", "cautious")


def spec_of(names: str, **values: object) -> TournamentSpec:
    """Returns a spec of entrants that dial in from elsewhere, named by words."""
    entrants = [{"name": name} for name in names.split()]
    return spec_from_values({"name": "evening", "entrants": entrants, **values})


def play(
    spec: TournamentSpec,
    url: str,
    bots: Mapping[str, object] | None = None,
    *,
    secret: bytes = SECRET,
    tables: int = 64,
    limit_s: float = 20,
) -> Scoreboard:
    """Plays a tournament to its end and returns its scoreboard.

    Args:
        spec: Its entrants are remote.
        url: Of the store.
        bots: By entrant; whoever is not in it is played by the built-in bots in turn.
        secret: Of the boards.
        tables: Tables at a time, at most.
        limit_s: Fails the test after so many seconds.
    """
    loop, clock = new_event_loop()
    with Store.open(url) as store, asyncio.Runner(loop_factory=lambda: loop) as runner:
        book, _ = TokenBook.of_store(store, now_ms=NOW_MS)
        plan = enter(store, spec, secret, NOW_MS)
        board = Scoreboard(plan)
        runner.run(asyncio.wait_for(_play(store, book, clock, board, bots or {}, tables), limit_s))
    return board


async def _play(
    store: Store, book: TokenBook, clock: Clock, board: Scoreboard, bots: Mapping[str, object], tables: int
) -> None:
    async with Node.running(store, book, clock, Listen()) as node:
        playing = []
        for index, entrant in enumerate(board.plan.spec.entrants):
            with contextlib.suppress(UnknownTokenError):
                # Of an evening before.
                book.revoke(entrant.name, now_ms=NOW_MS)
            token = book.add(entrant.name, Role.BOT, now_ms=NOW_MS)
            bot = bots.get(entrant.name) or BOTS[BUILTIN[index % len(BUILTIN)]]("1")
            playing.append(asyncio.create_task(run_async(bot, node.address, token.secret)))
        try:
            await node.contest(board.plan, board, tables, 5.0).play()
        finally:
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)


def url_of(folder: Path) -> str:
    """Returns the address of a store in a folder."""
    return f"sqlite:///{folder / 'store.sqlite'}"
