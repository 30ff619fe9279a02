"""The file format: a header, then batches; one batch is one write.

    header  magic 8, version 4, batch number 4, created ms 8, length of names 4, names, CRC-32 4
    batch   length 4, number 4, length XOR number XOR mark 4, CRC-32 of the entries 4, entries

Batches are numbered without a gap from segment to segment. A batch that is shorter than its length is a
torn write, at the end of a file only: it is dropped. Anything else that does not fit is damage, and
is reported with its position: the third number guards the first two, so that a damaged length is not
taken for a torn end.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from struct import Struct
from typing import Final
from zlib import crc32

from kiery.journal.errors import DamagedJournalError

__all__ = [
    "BATCH",
    "BATCH_MARK",
    "Batch",
    "Segment",
    "SegmentHeader",
    "header_to_bytes",
    "number_of",
    "parse_segment",
    "segments_of",
]

_MAGIC: Final = b"KIERYJ\r\n"
_VERSION: Final = 1
_FIXED: Final = Struct("<8sIIqI")
_CRC: Final = Struct("<I")
BATCH: Final = Struct("<IIII")
"""The head of a batch."""
BATCH_MARK: Final = 0x4B4A5259
"""Makes the guard of an empty head differ from zero: a hole in a file is no batch."""
_MAX_TEXT: Final = 1 << 12


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentHeader:
    """What a segment says of itself."""

    batch: int
    """The number of its first batch."""
    created_ms: int
    """When it was begun, milliseconds since 1970 UTC."""
    boot_id: str
    """The boot of the machine during which it was written; after another one its end may be missing."""
    node_id: str
    """Whose journal it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The entries of one write."""

    number: int
    """Its number, from 0 over all segments."""
    position: int
    """Where it begins in its file."""
    entries: bytes
    """The entries one after the other."""


def segments_of(path: Path) -> list[Path]:
    """Returns the files of a journal, oldest first: `PATH.000001` and so on."""
    found = path.parent.glob(f"{path.name}.[0-9]*")
    return sorted((each for each in found if each.suffix[1:].isdigit()), key=number_of)


def number_of(segment: Path) -> int:
    """Returns the number of a segment, from 1."""
    return int(segment.suffix[1:])


def header_to_bytes(header: SegmentHeader) -> bytes:
    """Returns the first bytes of a segment."""
    text = json.dumps({"boot_id": header.boot_id, "node_id": header.node_id}).encode()
    data = _FIXED.pack(_MAGIC, _VERSION, header.batch, header.created_ms, len(text)) + text
    return data + _CRC.pack(crc32(data))


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """What a segment holds, as far as it can be read."""

    header: SegmentHeader | None = None
    """None: not even that was written whole, or it is damaged."""
    batches: Sequence[Batch] = ()
    """In order."""
    torn_bytes: int = 0
    """Bytes of a torn write at the end."""
    damage: DamagedJournalError | None = None
    """What is wrong where reading stops, with its position."""


def parse_segment(data: bytes) -> Segment:
    """Returns what the bytes of a segment hold."""
    try:
        header, place = _parse_header(data)
    except DamagedJournalError as error:
        return Segment(damage=error)
    if header is None:
        return Segment(torn_bytes=len(data))
    batches: list[Batch] = []
    damage: DamagedJournalError | None = None
    try:
        while (batch := _parse_batch(data, place, header.batch + len(batches))) is not None:
            batches.append(batch)
            place += BATCH.size + len(batch.entries)
    except DamagedJournalError as error:
        damage = error
    torn = 0 if damage is not None else len(data) - place
    return Segment(header=header, batches=batches, torn_bytes=torn, damage=damage)


def _parse_batch(data: bytes, place: int, number: int) -> Batch | None:
    """Returns the batch at a position; none if no whole one was written there."""
    if len(data) - place < BATCH.size:
        return None
    length, found, check, crc = BATCH.unpack_from(data, place)
    if check != length ^ found ^ BATCH_MARK:
        raise _damage("the head of a batch is damaged", place)
    if found != number:
        raise _damage(f"batch {number} is expected and {found} was found", place)
    first = place + BATCH.size
    entries = data[first : first + length]
    if len(entries) < length:
        return None
    if crc32(entries) != crc:
        raise _damage(f"the entries of batch {number} are damaged", place)
    return Batch(number=number, position=place, entries=entries)


def _parse_header(data: bytes) -> tuple[SegmentHeader | None, int]:
    """Returns the header and where the batches begin; no header if its write was torn."""
    if data[: len(_MAGIC)] != _MAGIC[: len(data)]:
        raise _damage("this is no journal", 0)
    if len(data) < _FIXED.size:
        return None, 0
    _, version, batch, created_ms, length = _FIXED.unpack_from(data)
    end = _FIXED.size + length + _CRC.size
    if length > _MAX_TEXT:
        raise _damage("the header is damaged", 0)
    if len(data) < end:
        return None, 0
    body = data[: end - _CRC.size]
    if _CRC.unpack_from(data, len(body))[0] != crc32(body):
        raise _damage("the header is damaged", 0)
    if version != _VERSION:
        raise _damage(f"it is of version {version}, this program reads {_VERSION}", 0)
    names = json.loads(body[_FIXED.size :])
    header = SegmentHeader(
        batch=batch, created_ms=created_ms, boot_id=str(names["boot_id"]), node_id=str(names["node_id"])
    )
    return header, end


def _damage(what: str, position: int) -> DamagedJournalError:
    return DamagedJournalError(what, position=str(position))
