"""The messages of one table, as the server itself builds them: what the floor `ring` sends again.

The floor of a card server moves the same bytes in the same order and plays nothing.
"""

from dataclasses import dataclass
from typing import Final

from kiery.bench.answers import answer_all
from kiery.bench.tables import new_match, new_table
from kiery.host import Clock, Floor, Lobby, Session
from kiery.terms import Limits
from kiery.v1 import play_pb2

__all__ = ["Script", "write_script"]

DEALS: Final = 4
"""One pass cycle; then the script begins again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What a table's seats are sent, by the number of answers that have come from them together."""

    opening: tuple[tuple[int, bytes], ...]
    """Sent before the first answer: seat and message."""
    steps: tuple[tuple[tuple[int, bytes], ...], ...]
    """Sent after each answer; after the last step the first one follows again."""


class _StillClock(Clock):
    """A clock that stands: a script takes no time."""

    def now(self) -> int:
        return 1

    def arrived(self) -> int:
        return 1


def write_script() -> Script:
    """Returns the script of a table whose bots answer as those of `load` do. Needs a running loop."""
    clock, limits = _StillClock(), Limits()
    floor = Floor(clock, limits)
    lobby = floor.lobby = Lobby(floor, clock, limits, "kiery bench")
    sessions: list[Session] = []
    for seat in range(4):
        session = lobby.open_session(lobby.bot(f"b{seat}", f"b{seat}"))
        hello = play_pb2.Hello(min_revision=1, max_revision=1)
        session.receive(play_pb2.PlayRequest(hello=hello).SerializeToString())
        sessions.append(session)
    table = new_table(new_match(0, deals=DEALS + 1), "script")
    floor.open(table, [session.bot for session in sessions], lambda _run, _verdict: None)
    waiting: list[tuple[int, bytes]] = []
    opening: list[tuple[int, bytes]] = []
    steps: list[tuple[tuple[int, bytes], ...]] = []
    _collect(sessions, waiting)
    while True:
        seat, message = waiting.pop(0)
        response = play_pb2.PlayResponse.FromString(message)
        request = answer_all(response)
        sessions[seat].receive(request.SerializeToString())
        sent = _collect(sessions, waiting)
        deals = len(table.match.deals)
        if not opening:
            # Everything before the first cards is start-up.
            opening = sent if deals else []
            continue
        steps.append(tuple(sent))
        if deals > DEALS:
            floor.close()
            return Script(opening=tuple(opening), steps=tuple(steps))


def _collect(sessions: list[Session], waiting: list[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    """Takes everything that the sessions have to say now; what asks for an answer waits for it."""
    sent: list[tuple[int, bytes]] = []
    for seat, session in enumerate(sessions):
        while (message := session.next_message()) is not None:
            session.write_completed()
            response = play_pb2.PlayResponse.FromString(message)
            if any(update.decision for update in response.updates):
                sent.append((seat, message))
    waiting += sent
    return sent
