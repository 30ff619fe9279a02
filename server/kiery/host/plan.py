"""What a tournament plays: spec, schedule, where its boards come from, and who plans on."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from kiery.engine import Derivation
from kiery.tournament import Amendment, Fixture, Planner, Schedule, TournamentSpec

__all__ = ["Plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a tournament plays; settled before its first card, but for what follows from results."""

    spec: TournamentSpec
    """The spec, with the entrants of its amendments."""
    schedule: Schedule
    """The fixtures that follow from no results."""
    derivation: Derivation
    """Where the boards come from."""
    planner: Planner | None = None
    """Plans on as results come; none: the schedule is all there is."""
    amendments: tuple[Amendment, ...] = ()
    """Late entries and withdrawals, in their order."""

    @property
    def fixtures(self) -> Sequence[Fixture]:
        """All fixtures planned so far, by index; those that were dropped are never played."""
        return self.schedule.fixtures if self.planner is None else self.planner.fixtures

    @property
    def withdrawn(self) -> frozenset[str]:
        """Names of the entrants that left: nobody waits for them."""
        entrants = self.spec.entrants
        return frozenset(
            entrants[each.withdrawn].name for each in self.amendments if each.withdrawn is not None
        )

    @property
    def complete(self) -> bool:
        """Whether no more fixtures will be planned."""
        return self.planner is None or self.planner.complete

    @property
    def match_count(self) -> int:
        """Matches planned so far that are to be played."""
        return len(self.fixtures) - sum(fixture.dropped for fixture in self.fixtures)

    @property
    def length(self) -> str:
        """How many matches there are, for people: `60`, or `24 or more` while results decide."""
        return f"{self.match_count}{'' if self.complete else ' or more'}"

    @property
    def report(self) -> Sequence[str]:
        """What the planner has to say beside the standings; may be empty."""
        return () if self.planner is None else self.planner.report

    def match_id(self, fixture: int, attempt: int) -> str:
        """Returns the lasting name of a match, at most 16 characters; its first part says nothing."""
        tag = hashlib.sha256(self.spec.name.encode()).hexdigest()[:6]
        return f"{tag}-{fixture}-{attempt}"
