"""The audit: everything that is published of a tournament, computed again from the file alone.

A line is believed only when the audit, from the spec, the secret and the records before it, would have
written the same. It stops at the first disagreement and says which check and which fixture it is.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final, NoReturn

from kiery.audit.attempts import AttemptBook
from kiery.audit.course import Course
from kiery.audit.form import FormError, fields, line_of, number, text, value_of
from kiery.audit.publication import (
    PublishedAttempt,
    amendment_from_plain,
    amendment_to_plain,
    announcement,
    attempt_to_plain,
    fixture_to_plain,
    pairs_to_plain,
    reveal,
    spec_from_canonical,
    standings_to_plain,
)
from kiery.audit.records import read_record
from kiery.engine import commitment_of
from kiery.errors import KieryError
from kiery.record import verify_record
from kiery.tournament import (
    Amendment,
    Fixture,
    TournamentSpec,
    amendment_digest,
    canonical_spec,
    digest,
)

__all__ = ["Audit", "AuditedTournament", "Check"]

Plain = Any

_CHECKS: Final = {
    "announced": "lines published before the first deal, unchanged",
    "spec": "digest of the spec",
    "commitment": "commitment to the secret",
    "amendments": "late entries and withdrawals, chained to the digest of the spec",
    "schedule": "fixtures planned again from spec, secret, entropy and results",
    "records": "records: terms, hash chain, digest",
    "boards": "boards dealt again from the secret, each under its label",
    "cards": "cards played again by the rules, with points and scores",
    "attempts": "attempts: one result a fixture, played again on fresh boards only",
    "standings": "entrants whose standings are what the records add up to",
    "pairs": "pairs of the cross table",
    "form": "lines read, each in its only form",
}

_TOLERANCE: Final = 0.5e-6 + 1e-9
"""A figure is rounded to six decimals; another machine may differ in the last bits before that."""

_NOT_OVER: Final = (
    "the announcement of a tournament that is not over: expected what is published after its end"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was compared."""

    name: str
    """Its name, one word."""
    what: str
    """What was compared, for people."""
    count: int
    """How many times it agreed."""
    finding: str | None = None
    """The first disagreement with its place; none: there was none."""
    complete: bool = True
    """Whether it came to its end; not so from the first disagreement on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedTournament:
    """What an audit found."""

    name: str
    """The tournament's name; empty if not even that could be read."""
    checks: tuple[Check, ...]
    """Every check, those that were not reached included."""

    @property
    def finding(self) -> Check | None:
        """The check that disagrees; none: all agree."""
        return next((check for check in self.checks if check.finding is not None), None)


class _Disagreement(Exception):  # noqa: N818  (a result that unwinds, not an error of ours)
    def __init__(self, check: str, message: str) -> None:
        super().__init__(message)
        self.check = check


def _disagree(check: str, message: str) -> NoReturn:
    raise _Disagreement(check, message)


