"""The running server without its transport: who is connected, which tables are played, on what clock.

Everything here runs on one event loop and moves bytes only through `Session`; `transport` carries
them. What a match does is decided in `table`, never here.
"""

from kiery.host.bot import Bot, Seating
from kiery.host.clock import Clock, new_event_loop
from kiery.host.contest import Contest, Seen, command_of
from kiery.host.deadlines import Deadlines
from kiery.host.director import Director
from kiery.host.floor import Floor, Run, Verdict
from kiery.host.journaled import JournaledFloor
from kiery.host.launcher import Launched, Launcher, LaunchError
from kiery.host.lobby import Lobby
from kiery.host.plan import Plan
from kiery.host.planning import (
    PlanDiffersError,
    SpecDiffersError,
    add_entrant,
    enter,
    read_plan,
    recall,
    withdraw_entrant,
)
from kiery.host.recovery import Recovery, boot_id, journal_of, open_journal
from kiery.host.scoreboard import Scoreboard
from kiery.host.session import Refusal, RefusalReason, Session
from kiery.host.writer import Writer

__all__ = [
    "Bot",
    "Clock",
    "Contest",
    "Deadlines",
    "Director",
    "Floor",
    "JournaledFloor",
    "LaunchError",
    "Launched",
    "Launcher",
    "Lobby",
    "Plan",
    "PlanDiffersError",
    "Recovery",
    "Refusal",
    "RefusalReason",
    "Run",
    "Scoreboard",
    "Seating",
    "Seen",
    "Session",
    "SpecDiffersError",
    "Verdict",
    "Writer",
    "add_entrant",
    "boot_id",
    "command_of",
    "enter",
    "journal_of",
    "new_event_loop",
    "open_journal",
    "read_plan",
    "recall",
    "withdraw_entrant",
]
