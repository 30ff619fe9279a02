"""`kiery tournament publish` and `audit`: what is public of a tournament, and whether it holds."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import IO, Any, Final

from kiery.audit import Audit, AuditedTournament, Course, PublishedAttempt, announce, publish
from kiery.cli.console import note, print_json, print_table, say
from kiery.cli.stores import open_store
from kiery.errors import InputError
from kiery.store import Store, TournamentStatus
from kiery.tournament import amendment_from_json, spec_from_json

__all__ = ["audit_tournament", "publish_tournament"]

_FINDING: Final = 1
_MAX_LINE: Final = 65 << 20


def published_lines(store: Store, name: str) -> Iterator[bytes]:
    """Yields what may be published of a tournament now: the announcement, or everything once it is over.

    Raises:
        UnknownTournamentError: The store has none of that name.
        CorruptRecordError: A record cannot be read; the lines before it have been yielded.
    """
    stored = store.tournament(name)
    amendments = [
        amendment_from_json(each.amendment, f"amendment {each.number} of {name}")
        for each in store.amendments.of(name)
    ]
    course = Course(spec_from_json(stored.spec), store.secret(name), amendments)
    if not stored.status.is_over:
        yield from announce(course)
        return
    for valid in store.records(name):
        course.add(valid.record)
    attempts = (
        PublishedAttempt(
            fixture=attempt.key.fixture,
            attempt=attempt.key.attempt,
            status=attempt.status.value,
            record=store.record(attempt.key) if attempt.record_size else None,
        )
        for attempt in store.attempts(name)
    )
    yield from publish(course, attempts, cancelled=stored.status is TournamentStatus.CANCELLED)


def publish_tournament(name: str, out: Path | None, store_url: str | None) -> None:
    """Writes the published data to a file or standard output.

    Raises:
        InputError: The file cannot be written.
    """
    with open_store(store_url, read_only=True) as store:
        over = store.tournament(name).status.is_over
        count = 0
        try:
            with nullcontext(sys.stdout.buffer) if out is None else out.open("wb") as file:
                for line in published_lines(store, name):
                    file.write(line)
                    count += 1
                file.flush()
        except OSError as error:
            raise InputError(f"cannot write {out or 'standard output'}: {error.strerror}") from None
    what = "everything" if over else "the announcement; the secret and the records follow when it is over"
    note(f"{name}: {count} lines{f' in {out}' if out else ''}, {what}")


def _lines_of(file: IO[bytes]) -> Iterator[bytes]:
    return iter(lambda: file.readline(_MAX_LINE), b"")


def audit_tournament(what: str, announced: Path | None, store_url: str | None, *, as_json: bool) -> None:
    """Audits a file, or what would be published of a tournament in a store, and prints every check.

    Raises:
        InputError: There is no such file or tournament, or it is not what is published after the end.
        SystemExit: Status 1 if something disagrees.
    """
    with ExitStack() as stack:
        path = Path(what)
        try:
            if store_url is None and path.is_file():
                lines = _lines_of(stack.enter_context(path.open("rb")))
            else:
                lines = published_lines(stack.enter_context(open_store(store_url, read_only=True)), what)
            early = None if announced is None else _lines_of(stack.enter_context(announced.open("rb")))
        except OSError as error:
            raise InputError(f"cannot read {error.filename}: {error.strerror}") from None
        audited = Audit(lines, early).run()
    if as_json:
        print_json(_as_json(audited))
    else:
        _print(audited)
    if audited.finding is not None:
        raise SystemExit(_FINDING)


def _as_json(audited: AuditedTournament) -> dict[str, Any]:
    finding = audited.finding
    return {
        "tournament": audited.name,
        "ok": finding is None,
        "checks": [
            {
                "check": check.name,
                "what": check.what,
                "count": check.count,
                "ok": _ok(check.finding, check.complete),
            }
            for check in audited.checks
        ],
        "finding": None if finding is None else {"check": finding.name, "message": finding.finding},
    }


def _ok(finding: str | None, complete: bool) -> bool | None:  # noqa: FBT001
    """Returns whether a check agrees; none: it did not come to its end."""
    return False if finding is not None else True if complete else None


def _print(audited: AuditedTournament) -> None:
    words = {True: "yes", False: "NO", None: "not finished"}
    rows = [(check.what, check.count, words[_ok(check.finding, check.complete)]) for check in audited.checks]
    print_table(f"audit of {audited.name}", ("checked", "how many", "ok"), rows)
    finding = audited.finding
    if finding is None:
        say("everything that was published agrees")
    else:
        say(f"first disagreement, {finding.name}: {finding.finding}")