class Audit:
    """One audit of published lines."""

    def __init__(self, lines: Iterable[bytes], announced: Iterable[bytes] | None = None) -> None:
        """Reads nothing yet.

        Args:
            lines: Of the file, each with its line feed.
            announced: The lines published before the first deal, to compare; none: nobody kept them.
        """
        self._lines = iter(lines)
        self._announced = None if announced is None else iter(announced)
        self._ahead: list[tuple[bytes, Plain]] = []
        self._counts = dict.fromkeys(_CHECKS, 0)
        self._name = ""
        self._cancelled = False

    def run(self) -> AuditedTournament:
        """Audits until the end or the first disagreement.

        Raises:
            FormError: The lines are not published data at all, or those of a tournament that is not over.
        """
        finding: _Disagreement | None = None
        try:
            self._run()
        except _Disagreement as error:
            finding = error
        return AuditedTournament(
            name=self._name,
            checks=tuple(
                Check(
                    name=name,
                    what=what,
                    count=self._counts[name],
                    finding=str(finding) if finding is not None and name == finding.check else None,
                    complete=finding is None,
                )
                for name, what in _CHECKS.items()
                if name != "announced" or self._announced is not None
            ),
        )

    # Lines

    def _peek(self) -> tuple[bytes, Plain] | None:
        if not self._ahead:
            line = next(self._lines, None)
            if line is None:
                return None
            place = self._counts["form"] + 1
            try:
                value = value_of(line)
            except FormError as error:
                _disagree("form", f"line {place}: {error}")
            if not isinstance(value, dict):
                _disagree("form", f"line {place}: expected an object")
            self._ahead.append((line, value))
        return self._ahead[0]

    def _is_next(self, kind: str) -> bool:
        ahead = self._peek()
        return ahead is not None and ahead[1].get("kind") == kind

    def _take(self, kind: str) -> tuple[bytes, Plain]:
        ahead = self._peek()
        if ahead is None:
            _disagree(
                "form", f"the file ends after line {self._counts['form']}: expected a line of kind {kind}"
            )
        if ahead[1].get("kind") != kind:
            _disagree("form", f"line {self._counts['form'] + 1}: expected one of kind {kind}")
        self._ahead.clear()
        self._counts["form"] += 1
        return ahead

    # Checks in their order

    def _run(self) -> None:
        line, first = self._take_announcement()
        spec = self._spec(first)
        course = self._course(spec, first)
        self._opening(course)
        if line_of(announcement(course)) != line:
            _disagree("schedule", "the digest of the schedule is another")
        course = self._amended(course)
        self._attempts(course, self._later())
        self._standings(course)
        if self._peek() is not None:
            _disagree("form", f"line {self._counts['form'] + 1}: expected the end of the file")
        if self._announced is not None and next(self._announced, None) is not None:
            _disagree("announced", "more lines were announced than were kept")

    def _take_announcement(self) -> tuple[bytes, Plain]:
        if not self._is_next("announcement"):
            raise FormError(
                "not the published data of a tournament: expected a line of kind announcement first"
            )
        line, first = self._take("announcement")
        if self._peek() is None or self._is_next("fixture"):
            raise FormError(_NOT_OVER)
        self._compare_announced(line)
        return line, first

    def _compare_announced(self, line: bytes) -> None:
        """Compares a line with the next one that was published early, as long as there are such."""
        if self._announced is None:
            return
        before = next(self._announced, None)
        if before is None and self._counts["announced"]:
            return
        if before != line:
            _disagree("announced", f"line {self._counts['announced'] + 1} was another before the first deal")
        self._counts["announced"] += 1

    def _spec(self, first: Plain) -> TournamentSpec:
        names = ("kind", "form", "spec", "spec_digest", "commitment", "schedule_digest")
        try:
            plain, told = fields(first, *names)[2:4]
            spec = spec_from_canonical(plain)
        except KieryError as error:
            _disagree("spec", str(error))
        self._name = spec.name
        if line_of(canonical_spec(spec)) != line_of(plain):
            _disagree("spec", "the spec is not written out in full, with every default and rule")
        if digest(spec).hex() != told:
            _disagree("spec", "the digest is not that of the spec")
        self._counts["spec"] += 1
        return spec

    def _course(self, spec: TournamentSpec, first: Plain) -> Course:
        line, value = self._take("reveal")
        try:
            secret = bytes.fromhex(text(fields(value, "kind", "secret", "status")[1]))
            committed = commitment_of(secret)
        except (KieryError, ValueError) as error:
            _disagree("commitment", f"the secret cannot be read: {error}")
        if committed.hex() != first["commitment"]:
            _disagree("commitment", "the commitment is not that of the secret")
        self._cancelled = value["status"] == "cancelled"
        if line_of(reveal(secret, cancelled=self._cancelled)) != line:
            _disagree("form", f"line {self._counts['form']}: expected a secret and finished or cancelled")
        self._counts["commitment"] += 1
        try:
            return Course(spec, secret)
        except KieryError as error:
            _disagree("schedule", str(error))

    def _opening(self, course: Course) -> None:
        """Compares the fixtures that follow from neither results nor amendments."""
        for fixture in course.opening.fixtures:
            line, _ = self._take("fixture")
            self._compare_fixture(course.announced, fixture, line)
            self._compare_announced(line)

    def _amended(self, course: Course) -> Course:
        """Returns the course with the amendments that stand here."""
        amendments: list[Amendment] = []
        before = digest(course.announced)
        while self._is_next("amendment"):
            line, value = self._take("amendment")
            place = f"amendment {len(amendments) + 1}"
            try:
                amendment = amendment_from_plain(fields(value, "kind", "amendment", "digest")[1])
            except KieryError as error:
                _disagree("amendments", f"{place}: {error}")
            before = amendment_digest(before, amendment)
            if line_of(amendment_to_plain(amendment, before)) != line:
                _disagree("amendments", f"{place}: it does not follow on the spec and those before it")
            amendments.append(amendment)
            if amendment.number != len(amendments):
                _disagree("amendments", f"{place} is numbered {amendment.number}")
            self._compare_announced(line)
            self._counts["amendments"] += 1
        if not amendments:
            return course
        try:
            return Course(course.announced, course.secret, amendments)
        except (KieryError, ValueError, IndexError) as error:
            _disagree("amendments", f"they cannot be: {error}")

    def _later(self) -> Sequence[bytes]:
        """Returns the lines of the fixtures that follow from amendments or results."""
        later = []
        while self._is_next("fixture"):
            later.append(self._take("fixture")[0])
        return later

    def _compare_fixture(self, spec: TournamentSpec, fixture: Fixture, line: bytes | None) -> None:
        if line != line_of(fixture_to_plain(spec, fixture)):
            _disagree(
                "schedule", f"fixture {fixture.index}: spec, secret and results give other seats or boards"
            )
        self._counts["schedule"] += 1

    def _attempts(self, course: Course, later: Sequence[bytes]) -> None:
        book = AttemptBook(cancelled=self._cancelled)
        opening = len(course.opening.fixtures)
        self._compare_planned(course, opening, later)
        while self._is_next("attempt"):
            line, value = self._take("attempt")
            attempt, fixture = self._attempt(line, value, course)
            where = f"fixture {attempt.fixture}, attempt {attempt.attempt}"
            record = attempt.record
            if record is not None:
                try:
                    verified = verify_record(record, course.secret)
                except KieryError as error:
                    _disagree("records", f"{where}: {error}")
                self._counts["records"] += 1
                self._counts["boards"] += verified.deal_count
                self._counts["cards"] += verified.play_count
            fault = book.add(attempt, fixture)
            if fault is not None:
                _disagree("attempts", f"{where}: {fault}")
            self._counts["attempts"] += 1
            if record is not None and attempt.status == "valid":
                course.add(record)
                self._compare_planned(course, opening, later)
        fault = book.close(course.fixtures)
        if fault is not None:
            _disagree("attempts", fault)
        if len(course.fixtures) != opening + len(later):
            _disagree("schedule", f"{opening + len(later)} fixtures: the results plan {len(course.fixtures)}")

    def _compare_planned(self, course: Course, opening: int, later: Sequence[bytes]) -> None:
        """Compares the fixtures that have just been planned."""
        for fixture in course.fixtures[self._counts["schedule"] :]:
            index = fixture.index - opening
            self._compare_fixture(course.spec, fixture, later[index] if index < len(later) else None)

    def _attempt(self, line: bytes, value: Plain, course: Course) -> tuple[PublishedAttempt, Fixture]:
        place = f"line {self._counts['form']}"
        try:
            _, index, attempt, status, told, plain = fields(
                value, "kind", "fixture", "attempt", "status", "digest", "record"
            )
            if not 0 <= number(index) < len(course.fixtures):
                _disagree("attempts", f"{place}: there is no fixture {index}")
            fixture = course.fixtures[index]
            place = f"fixture {index}, attempt {number(attempt)}"
            record = None
            if plain is not None:
                record = read_record(plain, course, fixture, attempt)
                record = replace(record, digest=bytes.fromhex(text(told)))
        except (FormError, ValueError) as error:
            _disagree("records", f"{place}: {error}")
        read = PublishedAttempt(fixture=index, attempt=attempt, status=status, record=record)
        if line_of(attempt_to_plain(read)) != line:
            _disagree("form", f"{place}: the same is written in another form")
        seated = course.spec.seated_entrants
        if record is not None:
            for bot, entrant in zip(fixture.seats, record.header.entrants, strict=True):
                if seated[bot].version not in {"", entrant.version}:
                    _disagree(
                        "records", f"{place}: {entrant.name} is another version than it was entered with"
                    )
        return read, fixture

    def _standings(self, course: Course) -> None:
        standings = course.standings()
        expected: Iterator[Plain] = chain(standings_to_plain(standings), pairs_to_plain(standings))
        for plain in expected:
            kind = plain["kind"]
            check = "standings" if kind == "standing" else "pairs"
            _, found = self._take(kind)
            who = plain["entrant"] + (f" against {plain['opponent']}" if kind == "pair" else "")
            if found.keys() != plain.keys():
                _disagree(check, f"{who}: expected the figures {', '.join(plain)}")
            for figure, value in plain.items():
                if not _agree(value, found[figure]):
                    _disagree(check, f"{who}: {figure} is {found[figure]!a}: the records give {value!a}")
            self._counts[check] += 1


def _agree(expected: object, found: object) -> bool:
    """Tells whether a figure is the same but for the last bits before it was rounded."""
    if type(expected) is not type(found):
        return False
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(_agree, expected, found))
    if isinstance(expected, float) and isinstance(found, float):
        return abs(expected - found) < _TOLERANCE
    return expected == found
