"""Which attempts there are: one result a fixture, and every further try on boards that nobody has seen."""

from collections.abc import Iterable
from typing import Final

from kiery.audit.publication import PublishedAttempt
from kiery.terms import MatchCause
from kiery.tournament import Fixture

__all__ = ["AttemptBook"]

_ENDINGS: Final = {
    "valid": {MatchCause.COMPLETED},
    # A whole match is void where another one of its set was.
    "void": {MatchCause.COMPLETED, MatchCause.VOID_SERVER, MatchCause.VOID_ORGANISER},
    "cancelled": {MatchCause.CANCELLED},
}


class AttemptBook:
    """The attempts of a tournament as they are read."""

    def __init__(self, *, cancelled: bool) -> None:
        """Starts without attempts."""
        self._cancelled = cancelled
        self._last = (-1, 0)
        self._voids: dict[str, set[int]] = {}
        self._valid: dict[int, int] = {}
        self._given_up: dict[int, int] = {}

    def add(self, attempt: PublishedAttempt, fixture: Fixture) -> str | None:
        """Takes in an attempt; returns what is wrong with it, none if nothing is."""
        key = (attempt.fixture, attempt.attempt)
        if key <= self._last:
            return "it is there twice, or out of order"
        self._last = key
        if fixture.dropped:
            return "the fixture was taken off by an amendment before it began"
        endings = _ENDINGS.get(attempt.status)
        if endings is None:
            return f"expected one of {', '.join(_ENDINGS)}"
        if attempt.record is None:
            if attempt.status != "void":
                return f"it is called {attempt.status}, and has no record"
        elif attempt.record.cause not in endings:
            return (
                f"it is called {attempt.status}, and its match ended with {attempt.record.cause.name.lower()}"
            )
        stream = fixture.stream
        match attempt.status:
            case "void":
                self._voids.setdefault(stream, set()).add(attempt.attempt)
            case "valid":
                if attempt.fixture in self._valid:
                    return f"attempt {self._valid[attempt.fixture]} is the result already"
                self._valid[attempt.fixture] = attempt.attempt
            case _:
                self._given_up[attempt.fixture] = attempt.attempt
        return None

    def close(self, fixtures: Iterable[Fixture]) -> str | None:
        """Returns what is wrong with all of them together, none if nothing is."""
        for stream, numbers in self._voids.items():
            if numbers != set(range(1, len(numbers) + 1)):
                return f"the void attempts at {stream} are numbered {sorted(numbers)}: expected 1, 2, …"
        missing = 0
        for fixture in fixtures:
            if fixture.dropped:
                continue
            expected = len(self._voids.get(fixture.stream, ())) + 1
            valid = self._valid.get(fixture.index)
            given_up = self._given_up.get(fixture.index)
            missing += valid is None
            if valid is None and not self._cancelled:
                return f"fixture {fixture.index} has no result"
            if given_up is not None and (valid is not None or not self._cancelled):
                return f"fixture {fixture.index}: an attempt was given up, but not the tournament"
            for number in (valid, given_up):
                if number not in {None, expected}:
                    return (
                        f"fixture {fixture.index}: attempt {number} stands after {expected - 1} void ones:"
                        f" expected attempt {expected}"
                    )
        if self._cancelled and not missing:
            return "the tournament is called cancelled, and every fixture has a result"
        return None
