"""Bugs planted in the server, to see that the net catches them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from kiery.engine import Deal, Match
from kiery.host import Deadlines, Director, Floor, JournaledFloor, Lobby
from kiery.host.contest import Contest
from kiery.journal import JournalWriter
from kiery.table import Place, Table
from kiery.table.course import Course
from kiery.terms import CloseCause


@dataclass(frozen=True, slots=True)
class Bug:
    """A planted bug."""

    name: str
    where: Any
    method: str
    broken: Callable[[Callable[..., Any]], Callable[..., Any]]
    """Makes the broken method of the one that is right."""
    quick: bool = False
    """Whether one of the first seeds finds it."""


@contextmanager
def planted(bug: Bug) -> Iterator[None]:
    """Has the server run with a bug."""
    right = getattr(bug.where, bug.method)
    with patch.object(bug.where, bug.method, bug.broken(right)):
        yield


def _skip(right: Callable[..., Any]) -> Callable[..., Any]:
    """Does nothing."""
    return lambda *arguments, **options: None


def _journal_late(right: Callable[..., Any]) -> Callable[..., Any]:
    """Says that it is written, and writes it when there is more of it."""

    def commit(self: JournaledFloor) -> bool:
        return True if len(self._journal._entries) < 300 else right(self)

    return commit


def _unjournaled_time(right: Callable[..., Any]) -> Callable[..., Any]:
    """Does not note that time ran out, and streams that were lost."""
    return lambda self, kind, seating, now: None


def _count_twice(right: Callable[..., Any]) -> Callable[..., Any]:
    def fault(self: Course, place: Place, *arguments: Any) -> None:
        if self.match.deals:
            self.match.deal.notes.faults[place.seat] += 1
        right(self, place, *arguments)

    return fault


def _charge_downtime(right: Callable[..., Any]) -> Callable[..., Any]:
    def restart(self: Place, now: int) -> None:
        if self.decision is not None:
            self.bank = max(0, self.bank - (now - self.opened_at))
        right(self, now)

    return restart


def _charge_grace_of_downtime(right: Callable[..., Any]) -> Callable[..., Any]:
    def restart(self: Place, now: int) -> None:
        self.end_grace(now)
        right(self, now)

    return restart


def _lose_position(right: Callable[..., Any]) -> Callable[..., Any]:
    def rewind(self: Table, place: Place, position: int | None) -> None:
        right(self, place, position)
        if place.plays:
            place.plays -= 1

    return rewind


def _forget_snapshot(right: Callable[..., Any]) -> Callable[..., Any]:
    def rewind(self: Table, place: Place, position: int | None) -> None:
        right(self, place, position)
        place.snapshot = False

    return rewind


def _wrong_winner(right: Callable[..., Any]) -> Callable[..., Any]:
    def winners(self: Deal, plays: int) -> bytes:
        told = right(self, plays)
        return bytes((told[0] + 1) % self.rules.num_players for _ in told[:1]) + told[1:]

    return winners


def _leak_hand(right: Callable[..., Any]) -> Callable[..., Any]:
    def observe(self: Match, seat: int, **options: Any) -> Any:
        seen = right(self, seat, **options)
        seen.received_mask = self.deal.hand((seat + 1) % self.rules.num_players) or seen.received_mask
        return seen

    return observe


def _leak_pass(right: Callable[..., Any]) -> Callable[..., Any]:
    """Shows what is passed to a seat before all have chosen."""

    def received(self: Deal, seat: int) -> int:
        if not self.pass_offset:
            return 0
        return self.passes[(seat - self.pass_offset) % self.rules.num_players] or 0

    return received


def _same_handle(right: Callable[..., Any]) -> Callable[..., Any]:
    def hold(self: Lobby, seating: Any, session: Any, position: int | None = None) -> None:
        self._next_handle = len(session.handles) + 1
        right(self, seating, session, position)

    return hold


async def _nothing(*arguments: Any) -> None:
    """Does nothing, later."""


def _show_before_keeping(right: Callable[..., Any]) -> Callable[..., Any]:
    async def close(self: Director, run: Any, verdict: Any) -> None:
        opened = self._open.get(run)
        if opened is not None and verdict.value == "played":
            record = self._record(run, opened, 1)  # type: ignore[arg-type]
            self._floor.finish(run, record.cause, record.digest)
        await right(self, run, verdict)

    return close


def _settle_first(right: Callable[..., Any]) -> Callable[..., Any]:
    """Has the journal forget a match before the store has it."""

    async def keep(self: Contest, record: Any) -> None:
        for run in self._lobby.floor.runs:
            if run.table.match_id == record.header.match_id:
                self._lobby.floor.settle(run.number)
                self._lobby.floor.commit()
        await right(self, record)

    return keep


def _old_boards(right: Callable[..., Any]) -> Callable[..., Any]:
    def table(self: Director, fixture: Any, header: Any) -> Any:
        made = right(self, fixture, header)
        board_of = made.match._board_of
        first = made.match._board_of(1)
        made.match._board_of = lambda number: first if number == 2 else board_of(number)
        return made

    return table


def _repeat_id(right: Callable[..., Any]) -> Callable[..., Any]:
    """Asks the next decision under the id of the last one."""

    def answer(self: Table, seat: int, decision_id: int, action: Any, now: int) -> None:
        right(self, seat, decision_id, action, now)
        place = self.places[seat]
        if place.decision is None and place.decision_id == decision_id:
            place.decision_id -= 1

    return answer


def _close_twice(right: Callable[..., Any]) -> Callable[..., Any]:
    """Closes a decision that time has closed once more."""

    def expire(self: Place, cause: CloseCause, now: int) -> int:
        taken = right(self, cause, now)
        return taken if cause is not CloseCause.TIMEOUT else taken + right(self, cause, now)

    return expire


def _never_expire(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, seating, now: None


def _charge_more(right: Callable[..., Any]) -> Callable[..., Any]:
    """Charges a second more than an answer took."""

    def close(self: Place, now: int) -> int:
        return right(self, now + 1_000_000_000)

    return close


BUGS = (
    Bug(
        "the journal is written after what depends on it is sent",
        JournaledFloor,
        "commit",
        _journal_late,
        quick=True,
    ),
    Bug("the journal is never written", JournaledFloor, "commit", lambda right: lambda self: True),
    Bug("time that runs out is not journaled", JournaledFloor, "_note", _unjournaled_time),
    Bug("a fault is counted twice", Course, "_fault", _count_twice, quick=True),
    Bug("downtime is charged to the bank", Place, "restart", _charge_downtime),
    Bug("downtime is charged to the grace", Place, "restart", _charge_grace_of_downtime),
    Bug("a resume repeats a play", Table, "_rewind", _lose_position),
    Bug("a resume forgets the snapshot", Table, "_rewind", _forget_snapshot),
    Bug("a resume does not end grace", Place, "resume", _skip),
    Bug("a trick is told to have another winner", Deal, "winners_from", _wrong_winner, quick=True),
    Bug("a snapshot shows a neighbour's hand", Match, "observe", _leak_hand, quick=True),
    Bug("a snapshot shows what will be passed", Deal, "received_by", _leak_pass),
    Bug("handles begin anew on every stream", Lobby, "hold", _same_handle, quick=True),
    Bug("a voided fixture is not played again", Director, "_play_again", lambda right: _nothing),
    Bug("a deadline is never armed", Floor, "watch", _skip),
    Bug("deadlines are not armed for lost streams", Floor, "_watch", _skip),
    Bug("a deadline that rings does nothing", Deadlines, "_rang", _skip),
    Bug("an expired decision stays open", Floor, "_expire", _never_expire),
    Bug("a result is shown before it is stored", Director, "_close", _show_before_keeping, quick=True),
    Bug("the journal forgets a match before the store has it", Contest, "keep", _settle_first),
    Bug("a board is dealt twice", Director, "_table", _old_boards),
    Bug("a decision id is given twice", Table, "answer", _repeat_id),
    Bug("an expired decision is closed twice", Place, "expire", _close_twice),
    Bug("an answer is charged a second too much", Place, "close", _charge_more),
    Bug("a settled table stays in the journal", JournalWriter, "settled", _skip),
    Bug("a full disk is charged to who could not be asked", JournaledFloor, "_excuse", _skip),
    Bug("a lost stream is not told to its tables", Table, "disconnect", _skip),
)
