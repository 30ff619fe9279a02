"""One tournament on one server: what the store knows of it, its bots, its director, its progress.

What is played follows from the spec and the secret alone; what is left to play follows from the store.
"""

import asyncio
import secrets
import shlex
import sys
from collections.abc import Callable, Sequence
from typing import Final

from kiery.access import Role, TokenBook
from kiery.errors import InputError
from kiery.host.bot import Bot
from kiery.host.clock import Clock
from kiery.host.director import Director
from kiery.host.launcher import Launcher
from kiery.host.lobby import Lobby
from kiery.host.plan import Plan
from kiery.host.planning import planned_fixture, result_rows
from kiery.host.writer import Writer
from kiery.journal import InFlight
from kiery.record import MatchRecord
from kiery.store import AttemptKey, AttemptStatus, Store, TournamentStatus
from kiery.tournament import (
    Entrant,
    EntrantKind,
    Fixture,
    Sharing,
)

__all__ = ["Contest", "Seen", "command_of"]

_LOOK_S: Final = 0.05
_TEND_S: Final = 1.0

Seen = Callable[[Fixture, MatchRecord], None]
"""Is told every valid record, those kept before included, in any order."""


class Contest:
    """Plays one tournament to its end, or as far as it gets."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        writer: Writer,
        lobby: Lobby,
        clock: Clock,
        tokens: TokenBook,
        launcher: Launcher,
        *,
        seen: Seen,
        unseen: Callable[[], None],
        max_tables: int,
        connect_s: float,
        in_flight: Sequence[InFlight] = (),
    ) -> None:
        """Prepares to play what is left.

        Args:
            plan: The tournament, already in the store.
            store: Where records are kept.
            writer: The thread that writes to it.
            lobby: Where bots are.
            clock: Dates the records.
            tokens: Who may come in.
            launcher: Starts bots that are commands.
            seen: Is told every valid record, those kept before included.
            unseen: Is told that a record it saw is void now; those that are valid are shown again.
            max_tables: Tables at a time, at most.
            connect_s: Seconds that a process of a bot may run without a stream.
            in_flight: Its matches that were being played when the server was killed.
        """
        self.plan = plan
        self.director: Director | None = None
        """Set once the fixtures are being played."""
        self._store = store
        self._writer = writer
        self._lobby = lobby
        self._clock = clock
        self._tokens = tokens
        self._launcher = launcher
        self._seen = seen
        self._unseen = unseen
        self._max_tables = max_tables
        self._connect_s = connect_s
        self._in_flight = in_flight
        self._shown: set[str] = set()
        self._bots: Sequence[Bot] = ()

    def _now_ms(self) -> int:
        return int(self._clock.today().timestamp() * 1000)

    @property
    def name(self) -> str:
        """The tournament's name."""
        return self.plan.spec.name

    @property
    def absent(self) -> Sequence[str]:
        """Names of the bots that have no stream and may still come."""
        return [bot.name for bot in self._bots if bot.session is None and not bot.gone]

    async def play(self) -> None:
        """Plays every fixture that has no valid record, and reveals the secret after the last.

        Raises:
            LaunchError: A bot's command cannot be started, or never connects.
            InputError: An entrant dials in from elsewhere and has no token.
            CorruptRecordError: A record kept before cannot be read; says which.
        """
        finished, voids = await self._writer.do(self._look_back)
        if any(each.index not in finished and not each.dropped for each in self.plan.fixtures):
            self._bots = bots = await self._gather()
            self.director = Director(
                self.plan,
                self._lobby.floor,
                self._clock,
                bots,
                archive=self,
                finished=finished,
                voids=voids,
                max_tables=self._max_tables,
                between_laps=self._new_processes,
                in_flight=self._in_flight,
            )
            self._lobby.changed = self.director.look
            await self._writer.do(lambda: self._note(TournamentStatus.RUNNING))
            tending = asyncio.create_task(self._tend(), name="tend bots")
            try:
                await self.director.play()
            finally:
                tending.cancel()
        if self.plan.complete:
            await self._writer.do(lambda: self._note(TournamentStatus.FINISHED))

    def _note(self, status: TournamentStatus) -> None:
        if self._store.tournament(self.name).status is not status:
            self._store.set_status(self.name, status, now_ms=self._now_ms())

    def _look_back(self) -> tuple[set[int], dict[str, int]]:
        """Reads what the store has: fixtures with a valid record, and void attempts by stream of boards."""
        fixtures = self.plan.fixtures
        voids: dict[str, int] = {}
        for attempt in self._store.attempts(self.name):
            if attempt.status is AttemptStatus.VOID:
                # What follows from results has boards of its own, and may not be planned again yet.
                planned = attempt.key.fixture < len(fixtures)
                stream = fixtures[attempt.key.fixture].stream if planned else f"f{attempt.key.fixture}"
                voids[stream] = max(voids.get(stream, 0), attempt.key.attempt)
        finished = set()
        shared = self.plan.spec.sharing is Sharing.LAPS
        for stored in self._store.records(self.name):
            key = stored.key
            if shared and key.attempt <= voids.get(fixtures[key.fixture].stream, 0):
                # The server stopped after one match of a set was voided and before the others were.
                self._store.void_attempt(key)
                continue
            finished.add(key.fixture)
            self._take(stored.record)
            if self.plan.planner is not None:
                self.plan.planner.plan_on()
        return finished, voids

    # The archive of the director

    async def keep(self, record: MatchRecord) -> None:
        """Commits a record, then shows it."""
        await self._writer.do(lambda: self._store.add_record(record))
        if record.placements:
            self._take(record)

    def _take(self, record: MatchRecord) -> None:
        """Gives a valid record to the planner, once, and shows it."""
        index, planner = record.header.fixture, self.plan.planner
        if planner is not None and index is not None and record.header.match_id not in self._shown:
            planner.add(index, result_rows(planned_fixture(self.plan, record), record))
        self._show(record)

    def _show(self, record: MatchRecord) -> None:
        """Shows a valid record once, whoever read it first."""
        fixture, match_id = record.header.fixture, record.header.match_id
        if fixture is not None and match_id not in self._shown:
            self._shown.add(match_id)
            self._seen(planned_fixture(self.plan, record), record)

    async def void(self, fixture: int, attempt: int) -> None:
        """Makes a kept attempt void, and has those that still count shown anew."""
        key = AttemptKey(tournament=self.name, fixture=fixture, attempt=attempt)
        await self._writer.do(lambda: self._store.void_attempt(key))
        self._unseen()
        self._shown.clear()
        for stored in self._store.records(self.name):
            self._show(stored.record)

    async def lose(self, fixture: int, attempt: int) -> None:
        """Notes a void attempt that has no record."""
        key = AttemptKey(tournament=self.name, fixture=fixture, attempt=attempt)
        await self._writer.do(lambda: self._store.add_lost(key))

    # Bots

    async def _gather(self) -> Sequence[Bot]:
        """Starts the bots that are commands, and waits until all of these have connected."""
        bots = [await self._bring(entrant) for entrant in self.plan.spec.seated_entrants]
        await self._connected()
        return bots

    async def _bring(self, entrant: Entrant) -> Bot:
        if entrant.name in self.plan.withdrawn:
            bot = self._lobby.bot(f"withdrawn-{secrets.token_hex(8)}", entrant.name)
            self._lobby.give_up(bot)
            return bot
        if entrant.kind is EntrantKind.REMOTE:
            for known in self._tokens.tokens():
                if known.name == entrant.name and known.role == Role.BOT.word and known.revoked_ms is None:
                    return self._lobby.bot(known.token_id, entrant.name)
            raise InputError(
                f"entrant {entrant.name} dials in from elsewhere and has no token:"
                f" make one with `kiery bot add {shlex.quote(entrant.name)}`"
            )
        # A token's name is unique; a launched bot's is known to nobody but its process.
        alias = f"launched-{secrets.token_hex(8)}"
        token = self._tokens.add(alias, Role.BOT, now_ms=self._now_ms(), kept=False)
        bot = self._lobby.bot(token.identity.token_id, entrant.name)
        await self._launcher.start(bot, command_of(entrant), token.secret)
        return bot

    async def _connected(self) -> None:
        """Waits until every launched bot has connected.

        Raises:
            LaunchError: One ended before, or took too long.
        """
        deadline = asyncio.get_running_loop().time() + self._connect_s
        while (absent := self._launcher.absent()) is not None:
            self._launcher.check_alive()
            if asyncio.get_running_loop().time() > deadline:
                raise absent
            await asyncio.sleep(_LOOK_S)

    async def _tend(self) -> None:
        """Ends the processes of bots that stay away, again and again."""
        while True:
            await asyncio.sleep(_TEND_S)
            self._launcher.end_absent(asyncio.get_running_loop().time(), self._connect_s)

    async def _new_processes(self) -> None:
        """Replaces every launched process, so that none sees a board twice."""
        await self._launcher.restart_all()
        await self._connected()


def command_of(entrant: Entrant) -> list[str]:
    """Returns the command line that starts an entrant: its own, or this Python with a built-in bot.

    Raises:
        InputError: The command line cannot be split into words.
    """
    if entrant.command is None:
        return [sys.executable, "-m", "kiery_bots", entrant.builtin or "cautious"]
    try:
        words = shlex.split(entrant.command)
    except ValueError as error:
        raise InputError(f"bot {entrant.name}: cannot read its command ({error}): check the quotes") from None
    if not words:
        raise InputError(f"bot {entrant.name}: its command is empty: expected a program")
    return words
