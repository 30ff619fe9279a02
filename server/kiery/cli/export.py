"""`kiery replay export`: records for other programs and for people."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Final

from kiery.cli.console import note
from kiery.cli.selection import select_attempts
from kiery.cli.stores import open_store
from kiery.errors import InputError
from kiery.record import MatchRecord, format_record, to_transcript
from kiery.wire_service import record_to_bytes

__all__ = ["export_replays"]


def _transcript(record: MatchRecord) -> bytes:
    return json.dumps(to_transcript(record), separators=(",", ":")).encode() + b"\n"


def _text(record: MatchRecord) -> bytes:
    return format_record(record).encode() + b"\n\n"


def _framed(record: MatchRecord) -> bytes:
    """A record as the store has it, with its length before it: four bytes, big-endian."""
    data = record_to_bytes(record)
    return len(data).to_bytes(4, "big") + data


FORMATS: Final[Mapping[str, Callable[[MatchRecord], bytes]]] = {
    "transcript": _transcript,
    "text": _text,
    "record": _framed,
}


def export_replays(names: Sequence[str], form: str, out: Path | None, store_url: str | None) -> None:
    """Writes records one after the other, a few in memory at a time.

    Raises:
        InputError: There is no such form, or the file cannot be written.
    """
    write = FORMATS.get(form)
    if write is None:
        raise InputError(f"{form[:32]!a} is no format: expected one of {', '.join(FORMATS)}")
    with open_store(store_url, read_only=True) as store:
        attempts = list(select_attempts(store, names))
        try:
            with _destination(out) as file:
                for attempt in attempts:
                    file.write(write(store.show_record(attempt.key)))
        except OSError as error:
            raise InputError(f"cannot write {out or 'standard output'}: {error.strerror}") from None
    note(f"{len(attempts)} records written as {form}{f' to {out}' if out else ''}")


def _destination(out: Path | None) -> AbstractContextManager[IO[bytes]]:
    """Opens the file; standard output is flushed and stays open."""
    return _standard_output() if out is None else out.open("wb")


@contextmanager
def _standard_output() -> Iterator[IO[bytes]]:
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()
