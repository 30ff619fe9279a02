"""Finished tournaments, played through the engine alone, and what is published of them."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from tests.record.matches import SECRET, START_MS, played_match

from kiery.audit import Course, PublishedAttempt, publish
from kiery.audit.records import header_of
from kiery.engine import Substitution
from kiery.record import MatchRecord, build_record
from kiery.terms import MatchCause, SeatCause, SubstitutionScope
from kiery.tournament import Amendment, Sharing, TournamentSpec, spec_from_values


class Evening:
    """A tournament that was played: its attempts may be changed before it is published.

    Args of the constructor:
        names: Entrants; `ola:x` is of owner x.
        amend: Returns the amendments, given the tournament without any.
        forfeits: By fixture, the seat that a substitute keeps in deal 1.
        values: More fields of the spec.
    """

    def __init__(
        self,
        names: str,
        *,
        amend: Callable[[Course], list[Amendment]] = lambda _: [],
        forfeits: Mapping[int, int] | None = None,
        **values: object,
    ) -> None:
        entrants = [
            {"name": name, "owner": owner}
            for name, _, owner in (word.partition(":") for word in names.split())
        ]
        self.spec: TournamentSpec = spec_from_values(
            {"name": "cup", "entrants": entrants, "deals": 1, **values}
        )
        self.amendments = amend(Course(self.spec, SECRET))
        self.course = Course(self.spec, SECRET, self.amendments)
        self.forfeits = dict(forfeits or {})
        self.attempts: dict[tuple[int, int], PublishedAttempt] = {}
        played = 0
        while played < len(self.course.fixtures):
            # What follows from results is planned as they come.
            if not self.course.fixtures[played].dropped:
                self.course.add(self.play(played))
            played += 1

    def play(self, fixture: int, attempt: int = 1) -> MatchRecord:
        """Plays a fixture to its end as the result, and returns its record."""
        record = self.record(fixture, attempt)
        self.attempts[fixture, attempt] = PublishedAttempt(
            fixture=fixture, attempt=attempt, status="valid", record=record
        )
        return record

    def record(self, fixture: int, attempt: int, *, stop_after_plays: int | None = None) -> MatchRecord:
        """Returns the record of an attempt."""
        planned = self.course.fixtures[fixture]
        header = header_of(
            self.course,
            planned,
            attempt=attempt,
            match_id=f"cup-{fixture}-{attempt}",
            engine="kiery/test",
            versions=[self.course.spec.seated_entrants[bot].version or f"v{bot}" for bot in planned.seats],
        )
        match = played_match(
            header,
            seed=fixture + 1,
            think_ms=900,
            stop_after_plays=stop_after_plays,
            policies="low cautious random",
        )
        causes = [SeatCause.COMPLETED] * len(planned.seats)
        if fixture in self.forfeits:
            seat = self.forfeits[fixture]
            match.deals[0].notes.substitutions.append(
                Substitution(seat=seat, cause=SeatCause.TIMEOUT, scope=SubstitutionScope.DEAL, after_plays=7)
            )
            match.deals[0].notes.faults[seat] = 3
            causes[seat] = SeatCause.TIMEOUT
        return build_record(
            match,
            header,
            cause=MatchCause.COMPLETED if match.over else MatchCause.VOID_SERVER,
            seat_causes=tuple(causes),
            start_ms=START_MS + fixture,
            end_ms=START_MS + fixture + 60_000,
        )

    def void(self, fixture: int, *, after_plays: int | None = 20, lost: bool = False) -> None:
        """Voids the last attempt at a fixture and its set, and plays it again."""
        shared = self.course.schedule.sharing is Sharing.LAPS
        planned = self.course.fixtures[fixture]
        again = [
            each.index
            for each in self.course.fixtures
            if each.index == fixture or (shared and each.stream == planned.stream)
        ]
        attempt = max(number for index, number in self.attempts if index == fixture)
        for index in again:
            kept = self.attempts[index, attempt]
            record = kept.record
            if index == fixture:
                record = None if lost else self.record(index, attempt, stop_after_plays=after_plays)
            self.attempts[index, attempt] = replace(kept, status="void", record=record)
            self.play(index, attempt + 1)

    def lines(self, *, cancelled: bool = False) -> list[bytes]:
        """Returns what is published."""
        course = Course(self.spec, SECRET, self.amendments)
        kept = [self.attempts[key] for key in sorted(self.attempts)]
        for attempt in kept:
            if attempt.status == "valid" and attempt.record is not None:
                course.add(attempt.record)
        return list(publish(course, kept, cancelled=cancelled))
