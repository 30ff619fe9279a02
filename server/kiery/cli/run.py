"""`kiery run` and `kiery match`: server, bots, tournament and verification in one process."""

import asyncio
import shlex
import shutil
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kiery.access import TokenBook
from kiery.cli.bots import now_ms
from kiery.cli.console import console, note, print_json, say
from kiery.cli.leaderboard import leak_table, standings_as_json, standings_table
from kiery.cli.live import LiveView
from kiery.cli.logs import set_up_logging
from kiery.cli.node import Listen, Node
from kiery.cli.options import CONNECT_S
from kiery.cli.results.account import take_account
from kiery.cli.verify import verify_all
from kiery.cli.wishes import Wishes, named_bots, read_secret, seats_for
from kiery.host import Clock, Plan, Scoreboard, enter, new_event_loop
from kiery.store import DEFAULT_URL, Store
from kiery.tournament import Sharing

__all__ = ["Wishes", "named_bots", "play_here", "run_tournament", "seats_for"]

_INTERRUPTED: Final = 130
_NAME: Final = "kiery"
_LEGEND: Final = (
    "net/deal: points fewer than the table's mean, opponents accounted for; more is better."
    " In brackets: the places that the intervals leave open."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    tables: int
    listen: Listen
    connect_s: float
    quiet: bool


def run_tournament(
    wishes: Wishes,
    *,
    seed_file: Path | None,
    store_url: str | None,
    tables: int,
    listen: Listen,
    connect_s: float = CONNECT_S,
    as_json: bool,
) -> None:
    """Plays what is wished for, verifies every record, and prints the standings.

    Raises:
        InputError: Something that was given cannot be used.
        LaunchError: A bot cannot be started or never connects.
        SystemExit: Status 1 if a record does not verify, 130 if it was interrupted.
    """
    set_up_logging()
    spec = wishes.spec()
    secret = read_secret(seed_file)
    url = store_url or DEFAULT_URL
    with Store.open(url) as store:
        # Nobody dials in to steer this server, so the organiser's token is not shown.
        book, _ = TokenBook.of_store(store, now_ms=now_ms())
        plan = enter(store, spec, secret, now_ms())
        scoreboard = Scoreboard(plan)
        if not as_json:
            _introduce(plan, url)
        try:
            settings = _Settings(tables=tables, listen=listen, connect_s=connect_s, quiet=as_json)
            printed = play_here(store, book, plan, scoreboard, settings)
        except asyncio.CancelledError:
            done = f"{scoreboard.fixtures} of {plan.length} matches"
            note(f"kiery: stopped after {done}, all of them kept; the same command goes on")
            raise SystemExit(_INTERRUPTED) from None
        _conclude(store, plan, scoreboard, url, printed, as_json=as_json)


def _introduce(plan: Plan, url: str) -> None:
    spec, schedule = plan.spec, plan.schedule
    per_bot = f", {schedule.deals_per_bot} deals a bot" if schedule.deals_per_bot is not None else ""
    house = f" and {schedule.house_count} house bots" if schedule.house_count else ""
    say(
        f"tournament {spec.name}: {spec.rules.preset} for {spec.rules.players},"
        f" {len(spec.entrants)} entrants{house}"
    )
    sets = f" in {schedule.set_count} sets" if plan.complete else ""
    say(f"{plan.length} matches{sets}{per_bot}; kept in {url}")
    say(f"commitment to the boards: {plan.derivation.commitment.hex()}")


def play_here(
    store: Store, book: TokenBook, plan: Plan, scoreboard: Scoreboard, settings: _Settings
) -> Mapping[str, str]:
    """Plays what is left of a tournament in an event loop of its own.

    Returns:
        The last lines that each launched bot printed, by entrant.

    Raises:
        CancelledError: It was interrupted; what was kept is kept.
    """
    loop, clock = new_event_loop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        try:
            return runner.run(_play(store, book, plan, scoreboard, clock, settings))
        except KeyboardInterrupt:
            raise asyncio.CancelledError from None


async def _play(
    store: Store, book: TokenBook, plan: Plan, scoreboard: Scoreboard, clock: Clock, settings: _Settings
) -> Mapping[str, str]:
    task = asyncio.current_task()
    if task is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with Node.running(store, book, clock, settings.listen) as node:
        contest = node.contest(plan, scoreboard, settings.tables, settings.connect_s)
        async with LiveView(node, contest, scoreboard, quiet=settings.quiet):
            await contest.play()
        return {launched.bot.name: launched.printed for launched in node.launcher.launched}


def _conclude(
    store: Store, plan: Plan, scoreboard: Scoreboard, url: str, printed: Mapping[str, str], *, as_json: bool
) -> None:
    name = plan.spec.name
    found = verify_all(store, [name])
    standings = scoreboard.standings()
    leak = take_account(store, plan).leak if plan.spec.sharing is Sharing.LAPS else None
    if as_json:
        print_json(
            {
                "tournament": name,
                "store": url,
                "fixtures": scoreboard.fixtures,
                "faults": dict(scoreboard.faults),
                "rejections": dict(scoreboard.rejections),
                "verified": found.verified,
                "findings": found.findings,
                **standings_as_json(standings),
                **({} if plan.planner is None else plan.planner.facts),
            }
        )
    else:
        console().print(standings_table(standings, f"{name}: final standings"))
        say(_LEGEND)
        if leak is not None:
            console().print(leak_table([bot.name for bot in plan.spec.entrants], leak.rows()))
        for line in plan.report:
            say(line)
        _tell_troubles(scoreboard, printed)
        for finding in found.findings:
            say(f"{finding['name']}: {finding['message']}")
        say(
            f"{found.verified} of {scoreboard.fixtures} records verified,"
            f" {found.deals_derived} deals dealt again from the secret"
        )
        _hints(name, url)
    if found.status:
        raise SystemExit(found.status)


def _tell_troubles(scoreboard: Scoreboard, printed: Mapping[str, str]) -> None:
    for cause, count in sorted(scoreboard.seat_ends.items()):
        say(f"{count} seats ended with {cause.name.lower()}")
    for entrant in scoreboard.plan.spec.entrants:
        faults, rejections = scoreboard.faults[entrant.name], scoreboard.rejections[entrant.name]
        if faults or rejections:
            say(f"{entrant.name}: {faults} faults, {rejections} rejected answers")
            if printed.get(entrant.name):
                say(f"{entrant.name} printed: {printed[entrant.name]}")


def _hints(name: str, url: str) -> None:
    store = "" if url == DEFAULT_URL else f" --store {shlex.quote(url)}"
    kiery = shlex.quote(_program())
    say("look further:")
    say(f"  {kiery} tournament standings {name}{store}")
    say(f"  {kiery} tournament export {name} --format html{store}")
    say(f"  {kiery} replay show {name}/0{store}")
    say(f"  {kiery} replay verify {name}{store}")
    say(f"  {kiery} replay export {name} --format transcript --out {name}.jsonl{store}")


def _program() -> str:
    """Returns what to type for this program: `kiery`, or its path where the shell does not find it."""
    called = Path(sys.argv[0])
    found = shutil.which(_NAME)
    if called.name != _NAME or (found is not None and called.exists() and called.samefile(found)):
        return _NAME
    return str(called)
