"""Reads a journal: the tables that were in flight, each with its entries in order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from kiery.journal.entry import Entry, EntryKind, Opening, unpack_entries
from kiery.journal.errors import DamagedJournalError, JournalError
from kiery.journal.segment import Batch, Segment, SegmentHeader, parse_segment, segments_of

__all__ = ["Damage", "InFlight", "Journal", "read_journal"]

_WRAP: Final = 1 << 32


@dataclass(slots=True, kw_only=True)
class InFlight:
    """A table that was being played when the journal ended."""

    number: int
    """Its number in the journal."""
    opening: Opening
    """How it was set up."""
    boot_id: str
    """The boot during which its segment was written."""
    entries: list[Entry]
    """Its inputs in order, the opening first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """Where a journal is not what was written."""

    segment: Path
    """The file."""
    position: int
    """The byte in it."""
    what: str
    """What is wrong there."""

    def __str__(self) -> str:
        """Returns it for people."""
        return f"{self.segment.name} at byte {self.position}: {self.what}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """What a journal holds."""

    headers: Sequence[SegmentHeader] = ()
    """Of its segments, oldest first."""
    tables: Mapping[int, InFlight] = field(default_factory=dict)
    """Tables that were opened and not settled, by number; with damage, as far as that is known."""
    torn_bytes: int = 0
    """Bytes of writes that were under way when a process ended."""
    damage: Damage | None = None
    """Where it cannot be read further; none: it is whole."""
    next_batch: int = 0
    """The number of the batch that follows."""
    next_table: int = 1
    """A number that no table has."""


def read_journal(path: Path) -> Journal:
    """Reads all segments of a journal; without any it is empty.

    Raises:
        JournalError: A file cannot be read.
    """
    reading = _Reading()
    for segment in segments_of(path):
        try:
            data = segment.read_bytes()
        except OSError as error:
            raise JournalError(f"the journal {segment} cannot be read: {error.strerror}") from None
        try:
            reading.take(parse_segment(data))
        except DamagedJournalError as error:
            position = int(error.metadata.get("position", 0))
            reading.damage = reading.damage or Damage(segment=segment, position=position, what=str(error))
    return reading.result()


class _Reading:
    def __init__(self) -> None:
        self.headers: list[SegmentHeader] = []
        self.tables: dict[int, InFlight] = {}
        self.torn_bytes = 0
        self.damage: Damage | None = None
        self._next_batch: int | None = None
        self._next_table = 1

    def take(self, segment: Segment) -> None:
        self.torn_bytes += segment.torn_bytes
        if segment.header is not None:
            self._begin(segment.header)
            for batch in segment.batches:
                self._take_batch(batch, segment.header)
        if segment.damage is not None:
            raise segment.damage

    def _begin(self, header: SegmentHeader) -> None:
        # The first may begin anywhere: those before it were settled and removed.
        expected, self._next_batch = self._next_batch, header.batch
        self.headers.append(header)
        if expected not in {None, header.batch} and self.damage is None:
            what = f"batch {expected} is expected and {header.batch} was found"
            raise DamagedJournalError(what, position="0")

    def _take_batch(self, batch: Batch, header: SegmentHeader) -> None:
        self._next_batch = (batch.number + 1) % _WRAP
        try:
            for entry in unpack_entries(batch.entries):
                self._note(entry, header)
        except DamagedJournalError as error:
            raise DamagedJournalError(str(error), position=str(batch.position)) from None

    def _note(self, entry: Entry, header: SegmentHeader) -> None:
        self._next_table = max(self._next_table, entry.table + 1)
        if entry.opening is not None:
            self.tables[entry.table] = InFlight(
                number=entry.table, opening=entry.opening, boot_id=header.boot_id, entries=[entry]
            )
        elif entry.kind is EntryKind.SETTLED:
            self.tables.pop(entry.table, None)
        elif entry.table in self.tables:
            # Else it was opened in a segment that is gone, so it is settled further on.
            self.tables[entry.table].entries.append(entry)

    def result(self) -> Journal:
        return Journal(
            headers=tuple(self.headers),
            tables=self.tables,
            torn_bytes=self.torn_bytes,
            damage=self.damage,
            next_batch=self._next_batch or 0,
            next_table=self._next_table,
        )
