"""What a killed server has left: its journal is read, and each match in flight goes on or is void.

A match goes on if this is still the same boot of the machine, so that all that was written is there.
After a reboot the end may be missing: such attempts are void, and fresh boards are dealt.
"""

import logging
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from kiery.host.clock import Clock
from kiery.journal import InFlight, Journal, JournalWriter, read_journal
from kiery.store import AttemptKey, Store, UnknownTournamentError

__all__ = ["Recovery", "boot_id", "journal_of", "open_journal"]

logger = logging.getLogger(__name__)

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """What was found in a journal."""

    in_flight: Mapping[str, Sequence[InFlight]] = field(default_factory=dict)
    """Matches that go on, by tournament."""
    voids: int = 0
    """Attempts that are void, and are played again with fresh boards."""
    settled: int = 0
    """Matches whose result the store has: the server died between its commit and the journal."""
    torn_bytes: int = 0
    """Bytes that were being written when it died."""
    damage: str = ""
    """What is damaged in the journal; empty: nothing."""

    def __str__(self) -> str:
        """Returns it as one line for people; empty if there was nothing in flight."""
        going_on = sum(map(len, self.in_flight.values()))
        found = []
        if going_on:
            found.append(f"{going_on} go on from the exact card")
        if self.voids:
            why = "the journal is damaged" if self.damage else "the machine was started anew"
            found.append(f"{self.voids} are void since {why}, and get fresh boards")
        if self.settled:
            found.append(f"{self.settled} were recorded")
        text = f"matches in flight when the server ended: {', '.join(found)}" if found else ""
        return f"{text}; {self.damage}".removeprefix("; ") if self.damage else text


def boot_id() -> str:
    """Returns what names this boot of the machine; where nothing does, every process is one of its own."""
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except OSError:
        return f"unknown-{secrets.token_hex(16)}"


def journal_of(store: Store) -> Path:
    """Returns where the journal of a store is: beside it."""
    return store.path.with_name(f"{store.path.name}.journal")


def open_journal(
    store: Store,
    clock: Clock,
    *,
    boot: str,
    synced: bool = False,
    write: Callable[[int, bytes, int], int] = os.pwrite,
) -> tuple[JournalWriter, Recovery]:
    """Opens the journal of a store that nobody else writes to, and settles what cannot go on.

    Args:
        store: Its lock guards the journal, too.
        clock: Dates segments.
        boot: Names this boot of the machine.
        synced: Whether each batch is forced to the disk.
        write: Writes to a descriptor at an offset and returns how many bytes it wrote.

    Raises:
        JournalError: The journal cannot be read or written.
        StoreError: A void attempt cannot be noted.
    """
    path = journal_of(store)
    journal = read_journal(path)
    recovery = _judge(store, journal, boot)
    if recovery.damage:
        logger.error("%s", recovery.damage)
    writer = JournalWriter(
        path,
        boot_id=boot,
        now_ms=lambda: int(clock.today().timestamp() * 1000),
        before=journal,
        synced=synced,
        write=write,
    )
    kept = {table.number for tables in recovery.in_flight.values() for table in tables}
    writer.settled([number for number in journal.tables if number not in kept], clock.now())
    return writer, recovery


def _judge(store: Store, journal: Journal, boot: str) -> Recovery:
    in_flight: dict[str, list[InFlight]] = {}
    known: dict[str, set[AttemptKey] | None] = {}
    voids = settled = 0
    for table in journal.tables.values():
        opening = table.opening
        name = opening.tournament
        key = AttemptKey(tournament=name, fixture=opening.fixture, attempt=opening.attempt)
        if name not in known:
            known[name] = _attempts(store, name)
        attempts = known[name]
        if attempts is None:
            # Of another store that had this name.
            continue
        if key in attempts:
            settled += 1
        elif table.boot_id != boot or journal.damage is not None:
            store.add_lost(key)
            voids += 1
        else:
            in_flight.setdefault(name, []).append(table)
    damage = f"the journal is damaged, {journal.damage}" if journal.damage is not None else ""
    return Recovery(
        in_flight=in_flight, voids=voids, settled=settled, torn_bytes=journal.torn_bytes, damage=damage
    )


def _attempts(store: Store, tournament: str) -> set[AttemptKey] | None:
    try:
        return {attempt.key for attempt in store.attempts(tournament)}
    except UnknownTournamentError:
        return None
