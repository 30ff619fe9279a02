"""The formats: which schedule a spec opens with, and who plans on from there."""

from kiery.engine import Derivation
from kiery.tournament.duel import DuelPlanner, duel_opening
from kiery.tournament.final import FinalPlanner
from kiery.tournament.ladder import LadderPlanner, ladder_opening
from kiery.tournament.planner import Planner
from kiery.tournament.schedule import Schedule, build_schedule
from kiery.tournament.schedule_check import check_schedule
from kiery.tournament.spec import Format, TournamentSpec

__all__ = ["opening_of", "planner_of"]


def opening_of(spec: TournamentSpec, derivation: Derivation) -> Schedule:
    """Returns the fixtures that follow from no results, checked: of most formats all of them.

    Raises:
        SpecError: The schedule cannot be built.
        ScheduleError: It does not keep its promises; a fault of ours.
    """
    match spec.format:
        case Format.MATCH:
            schedule = duel_opening(spec, derivation)
        case Format.LADDER:
            # Nothing is promised of its tables before they are planned.
            return ladder_opening(spec)
        case _:
            schedule = build_schedule(spec, derivation)
    check_schedule(schedule)
    return schedule


def planner_of(spec: TournamentSpec, derivation: Derivation, schedule: Schedule) -> Planner | None:
    """Returns who plans on from an opening as results come; none: the opening is all there is."""
    match spec.format:
        case Format.MATCH:
            return DuelPlanner(spec, derivation, schedule)
        case Format.LADDER:
            return LadderPlanner(spec, derivation, schedule)
        case Format.FINAL:
            return FinalPlanner(spec, derivation, schedule)
        case _:
            return None
