"""Tournaments: spec, entrants, schedule, seat plan, results and standings.

Everything here is a pure function of values. What is not here: who plays the fixtures and when (`host`).
"""

from kiery.tournament.amendment import (
    Amendment,
    Leaving,
    amendment_digest,
    amendment_from_json,
    entry,
    withdrawal,
)
from kiery.tournament.design import DesignError, DesignSource
from kiery.tournament.duel import DuelPlanner
from kiery.tournament.entrant import Entrant, EntrantKind, house_entrants, name_key
from kiery.tournament.formats import amended_opening, opening_of, planner_of
from kiery.tournament.planner import Planner
from kiery.tournament.results import DealRow
from kiery.tournament.schedule import MAX_FIXTURES, Fixture, Schedule, build_schedule, label
from kiery.tournament.schedule_check import ScheduleCheck, ScheduleError, Spread, check_schedule
from kiery.tournament.sequential import Lineup, SequentialTest, TestState, TestVerdict
from kiery.tournament.spec import (
    MAX_ENTRANTS,
    Clocks,
    Faults,
    Format,
    Pairing,
    RulesChoice,
    Sharing,
    TournamentSpec,
)
from kiery.tournament.spec_text import (
    SpecError,
    canonical_spec,
    differing_fields,
    digest,
    json_schema,
    spec_from_json,
    spec_from_toml,
    spec_from_values,
    spec_to_json,
)
from kiery.tournament.standings import Standings, StandingsPair, StandingsRow, compute_standings
from kiery.tournament.tally import Tally

__all__ = [
    "MAX_ENTRANTS",
    "MAX_FIXTURES",
    "Amendment",
    "Clocks",
    "DealRow",
    "DesignError",
    "DesignSource",
    "DuelPlanner",
    "Entrant",
    "EntrantKind",
    "Faults",
    "Fixture",
    "Format",
    "Leaving",
    "Lineup",
    "Pairing",
    "Planner",
    "RulesChoice",
    "Schedule",
    "ScheduleCheck",
    "ScheduleError",
    "SequentialTest",
    "Sharing",
    "SpecError",
    "Spread",
    "Standings",
    "StandingsPair",
    "StandingsRow",
    "Tally",
    "TestState",
    "TestVerdict",
    "TournamentSpec",
    "amended_opening",
    "amendment_digest",
    "amendment_from_json",
    "build_schedule",
    "canonical_spec",
    "check_schedule",
    "compute_standings",
    "differing_fields",
    "digest",
    "entry",
    "house_entrants",
    "json_schema",
    "label",
    "name_key",
    "opening_of",
    "planner_of",
    "spec_from_json",
    "spec_from_toml",
    "spec_from_values",
    "spec_to_json",
    "withdrawal",
]
