"""Scripted bots: what each kind does to its stream, and what it answers.

A bot that behaves plays what `choose` says, a pure function of what it sees. So the cards of a match
between such bots are known before it is played.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from random import Random
from zlib import crc32

from tests.simulation.loop import VirtualLoop
from tests.simulation.network import Stream

from kiery.cards import card_numbers, mask_of
from kiery.v1 import play_pb2
from kiery.view import DecisionKind, Fold, Observation, Update
from kiery.wire import update_from_message

_SILENCE_S = 30.0
_ECHO_S = 15.0


class Kind(Enum):
    """What a bot is like."""

    HONEST = "honest"
    CRASHING = "crashing"
    """Its process dies and comes back knowing nothing."""
    HANGING = "hanging"
    """Thinks for minutes now and then."""
    FLOODING = "flooding"
    """Sends far more than it is asked for, and does not read for a while."""
    LYING = "lying"
    """Answers what it may not, to whom it may not; leaves; sends bytes that are no message."""
    SLOW = "slow"
    """Uses all of its time, and more."""
    RECONNECTING = "reconnecting"
    """Connects again and again, before and after its stream is lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """One bot of a scenario."""

    name: str
    kind: Kind
    think_s: float
    """The longest that it thinks while it behaves."""
    immediate: bool
    snapshots: bool
    max_tables: int


class RefusedError(Exception):
    """Nobody listens."""


def choose(name: str, seen: Observation, legal: bytes, count: int) -> bytes:
    """Returns the cards that a bot of this name answers with."""
    facts = b"%s %d %x %s" % (name.encode(), seen.deal_number, seen.hand_mask, seen.cards)
    start = crc32(facts)
    left = list(legal)
    return bytes(sorted(left.pop((start + 7 * drawn) % len(left)) for drawn in range(count)))


class Hand:
    """A seat as the bot knows it."""

    def __init__(self, fold: Fold, handle: int) -> None:
        self.fold = fold
        self.handle = handle
        self.pass_sent = 0
        self.blind = False
        """Whether what comes does not follow on what is known: only a snapshot helps."""

    def apply(self, update: Update) -> None:
        """Takes in an update; without what goes before it, only its snapshot."""
        if self.blind and update.observation is None:
            return
        if self.blind:
            update = replace(update, cards=b"", seats=b"", winners=b"", news=None)
            self.blind = False
        self.fold.apply(update, pass_sent=self.pass_sent)


