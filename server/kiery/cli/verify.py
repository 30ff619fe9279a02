"""`kiery replay verify`: plays records and foreign transcripts again."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from kiery.cli.console import console, print_json, say
from kiery.cli.selection import select_attempts
from kiery.cli.stores import open_store
from kiery.errors import InputError, KieryError
from kiery.record import DisagreementError, parse_transcript, verify_record, verify_transcript
from kiery.store import Store

__all__ = ["Findings", "verify_all", "verify_replays", "verify_transcripts"]

_FINDING = 1
_UNREADABLE = 2
_MAX_LINE = 64 << 20


class Findings:
    """What a verification has found so far."""

    def __init__(self) -> None:
        """Starts with nothing."""
        self.verified = 0
        self.deals_derived = 0
        """Deals whose cards were derived again from a secret that is public."""
        self.findings: list[dict[str, Any]] = []

    def add(self, name: str, error: KieryError) -> None:
        """Notes what is wrong with one record."""
        kind = "disagrees" if isinstance(error, DisagreementError) else "unreadable"
        self.findings.append({"name": name, "kind": kind, "message": str(error), **error.metadata})

    @property
    def status(self) -> int:
        """The exit status: 0 all verify, 1 some disagree, 2 some cannot be read."""
        if any(finding["kind"] == "unreadable" for finding in self.findings):
            return _UNREADABLE
        return _FINDING if self.findings else 0

    def report(self, noun: str, *, as_json: bool) -> None:
        """Prints the outcome and ends the process unless all is well."""
        if as_json:
            print_json(
                {"verified": self.verified, "deals_derived": self.deals_derived, "findings": self.findings}
            )
        else:
            for finding in self.findings:
                say(f"{finding['name']}: {finding['kind']}: {finding['message']}")
            derived = (
                f", {self.deals_derived} deals derived again from the secret" if self.deals_derived else ""
            )
            say(f"{self.verified} {noun} verified{derived}, {len(self.findings)} findings")
        if self.status:
            raise SystemExit(self.status)


def verify_all(store: Store, names: Sequence[str]) -> Findings:
    """Verifies records; one that is broken does not stop the others.

    Where a tournament is over, its secret is public, and the cards are derived again.
    """
    found = Findings()
    secrets: dict[str, bytes | None] = {}
    attempts = list(select_attempts(store, names))
    for attempt in _with_progress(attempts):
        tournament = attempt.key.tournament
        if tournament not in secrets:
            over = store.tournament(tournament).status.is_over
            secrets[tournament] = store.reveal(tournament) if over else None
        try:
            record = store.record(attempt.key)
            verify_record(record, secrets[tournament])
        except KieryError as error:
            found.add(str(attempt.key), error)
        else:
            found.verified += 1
            found.deals_derived += len(record.deals) if secrets[tournament] is not None else 0
    return found


def _with_progress(attempts: Sequence[Any]) -> Iterator[Any]:
    if not sys.stdout.isatty() or len(attempts) < 2:
        yield from attempts
        return
    from rich.progress import track

    yield from track(attempts, description="verifying", console=console(), transient=True)


def verify_replays(names: Sequence[str], store_url: str | None, *, as_json: bool) -> None:
    """Verifies records of a store and reports."""
    with open_store(store_url, read_only=True) as store:
        found = verify_all(store, names)
    found.report("records", as_json=as_json)


def verify_transcripts(path: Path, *, as_json: bool) -> None:
    """Verifies a file with one transcript a line and reports; names the first disagreement of each."""
    found = Findings()
    for number, line in _lines(path):
        if not line.strip():
            continue
        try:
            verify_transcript(parse_transcript(line))
        except KieryError as error:
            found.add(f"{path.name}, line {number}", error)
        else:
            found.verified += 1
    if not found.verified and not found.findings:
        raise InputError(f"{path} holds no transcript: expected one JSON object a line")
    found.report("transcripts", as_json=as_json)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    if str(path) == "-":
        yield from enumerate(iter(lambda: sys.stdin.buffer.readline(_MAX_LINE), b""), start=1)
        return
    try:
        with path.open("rb") as file:
            yield from enumerate(iter(lambda: file.readline(_MAX_LINE), b""), start=1)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
