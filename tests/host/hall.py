"""A whole host without a transport: a clock that is set, raw streams, bots that speak in bytes."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from tests.engine.play import random_match

from kiery.host import Bot, Clock, Floor, Lobby, Run, Session, Verdict
from kiery.rules import Rules, preset
from kiery.table import Table
from kiery.terms import FaultPolicy, ForcedActions, Limits, MatchCause, TimeControl
from kiery.v1 import play_pb2, terms_pb2

MS = 1_000_000
S = 1000 * MS


class SetClock(Clock):
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        super().__init__()
        self.time = 1_000 * S

    def now(self) -> int:
        return self.time

    def arrived(self) -> int:
        return self.time

    def today(self) -> datetime:
        return datetime(2026, 1, 2, tzinfo=UTC)


class Stream:
    """One stream of a bot, seen from the bot's side."""

    def __init__(self, hall: "Hall", bot: Bot) -> None:
        self.hall = hall
        self.session: Session = hall.lobby.open_session(bot)
        self.read: list[play_pb2.PlayResponse] = []
        self.handles: dict[tuple[str, int], int] = {}

    @property
    def reason(self) -> str | None:
        """How the server ends the stream."""
        closed = self.session.closed
        return None if closed is None else closed.reason.value

    def send(self, **fields: object) -> None:
        self.session.receive(play_pb2.PlayRequest(**fields).SerializeToString())  # type: ignore[arg-type]

    def hello(self, **fields: object) -> "Stream":
        revisions = {"min_revision": 1, "max_revision": 1}
        self.send(hello=play_pb2.Hello(**{**revisions, **fields}))  # type: ignore[arg-type]
        return self

    def take(self) -> list[play_pb2.PlayResponse]:
        """Reads everything that the server writes now."""
        read: list[play_pb2.PlayResponse] = []
        while self.session.closed is None:
            data = self.session.next_message()
            if data is None:
                break
            assert len(data) <= self.hall.limits.max_message_bytes
            self.session.write_completed()
            read.append(play_pb2.PlayResponse.FromString(data))
        for response in read:
            for update in response.updates:
                if update.news.HasField("match_started"):
                    started = update.news.match_started
                    self.handles[started.match_id, started.seat] = update.table
        self.read += read
        return read

    def updates(self) -> list[play_pb2.TableUpdate]:
        """Reads what is there and returns the updates in it."""
        return [update for response in self.take() for update in response.updates]

    def answer_all(self, updates: Sequence[play_pb2.TableUpdate] | None = None) -> int:
        """Answers every decision in what is read with the first legal cards."""
        updates = self.updates() if updates is None else updates
        answers = [
            play_pb2.Answer(
                table=update.table, decision=update.decision, cards=update.legal[: update.choose_count]
            )
            for update in updates
            if update.decision
        ]
        if answers:
            self.send(answers=answers)
        return len(answers)

    def lose(self) -> None:
        """Ends the stream as a lost one."""
        self.session.hang_up()
        self.hall.lobby.lost(self.session)


class Hall:
    """Lobby and floor with a clock that is set."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.clock = SetClock()
        self.limits = limits or Limits()
        self.floor = Floor(self.clock, self.limits)
        self.lobby = Lobby(self.floor, self.clock, self.limits, "kiery test")
        self.floor.lobby = self.lobby
        self.verdicts: list[Verdict] = []

    def bot(self, name: str) -> Bot:
        return self.lobby.bot(f"id-{name}", name)

    def stream(self, name: str) -> Stream:
        return Stream(self, self.bot(name))

    def seat(
        self,
        names: Sequence[str],
        *,
        match_id: str = "m1",
        deals: int = 1,
        rules: Rules | None = None,
        time: TimeControl | None = None,
        ended: Callable[[Run, Verdict], None] | None = None,
    ) -> Run:
        """Begins a match of the bots of these names."""
        rules = rules or preset("hearts", 4)
        table = Table(
            random_match(rules, 1, deal_limit=deals),
            match_id=match_id,
            names=names,
            time_control=time or TimeControl(),
            fault_policy=FaultPolicy(),
            forced_actions=ForcedActions.ASK,
        )
        return self.floor.open(table, [self.bot(name) for name in names], ended or self.ended)

    def ended(self, run: Run, verdict: Verdict) -> None:
        self.verdicts.append(verdict)
        if verdict is Verdict.PLAYED:
            self.floor.finish(run, MatchCause.COMPLETED, b"d" * 32)

    def pass_time(self, duration: int) -> None:
        """Lets time pass, deadlines and heartbeats included, without a loop."""
        until = self.clock.time + duration
        while self.clock.time < until:
            self.clock.time = min(until, self.clock.time + S)
            self.floor._deadlines._decide()
            self.lobby.tick()


def play_out(streams: Sequence[Stream]) -> None:
    """Has every bot answer until nobody is asked."""
    while sum(stream.answer_all() for stream in streams):
        pass


def news_of(updates: Sequence[play_pb2.TableUpdate], name: str) -> list[object]:
    """Returns one kind of news out of some updates."""
    return [getattr(update.news, name) for update in updates if update.news.HasField(name)]  # type: ignore[arg-type]


UNDECODABLE = b"\xff\xff\xff"
INVALID_UTF8 = b"\x12\x06\x1a\x04\xff\xfe\xfd\xfc"
READY = terms_pb2.DECISION_KIND_READY
