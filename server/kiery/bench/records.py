"""What records cost: bytes, the CPU to build and pack them, and the speed of playing them again."""

import gc
import time
from dataclasses import replace
from random import Random
from typing import Final

from kiery.bench.experiment import Experiment
from kiery.bench.figure import Figure, Goal, Of, measured
from kiery.bench.rig import Settings
from kiery.bench.tables import PLAYERS, header_of, new_match
from kiery.cards import mask_of
from kiery.engine import Match
from kiery.policy import POLICIES, Chance, act
from kiery.record import MatchHeader, MatchRecord, build_record, verify_record
from kiery.terms import ActionCause, MatchCause, SeatCause
from kiery.view import Decision, DecisionKind, Phase
from kiery.wire_service import record_to_bytes

__all__ = ["RECORD_EXPERIMENT", "played_match"]

_DEALS: Final = 12
_MATCHES: Final = 40
_QUICK_MATCHES: Final = 12
_MINUTE_MS: Final = 60_000
_NAMES: Final = ("record/size/plain", "record/size/times", "record/move", "verify/rate")
_TIMES_NOTE: Final = "think times drawn from a log-normal distribution, median 20 ms"


class _Dice(Chance):
    """Random choices of the policies."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def below(self, bound: int, /) -> int:
        return self._random.randrange(bound)


def played_match(number: int, *, deals: int) -> Match:
    """Returns a match that two cautious and two random bots have played, with think times."""
    match = new_match(number, deals=deals)
    chance = _Dice(number)
    thinking = Random(number)
    policies = [POLICIES[name] for name in ("cautious", "random", "cautious", "random")]

    def answer(seat: int, decision: Decision) -> bytes:
        return act(policies[seat], match.observe(seat, decision=decision), chance).cards

    def think_ms() -> int:
        return int(thinking.lognormvariate(3.0, 1.0))

    while not match.over:
        match.start_deal()
        deal = match.deal
        notes = deal.notes
        if deal.phase is Phase.PASSING:
            for seat in range(PLAYERS):
                decision = Decision(kind=DecisionKind.PASS, legal=deal.board.hands[seat], count=3)
                match.choose_pass(seat, mask_of(answer(seat, decision)))
                notes.pass_causes[seat] = ActionCause.ANSWERED
                notes.pass_ms[seat] = think_ms()
        while deal.phase is Phase.PLAYING:
            cards = answer(deal.turn, Decision(kind=DecisionKind.PLAY, legal=deal.legal, count=1))
            match.play(cards[0])
            notes.play_causes.append(ActionCause.ANSWERED)
            notes.play_ms.append(think_ms())
        if deal.phase is Phase.MOON_CHOICE:
            match.choose_moon(None)
            notes.moon_cause = ActionCause.ANSWERED
    return match


def _record(match: Match, header: MatchHeader) -> MatchRecord:
    return build_record(
        match,
        header,
        cause=MatchCause.COMPLETED,
        seat_causes=(SeatCause.COMPLETED,) * PLAYERS,
        start_ms=0,
        end_ms=_MINUTE_MS,
    )


def _without_times(record: MatchRecord) -> MatchRecord:
    # The hash chain is not repaired: its length does not depend on what it hashes.
    deals = tuple(replace(deal, pass_ms=(), play_ms=(), moon_ms=0) for deal in record.deals)
    return replace(record, deals=deals)


def _run(settings: Settings, names: frozenset[str]) -> list[Figure]:
    count = _QUICK_MATCHES if settings.quick else _MATCHES
    played = [
        (played_match(number, deals=_DEALS), header_of(number, deals=_DEALS)) for number in range(count)
    ]
    records = [_record(match, header) for match, header in played]
    plays = sum(len(deal.cards) for record in records for deal in record.deals)
    figures = []
    if "record/size/plain" in names:
        sizes = [len(record_to_bytes(_without_times(record))) for record in records]
        figures.append(_size("record/size/plain", sizes, 1.1, f"{count} matches of {_DEALS} deals"))
    if "record/size/times" in names:
        sizes = [len(record_to_bytes(record)) for record in records]
        figures.append(_size("record/size/times", sizes, 3.5, _TIMES_NOTE))
    building: list[float] = []
    verifying: list[float] = []
    for _ in range(settings.rounds):
        gc.collect()
        start = time.thread_time()
        for match, header in played:
            record_to_bytes(_record(match, header))
        built = time.thread_time()
        gc.collect()
        again = time.thread_time()
        for record in records:
            verify_record(record)
        building.append((built - start) / plays * 1e6)
        verifying.append(plays / (time.thread_time() - again) / 1e6)
    if "record/move" in names:
        note = "built, hashed, packed and compressed, once a match"
        figures.append(measured("record/move", "µs CPU/play", building, note=note))
    if "verify/rate" in names:
        goal = Goal(bound=2, of=Of.VALUE, at_least=True, source="P6")
        figures.append(measured("verify/rate", "M plays/s", verifying, goal=goal, note="hash chain included"))
    return figures


def _size(name: str, sizes: list[int], bound: float, note: str) -> Figure:
    goal = Goal(bound=bound, of=Of.VALUE, source="P6")
    return measured(name, "KB/match", [size / 1000 for size in sizes], goal=goal, note=note)


RECORD_EXPERIMENT: Final = Experiment(names=_NAMES, run=_run, in_quick=frozenset(_NAMES))
"""Records, alone in this process."""
