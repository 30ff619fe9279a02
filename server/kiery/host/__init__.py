"""The running server without its transport: who is connected, which tables are played, on what clock.

Everything here runs on one event loop and moves bytes only through `Session`; `transport` carries
them. What a match does is decided in `table`, never here.
"""

from kiery.host.bot import Bot, Seating
from kiery.host.clock import Clock, new_event_loop
from kiery.host.deadlines import Deadlines
from kiery.host.floor import Floor, Run, Verdict
from kiery.host.lobby import Lobby
from kiery.host.session import Refusal, RefusalReason, Session

__all__ = [
    "Bot",
    "Clock",
    "Deadlines",
    "Floor",
    "Lobby",
    "Refusal",
    "RefusalReason",
    "Run",
    "Seating",
    "Session",
    "Verdict",
    "new_event_loop",
]
