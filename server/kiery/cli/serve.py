"""`kiery serve`: the server that bots dial in to from elsewhere; plays every tournament of its store."""

import asyncio
import logging
import signal
from collections.abc import Sequence
from pathlib import Path

from kiery.access import TokenBook
from kiery.cli.bots import announce_first, now_ms
from kiery.cli.console import console, note, say
from kiery.cli.leaderboard import standings_table
from kiery.cli.live import LiveView
from kiery.cli.logs import set_up_logging
from kiery.cli.node import Listen, Node
from kiery.cli.wishes import read_spec
from kiery.host import Clock, Scoreboard, enter, new_event_loop
from kiery.store import DEFAULT_URL, Store
from kiery.tournament import TournamentSpec, spec_from_json

__all__ = ["serve_forever"]


def serve_forever(
    files: Sequence[Path],
    *,
    store_url: str | None,
    listen: Listen,
    tables: int,
    connect_s: float,
    once: bool,
) -> None:
    """Serves until it is told to stop by SIGINT or SIGTERM; with `once` until every tournament is complete.

    Raises:
        InputError: A file, the store or the address cannot be used.
    """
    set_up_logging()
    specs = [read_spec(path) for path in files]
    url = store_url or DEFAULT_URL
    with Store.open(url) as store:
        book, first = TokenBook.of_store(store, now_ms=now_ms())
        announce_first(first)
        for spec in specs:
            enter(store, spec, None, now_ms())
        loop, clock = new_event_loop()
        set_up_logging(logging.INFO)
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            try:
                runner.run(_serve(store, book, clock, listen, tables, connect_s, once=once))
            except (KeyboardInterrupt, asyncio.CancelledError):
                note("kiery: stopped; everything recorded is kept")


def _unfinished(store: Store) -> list[TournamentSpec]:
    return [spec_from_json(each.spec) for each in store.tournaments() if not each.status.is_over]


async def _serve(
    store: Store,
    book: TokenBook,
    clock: Clock,
    listen: Listen,
    tables: int,
    connect_s: float,
    *,
    once: bool,
) -> None:
    task = asyncio.current_task()
    if task is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with Node.running(store, book, clock, listen) as node:
        say(f"listening on {node.address}; bots connect with KIERY_ADDRESS={node.address} and a KIERY_TOKEN")
        # One after the other, in the order in which they were created.
        for spec in _unfinished(store):
            plan = enter(store, spec, None, now_ms())
            scoreboard = Scoreboard(plan)
            contest = node.contest(plan, scoreboard, tables, connect_s)
            say(f"tournament {spec.name}: {plan.length} matches, waiting for its bots")
            say(f"commitment to the boards: {plan.derivation.commitment.hex()}")
            async with LiveView(node, contest, scoreboard, quiet=False):
                await contest.play()
            await node.launcher.dismiss()
            console().print(standings_table(scoreboard.standings(), f"{spec.name}: final standings"))
            for line in plan.report:
                say(line)
        if once:
            return
        say("no tournament is waiting; add one with `kiery tournament create`, then start the server again")
        await asyncio.Event().wait()
