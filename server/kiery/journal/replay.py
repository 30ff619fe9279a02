"""Replays the inputs of a table: a fresh table that is given them stands where the other one stood.

Only the start of a decision's clock is no entry of its own: when it was written is known from how long
its clock had run when the next input of its seat came.
"""

from collections.abc import Iterable
from typing import Final

from kiery.journal.entry import Entry, EntryKind
from kiery.journal.errors import JournalError
from kiery.table import Place, Table

__all__ = ["ReplayError", "replay"]


class ReplayError(JournalError):
    """The entries do not fit the table: it was set up otherwise, or played by another program."""

    reason = "JOURNAL_REPLAY"


_ANSWERS: Final = frozenset({EntryKind.CARD, EntryKind.ANSWER})


def replay(table: Table, entries: Iterable[Entry]) -> Table:
    """Returns a fresh table after it was given its inputs again.

    What it tells its seats is forgotten: after a resume every seat is told anew.

    Args:
        table: Set up as it was then, and not opened.
        entries: Its entries in order, the opening first.

    Raises:
        ReplayError: An answer names another decision than the one that is open.
    """
    for entry in entries:
        if entry.kind is EntryKind.OPENED:
            table.open(entry.now)
        elif entry.kind is EntryKind.RESUMED:
            table.restart(entry.now)
        else:
            _take(table, table.places[entry.seat], entry)
    table.due.clear()
    for place in table.places:
        place.forget_news()
    return table


def _take(table: Table, place: Place, entry: Entry) -> None:
    kind, seat, now = entry.kind, entry.seat, entry.now
    if entry.ran is not None:
        place.written(now - entry.ran)
    if kind in _ANSWERS:
        if place.decision is None or place.decision_id & 0xFF != entry.decision or entry.action is None:
            raise ReplayError(f"seat {seat} answered a decision that is not open (…{entry.decision})")
        table.answer(seat, place.decision_id, entry.action, now)
    elif kind is EntryKind.EXPIRED:
        table.expire(seat, now)
    elif kind is EntryKind.CONNECTED:
        table.connect(seat, now)
    elif kind is EntryKind.DISCONNECTED:
        table.disconnect(seat, now)
    elif kind is EntryKind.ABANDONED:
        table.abandon(seat, now)
    elif kind is EntryKind.EXCUSED:
        table.excuse(seat, now)
    else:
        table.leave(seat, now, resign=kind is EntryKind.RESIGNED)