class ScriptedBot:
    """A bot's process, with its connection."""

    def __init__(
        self, script: Script, loop: VirtualLoop, dial: Callable[[str], Awaitable[Stream]], chance: Random
    ) -> None:
        self.script = script
        self.behaves = script.kind is Kind.HONEST
        self.stream: Stream | None = None
        self.sent: Callable[[str, bytes], None] = lambda name, data: None
        """Is told what the bot sends."""
        self._loop = loop
        self._dial = dial
        self._chance = chance
        self._seats: dict[tuple[str, int], Hand] = {}
        self._by_handle: dict[int, Hand] = {}
        self._secret = b""
        self._hangs_until = 0.0
        self._old: list[tuple[int, int]] = []

    def reform(self) -> None:
        """Behaves from now on."""
        self.behaves = True
        self._hangs_until = 0.0
        if self.stream is not None and self.script.kind is not Kind.HONEST:
            # A new hello takes back what was said about tables.
            self.stream.cut()

    # The connection

    async def run(self) -> None:
        """Lives until it is cancelled."""
        while True:
            await asyncio.sleep(self._chance.uniform(0.05, 1.5))
            with suppress(RefusedError):
                self.stream = stream = await self._dial(self.script.name)
                self._hello(stream)
                await self._converse(stream)
            if self.script.kind is Kind.CRASHING and not self.behaves and self._chance.random() < 0.5:
                # A new process knows nothing.
                self._seats.clear()
                self._secret = b""
                await self._nap(40)

    async def _nap(self, longest: float) -> None:
        """Waits, but not beyond the time when it has to behave."""
        for _ in range(round(self._chance.uniform(0, longest))):
            if self.behaves:
                return
            await asyncio.sleep(1)

    def _hello(self, stream: Stream) -> None:
        script, chance = self.script, self._chance
        hello = play_pb2.Hello(min_revision=1, max_revision=1, max_tables=script.max_tables, version="1")
        if script.immediate:
            hello.delivery = play_pb2.DELIVERY_IMMEDIATE
        if script.snapshots:
            hello.snapshots = play_pb2.SNAPSHOTS_EVERY_DECISION
        for (match_id, seat), hand in self._seats.items():
            hello.positions.add(match_id=match_id, seat=seat, sequence=hand.fold.sequence)
        if not self.behaves and script.kind is Kind.LYING and chance.random() < 0.3:
            hello.min_revision = chance.choice([1, 2])
            hello.resume_secret = chance.choice([b"", b"x" * 16, self._secret])
            for position in hello.positions:
                position.sequence = chance.choice([0, 1, position.sequence + 1, 99_999, position.sequence])
        self._by_handle.clear()
        self._send(stream, play_pb2.PlayRequest(hello=hello))

    async def _converse(self, stream: Stream) -> None:
        pinged = False
        while True:
            try:
                async with asyncio.timeout(_ECHO_S if pinged else _SILENCE_S):
                    data = await stream.read()
            except TimeoutError:
                if pinged:
                    stream.cut()
                    return
                pinged = True
                self._send(stream, play_pb2.PlayRequest(heartbeat=play_pb2.Heartbeat(ping=77)))
                continue
            pinged = False
            if data is None:
                return
            if not await self._take(stream, play_pb2.PlayResponse.FromString(data)):
                return

    async def _take(self, stream: Stream, response: play_pb2.PlayResponse) -> bool:
        """Handles a response; false to leave this stream alone from now on."""
        if response.HasField("welcome"):
            self._secret = response.welcome.resume_secret
        for message in response.updates:
            self._follow(stream, message)
        if response.heartbeat.ping:
            pong = play_pb2.Heartbeat(pong=response.heartbeat.ping)
            self._send(stream, play_pb2.PlayRequest(heartbeat=pong))
        return self.behaves or await self._misbehave(stream)

    def _send(self, stream: Stream, request: play_pb2.PlayRequest) -> None:
        self._send_bytes(stream, request.SerializeToString())

    def _send_bytes(self, stream: Stream, data: bytes) -> None:
        self.sent(self.script.name, data)
        stream.send(data)

    # The game

    def _follow(self, stream: Stream, message: play_pb2.TableUpdate) -> None:
        hand = self._by_handle.get(message.table)
        known = hand.fold.started if hand is not None else None
        update = update_from_message(message, known.rules if known else None, known.seat if known else 0)
        news = update.news
        if news is not None and news.match_started is not None:
            started = news.match_started
            key = started.match_id, started.seat
            old = self._seats.get(key)
            resumed = old is not None and old.fold.sequence == started.after and started.after > 0
            fold = old.fold if old is not None and resumed else Fold(started)
            hand = self._seats[key] = self._by_handle[message.table] = Hand(fold, message.table)
            hand.blind = started.after > 0 and not resumed
        assert hand is not None, "an update of a table that was not announced"
        hand.apply(update)
        if news is not None and news.match_ended is not None:
            del self._by_handle[message.table]
            self._seats.pop((hand.fold.started.match_id, hand.fold.started.seat), None)
        elif update.decision is not None:
            self._decide(stream, hand, update.decision_id, update.time_ms)

    def _decide(self, stream: Stream, hand: Hand, decision_id: int, time_ms: int) -> None:
        seen = hand.fold.observation()
        answer = play_pb2.Answer(table=hand.handle, decision=decision_id)
        if seen.kind in {DecisionKind.PASS, DecisionKind.PLAY}:
            legal = card_numbers(seen.legal_mask)
            answer.cards = choose(self.script.name, seen, legal, seen.choose_count)
            if seen.kind is DecisionKind.PASS:
                hand.pass_sent = mask_of(answer.cards)
        delay = self._chance.uniform(0, self.script.think_s)
        if not self.behaves:
            delay += self._delay(answer, time_ms)
        self._loop.call_later(delay, self._answer, stream, answer)

    def _answer(self, stream: Stream, answer: play_pb2.Answer) -> None:
        if stream is self.stream:
            self._send(stream, play_pb2.PlayRequest(answers=[answer]))
            self._old = [*self._old[-20:], (answer.table, answer.decision)]

    # Everything else

    def _delay(self, answer: play_pb2.Answer, time_ms: int) -> float:
        """Spoils an answer, or returns for how long to keep it."""
        chance, kind = self._chance, self.script.kind
        if kind is Kind.SLOW:
            return chance.choice([0.0, 0.0, 0.9, 0.99, 1.0, 1.5]) * (time_ms or 1000) / 1000
        if kind is Kind.HANGING:
            if chance.random() < 0.03:
                self._hangs_until = self._loop.time() + chance.uniform(5, 200)
            return max(0.0, self._hangs_until - self._loop.time())
        if kind is Kind.LYING and chance.random() < 0.2:
            self._lie(answer)
        return 0.0

    def _lie(self, answer: play_pb2.Answer) -> None:
        chance = self._chance
        match chance.randrange(7):
            case 0:
                answer.cards = bytes(chance.randrange(256) for _ in range(chance.randrange(5)))
            case 1:
                answer.cards = bytes(chance.sample(range(1, 53), max(1, len(answer.cards))))
            case 2:
                answer.decision += chance.choice([-1, 1, 2, 1000])
            case 3:
                answer.table = chance.randrange(1 << 21)
            case 4:
                answer.moon_choice = chance.randrange(1, 4)
            case 5 if chance.random() < 0.2:
                answer.decline = chance.randrange(1, 6)
            case _:
                answer.table, answer.decision = chance.choice(self._old or [(1, 1)])

    async def _misbehave(self, stream: Stream) -> bool:
        chance, kind = self._chance, self.script.kind
        roll = chance.random()
        if kind is Kind.CRASHING and roll < 0.02:
            stream.cut()
            return False
        if kind is Kind.FLOODING:
            await self._flood(stream, roll)
        elif kind is Kind.LYING:
            self._rave(stream, roll)
        elif kind is Kind.RECONNECTING and roll < 0.06:
            self._leave_stream(stream)
            return False
        return True

    def _leave_stream(self, stream: Stream) -> None:
        match self._chance.randrange(3):
            case 0:
                stream.half_close()
            case 1:
                stream.cut()
            case _:
                # The next hello takes over from a stream that lives.
                pass

    async def _flood(self, stream: Stream, roll: float) -> None:
        chance = self._chance
        if roll < 0.3:
            for _ in range(chance.randrange(40)):
                table, decision = chance.choice(self._old or [(1, 1)])
                answers = [play_pb2.Answer(table=table, decision=decision, cards=b"\x01")]
                self._send(stream, play_pb2.PlayRequest(answers=answers * chance.randrange(1, 4)))
        elif roll < 0.4:
            for ping in range(chance.randrange(50)):
                self._send(stream, play_pb2.PlayRequest(heartbeat=play_pb2.Heartbeat(ping=ping + 1)))
        elif roll < 0.41:
            await self._nap(40)

    def _rave(self, stream: Stream, roll: float) -> None:
        if roll < 0.01:
            self._send_bytes(stream, self._chance.randbytes(20))
        elif roll < 0.015:
            self._send(stream, play_pb2.PlayRequest(hello=play_pb2.Hello(min_revision=1)))
        elif roll < 0.018:
            leave = play_pb2.Leave(resign=self._chance.random() < 0.3)
            self._send(stream, play_pb2.PlayRequest(leave=leave))
        elif roll < 0.03:
            capacity = play_pb2.Capacity(max_tables=self._chance.choice([0, 1, 5, 2000, 1 << 31]))
            self._send(stream, play_pb2.PlayRequest(capacity=capacity))
