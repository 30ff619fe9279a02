"""Every way in which published data can be wrong is said in words."""

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest
from tests.audit.test_audit import FOUR, TOURNAMENTS, changed, finding
from tests.audit.tournaments import Evening

from kiery.audit import PublishedAttempt, form, line_of
from kiery.audit.publication import amendment_from_plain, amendment_to_plain
from kiery.record.chain import digest_of
from kiery.terms import MatchCause
from kiery.tournament import amendment_digest

CARD = ("record", "deals", 0, "hands", 0)


def edited(lines: list[bytes], kind: str, path: tuple[Any, ...], new: Any) -> list[bytes]:
    """Returns lines in which another value stands in the first line of a kind."""
    at = next(at for at, line in enumerate(lines) if json.loads(line)["kind"] == kind)
    return [*lines[:at], line_of(changed(json.loads(lines[at]), path, new)), *lines[at + 1 :]]


@pytest.mark.parametrize(
    ("kind", "path", "new", "expected"),
    [
        ("announcement", ("spec",), "cup", "spec: the published spec is no spec"),
        ("announcement", ("spec", "deals"), "one", "spec: the published spec: deals: "),
        ("attempt", ("record", "engine"), 7, "records: fixture 0, attempt 1: expected a text, found a int"),
        ("attempt", ("record", "engine"), "\ud800", "records: fixture 0, attempt 1: expected a text"),
        ("attempt", ("record", "deals"), 7, "records: fixture 0, attempt 1: expected a list, found a int"),
        ("attempt", ("record", "versions"), [], "records: fixture 0, attempt 1: 0 versions: expected 4"),
        ("attempt", CARD, "2C 2C 2C", "records: fixture 0, attempt 1: deal 1: "),
        ("attempt", CARD, "2X", "records: fixture 0, attempt 1: deal 1: "),
        (
            "attempt",
            ("status",),
            "won",
            "attempts: fixture 0, attempt 1: expected one of valid, void, cancelled",
        ),
        ("attempt", ("fixture",), 99, "attempts: line 7: there is no fixture 99"),
        ("attempt", ("digest",), "xyz", "records: fixture 0, attempt 1: "),
    ],
)
def test_value_that_cannot_be_is_named(kind: str, path: tuple[Any, ...], new: Any, expected: str) -> None:
    lines = Evening(FOUR, deals_per_bot=1).lines()

    assert (finding(edited(lines, kind, path, new)) or "").startswith(expected)


def test_result_without_a_record_is_named() -> None:
    lines = Evening(FOUR, deals_per_bot=1).lines()
    bare = edited(edited(lines, "attempt", ("record",), None), "attempt", ("digest",), None)

    assert finding(bare) == "attempts: fixture 0, attempt 1: it is called valid, and has no record"


def test_line_that_is_no_object_is_named() -> None:
    lines = Evening(FOUR, deals_per_bot=1).lines()

    assert finding([*lines[:3], b"7\n", *lines[3:]]) == "form: line 4: expected an object"


def test_line_of_another_writing_is_named() -> None:
    lines = Evening(FOUR, deals_per_bot=1).lines()

    assert (finding([*lines[:3], b" " + lines[3], *lines[4:]]) or "").startswith(
        "form: line 4: the line is not in the canonical form"
    )


def test_line_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = Evening(FOUR, deals_per_bot=1).lines()
    monkeypatch.setattr(form, "MAX_LINE_BYTES", 500)

    assert (finding(lines) or "").endswith("the line is longer than 500 bytes")


def test_another_version_than_was_entered_is_named() -> None:
    entrants = [{"name": name, "version": "2"} for name in FOUR.split()]
    played = Evening("", entrants=entrants, deals_per_bot=1)
    lines = played.lines()
    record = played.attempts[0, 1].record
    assert record is not None

    other = edited(lines, "attempt", ("record", "versions", 0), "3")

    name = record.header.entrants[0].name
    # The hash chain breaks as well, but who reads the version is told first.
    assert finding(other) == (
        f"records: fixture 0, attempt 1: {name} is another version than it was entered with"
    )


def test_match_that_was_given_up_in_a_tournament_that_was_not_is_named() -> None:
    played = Evening(FOUR, deals_per_bot=1)
    record = played.record(3, 1, stop_after_plays=9)
    record = replace(record, cause=MatchCause.CANCELLED)
    record = replace(record, digest=digest_of(record.deals[-1].chain, record))
    played.attempts[3, 1] = replace(played.attempts[3, 1], status="cancelled", record=record)

    assert finding(played.lines(cancelled=True)) is None
    assert finding(played.lines()) == "attempts: fixture 3 has no result"


@pytest.mark.parametrize(
    ("path", "new", "expected"),
    [
        (("amendment",), None, "amendments: amendment 1: "),
        (("amendment", "entrant", "owner"), "y", "amendments: amendment 1: it does not follow on the spec"),
        (("digest",), "00", "amendments: amendment 1: it does not follow on the spec"),
    ],
)
def test_amendment_that_cannot_be_is_named(path: tuple[Any, ...], new: Any, expected: str) -> None:
    lines = TOURNAMENTS["somebody enters late"]().lines()

    assert (finding(edited(lines, "amendment", path, new)) or "").startswith(expected)


def test_attempt_given_up_beside_a_result_is_named() -> None:
    played = Evening(FOUR, deals_per_bot=1)
    record = replace(played.record(3, 2, stop_after_plays=9), cause=MatchCause.CANCELLED)
    record = replace(record, digest=digest_of(record.deals[-1].chain, record))
    played.attempts[3, 2] = PublishedAttempt(fixture=3, attempt=2, status="cancelled", record=record)

    assert finding(played.lines()) == ("attempts: fixture 3: an attempt was given up, but not the tournament")


def test_spec_without_a_possible_schedule_is_named() -> None:
    lines = Evening(FOUR + " iza", deals_per_bot=1).lines()
    spec = {**json.loads(lines[0])["spec"], "deals_per_bot": 1_000_000}
    text = line_of(spec).removesuffix(b"\n")
    lines = edited(lines, "announcement", ("spec",), spec)
    lines = edited(lines, "announcement", ("spec_digest",), hashlib.sha256(text).hexdigest())

    assert (finding(lines) or "").startswith("schedule: cup: the schedule has ")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"number": 2}, "amendments: amendment 1 is numbered 2"),
        ({"entrant": None, "withdrawn": 77, "leaving": "removed"}, "amendments: they cannot be: "),
    ],
)
def test_chained_amendment_that_cannot_be_is_named(change: dict[str, Any], expected: str) -> None:
    played = TOURNAMENTS["somebody enters late"]()
    lines = played.lines()
    amended = next(json.loads(line) for line in lines if b'"kind":"amendment"' in line)
    plain = {**amended["amendment"], **change}
    before = bytes.fromhex(json.loads(lines[0])["spec_digest"])
    amendment = amendment_from_plain(plain)
    lines = [line for line in lines if b'"kind":"amendment"' not in line]
    end = 2 + len(played.course.opening.fixtures)
    line = line_of(amendment_to_plain(amendment, amendment_digest(before, amendment)))

    assert (finding([*lines[:end], line, *lines[end:]]) or "").startswith(expected)
