"""The formats: which schedule a spec opens with, and who plans on from there."""

from collections.abc import Sequence

from kiery.engine import Derivation
from kiery.tournament.amendment import Amendment, amended_spec
from kiery.tournament.duel import DuelPlanner, duel_opening
from kiery.tournament.final import FinalPlanner
from kiery.tournament.ladder import LadderPlanner, ladder_opening
from kiery.tournament.planner import Planner
from kiery.tournament.replan import amended_schedule
from kiery.tournament.schedule import Schedule, build_schedule
from kiery.tournament.schedule_check import check_schedule
from kiery.tournament.spec import Format, TournamentSpec

__all__ = ["amended_opening", "opening_of", "planner_of"]


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


def amended_opening(
    spec: TournamentSpec, derivation: Derivation, amendments: Sequence[Amendment]
) -> tuple[TournamentSpec, Schedule]:
    """Returns the spec with its late entrants, and the fixtures that follow from no results.

    Args:
        spec: Without amendments.
        derivation: Of the secret and the spec's entropy.
        amendments: In their order.

    Raises:
        SpecError: The schedule cannot be built.
        ScheduleError: It does not keep its promises; a fault of ours.
    """
    opening = opening_of(spec, derivation)
    if not amendments:
        return spec, opening
    spec = amended_spec(spec, amendments)
    schedule = amended_schedule(spec, derivation, opening, amendments)
    if schedule.fixtures:
        check_schedule(schedule)
    return spec, schedule


def planner_of(
    spec: TournamentSpec, derivation: Derivation, schedule: Schedule, amendments: Sequence[Amendment] = ()
) -> Planner | None:
    """Returns who plans on from an opening as results come; none: the opening is all there is.

    Args:
        spec: With the late entrants of the amendments.
        derivation: Of the secret and the spec's entropy.
        schedule: The opening.
        amendments: In their order.
    """
    match spec.format:
        case Format.MATCH:
            return DuelPlanner(spec, derivation, schedule)
        case Format.LADDER:
            return LadderPlanner(spec, derivation, schedule, amendments)
        case Format.FINAL:
            return FinalPlanner(spec, derivation, schedule)
        case _:
            return None
