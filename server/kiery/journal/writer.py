"""The writer: entries gather in memory, and `flush` hands them over in one write.

Whoever sends anything that depends on an entry flushes first. A write that fails leaves the file as it
was, keeps the entries, and may be tried again. Segments whose tables are all settled are removed, so the
journal is bounded by what was written since the oldest table in flight was opened, and one segment.
"""

import errno
import logging
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final
from zlib import crc32

from kiery.journal.entry import (
    CARD,
    CARD_KIND,
    SHORT_NS,
    EntryKind,
    Opening,
    pack_answer,
    pack_opening,
    pack_step,
)
from kiery.journal.errors import JournalError
from kiery.journal.reader import Journal
from kiery.journal.segment import BATCH, BATCH_MARK, SegmentHeader, header_to_bytes, number_of, segments_of
from kiery.view import Action

__all__ = ["SEGMENT_BYTES", "JournalWriter"]

logger = logging.getLogger(__name__)

SEGMENT_BYTES: Final = 16 << 20
"""A segment that is larger is followed by another one."""
_WRAP: Final = 1 << 32


class JournalWriter:
    """The journal of one node while it runs."""

    def __init__(
        self,
        path: Path,
        *,
        boot_id: str,
        now_ms: Callable[[], int],
        node_id: str = "",
        before: Journal | None = None,
        synced: bool = False,
        segment_bytes: int = SEGMENT_BYTES,
        write: Callable[[int, bytes, int], int] = os.pwrite,
    ) -> None:
        """Begins a new segment.

        Args:
            path: Where the journal is; its segments are `PATH.000001` and so on, made with mode 0600.
            boot_id: The boot of the machine.
            now_ms: Returns the date, milliseconds since 1970 UTC, for headers.
            node_id: Whose journal it is.
            before: What `read_journal` found there; its tables in flight keep their entries and
                numbers until they are settled.
            synced: Whether each batch is forced to the disk: safe against a power cut, and slow.
            segment_bytes: The size from which on a new segment is begun.
            write: Writes to a descriptor at an offset and returns how many bytes it wrote.

        Raises:
            JournalError: The segment cannot be made.
        """
        self.path = path
        self._boot_id = boot_id
        self._node_id = node_id
        self._now_ms = now_ms
        self._synced = synced
        self._segment_bytes = segment_bytes
        self._write = write
        self._entries = bytearray()
        self._batch = before.next_batch if before is not None else 0
        self._next_table = before.next_table if before is not None else 1
        self._live: set[int] = set(before.tables) if before is not None else set()
        self._needed: dict[Path, set[int]] = {old: set(self._live) for old in segments_of(path)}
        """Older segments, and the tables in flight that may have entries there."""
        last = max((number_of(old) for old in self._needed), default=0)
        self._descriptor, self._segment, self._offset = self._begin_segment(last + 1)
        self._drop_segments()

    # Entries

    def opened(self, opening: Opening, now: int) -> int:
        """Notes that a table is opened; returns its number in the journal."""
        table = self._next_table
        self._next_table += 1
        self._live.add(table)
        self._entries += pack_opening(table, opening, now)
        return table

    def played(self, table: int, seat: int, decision_id: int, card: int, now: int, ran: int) -> None:
        """Notes one card that answers a seat's open play: `answered` for the usual case, written out.

        Its clock runs; the arguments are those of `answered`.
        """
        if -SHORT_NS <= ran < SHORT_NS:
            self._entries += CARD.pack(CARD_KIND, seat, card, decision_id & 0xFF, table, now, ran)
        else:
            self.answered(table, seat, decision_id, Action(cards=bytes((card,))), now, ran)

    def answered(
        self, table: int, seat: int, decision_id: int, action: Action, now: int, ran: int | None
    ) -> None:
        """Notes an answer to a seat's open decision, good or bad; before it is given to the table.

        Args:
            table: The table's number.
            seat: Who answers.
            decision_id: The open decision; an answer to another one changes nothing and is not noted.
            action: The answer.
            now: When it arrived.
            ran: How long the decision's clock had run since it was last started; none: it stood.
        """
        self._entries += pack_answer(table, seat, decision_id, action, now, ran)

    def stepped(self, kind: EntryKind, table: int, seat: int, now: int, ran: int | None) -> None:
        """Notes any other input of a seat; before it is given to the table."""
        self._entries += pack_step(kind, table, seat, now, ran)

    def resumed(self, table: int, now: int) -> None:
        """Notes that a table that was in flight goes on."""
        self._entries += pack_step(EntryKind.RESUMED, table, 0, now, None)

    def settled(self, tables: Iterable[int], now: int) -> None:
        """Notes that the store has what came of some tables: their entries are needed no more."""
        for table in tables:
            self._entries += pack_step(EntryKind.SETTLED, table, 0, now, None)
            self._live.discard(table)
            for needed in self._needed.values():
                needed.discard(table)
        self._drop_segments()

    # Writes

    @property
    def pending(self) -> bool:
        """Whether there is anything that was not handed over."""
        return bool(self._entries)

    def flush(self) -> None:
        """Hands everything to the operating system in one write.

        Raises:
            JournalError: It could not be written; the entries are kept for the next try.
        """
        entries = self._entries
        if not entries:
            return
        length, number = len(entries), self._batch
        data = BATCH.pack(length, number, length ^ number ^ BATCH_MARK, crc32(entries)) + entries
        try:
            self._write_whole(self._descriptor, data, self._offset)
            if self._synced:
                os.fdatasync(self._descriptor)
        except OSError as error:
            self._take_back()
            raise _cannot_write(self._segment, error) from None
        self._offset += BATCH.size + length
        self._batch = (number + 1) % _WRAP
        entries.clear()
        if self._offset >= self._segment_bytes:
            self._rotate()

    def _write_whole(self, descriptor: int, data: bytes, offset: int) -> None:
        if self._write(descriptor, data, offset) != len(data):
            # Only a full disk cuts a write to a file short.
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _take_back(self) -> None:
        """Cuts what a failed write has left; where even that fails, the next try writes over it."""
        try:
            os.ftruncate(self._descriptor, self._offset)
        except OSError as error:
            logger.warning("journal cannot be cut", extra={"why": error.strerror})

    # Segments

    def _begin_segment(self, number: int) -> tuple[int, Path, int]:
        segment = self.path.with_name(f"{self.path.name}.{number:06d}")
        header = header_to_bytes(
            SegmentHeader(
                batch=self._batch, created_ms=self._now_ms(), boot_id=self._boot_id, node_id=self._node_id
            )
        )
        descriptor = None
        try:
            descriptor = os.open(segment, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            self._write_whole(descriptor, header, 0)
        except OSError as error:
            if descriptor is not None:
                os.close(descriptor)
                segment.unlink(missing_ok=True)
            raise _cannot_write(segment, error) from None
        return descriptor, segment, len(header)

    def _rotate(self) -> None:
        """Goes on in a new segment; if none can be made, the old one grows."""
        full, segment = self._descriptor, self._segment
        try:
            begun = self._begin_segment(number_of(segment) + 1)
        except JournalError as error:
            logger.warning("journal goes on in a full segment", extra={"why": str(error)})
            return
        os.close(full)
        self._needed[segment] = set(self._live)
        self._descriptor, self._segment, self._offset = begun
        self._drop_segments()

    def _drop_segments(self) -> None:
        # A table that needs a segment needs all later ones, so what is left has no gap.
        for segment, needed in list(self._needed.items()):
            if not needed:
                del self._needed[segment]
                _remove(segment)

    def close(self) -> None:
        """Hands over what is pending and ends; with nothing in flight no file stays.

        Raises:
            JournalError: The rest could not be written.
        """
        if self._descriptor < 0:
            return
        try:
            self.flush()
        finally:
            os.close(self._descriptor)
            self._descriptor = -1
        if not self._live:
            _remove(self._segment)


def _remove(segment: Path) -> None:
    try:
        segment.unlink(missing_ok=True)
    except OSError as error:
        # Harmless: what is in it is settled.
        logger.warning("journal segment cannot be removed", extra={"why": error.strerror})


def _cannot_write(segment: Path, error: OSError) -> JournalError:
    why = error.strerror or str(error)
    return JournalError(
        f"the journal {segment} cannot be written ({why}): make room, or check its folder",
        errno=errno.errorcode.get(error.errno or 0, "UNKNOWN"),
    )
