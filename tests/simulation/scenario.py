"""What a seed means: the tournament, its bots, their ways to the server, and what goes wrong when."""

from dataclasses import dataclass
from enum import Enum
from random import Random
from typing import Any

from tests.simulation.bots import Kind, Script
from tests.simulation.network import Weather

from kiery.tournament import TournamentSpec, spec_from_values

SECRET = bytes(range(32))

_NAMES = ("ala", "ola", "ela", "ula", "iga", "ewa", "ida", "lea")
_SHAPES = ((4, 4, 1), (4, 4, 2), (4, 3, 1), (5, 5, 1), (5, 4, 1), (8, 8, 1))
"""Entrants, seats and deals a match."""


class Mode(Enum):
    """What is asked of a run."""

    SAFETY = "safety"
    """Things go wrong all the time: nothing false may happen."""
    LIVENESS = "liveness"
    """They stop going wrong: everything must come to its end within an hour."""


class Blow(Enum):
    """Something that happens to the server."""

    KILL = "kill"
    """It dies between two turns of its loop."""
    KILL_IN_WRITE = "kill in write"
    """It dies in a write to its journal."""
    KILL_IN_STORE = "kill in store"
    """It dies around a call to its store."""
    STOP = "stop"
    """It is told to end."""
    REBOOT = "reboot"
    """The machine dies, and its clock starts anew."""
    FULL_DISK = "full disk"
    """The journal cannot be written for a while."""
    BROKEN_STORE = "broken store"
    """The store cannot be written for a while."""
    FAULT = "fault"
    """A table fails: a bug of ours."""
    STALL = "stall"
    """The loop does nothing for a moment."""
    WALL_CLOCK = "wall clock"
    """Somebody sets the date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A seed, spelt out."""

    seed: int
    mode: Mode
    spec: TournamentSpec
    scripts: tuple[Script, ...]
    weather: dict[str, Weather]
    blows: tuple[tuple[int, Blow], ...]
    """After how many answers taken, and what."""
    store_latency_s: float
    max_tables: int
    segment_bytes: int

    def is_steady(self, name: str) -> bool:
        """Whether a bot behaves and nothing happens on its way: no fault can be its own."""
        script = next(each for each in self.scripts if each.name == name)
        return script.kind is Kind.HONEST and self.weather[name].fair


def draw(seed: int, mode: Mode) -> Scenario:
    """Returns what a seed means."""
    chance = Random(f"scenario-{seed}-{mode.value}")
    count, players, deals = chance.choice(_SHAPES)
    names = _NAMES[:count]
    # One in four is a tournament of bots that behave, so that its result is known.
    calm = chance.random() < 0.25
    scripts = tuple(_script(chance, name, calm=calm) for name in names)
    weather = {name: Weather() if calm else _weather(chance) for name in names}
    answers = 60 * count * deals
    blows = sorted(
        ((chance.randrange(answers), blow) for blow in _blows(chance)),
        key=lambda each: (each[0], each[1].value),
    )
    if Random(f"early-{seed}").random() < 0.12:
        # Before anybody was asked anything.
        blows.insert(0, (0, Blow.FULL_DISK))
    return Scenario(
        seed=seed,
        mode=mode,
        spec=_spec(chance, names, players, deals),
        scripts=scripts,
        weather=weather,
        blows=tuple(blows),
        store_latency_s=chance.choice([0.0, 0.05, 2.0]),
        max_tables=chance.choice([1, 3, 64]),
        segment_bytes=chance.choice([2_000, 16 << 20]),
    )


def _script(chance: Random, name: str, *, calm: bool) -> Script:
    kind = Kind.HONEST if calm or chance.random() < 0.45 else chance.choice(list(Kind)[1:])
    return Script(
        name=name,
        kind=kind,
        think_s=chance.choice([0.0, 0.02, 0.1]),
        immediate=chance.random() < 0.25,
        snapshots=chance.random() < 0.15,
        max_tables=chance.choice([1, 2, 64]),
    )


def _weather(chance: Random) -> Weather:
    if chance.random() < 0.6:
        return Weather(slowest_s=chance.choice([0.002, 0.03]))
    return Weather(
        slowest_s=chance.choice([0.03, 0.2]),
        cut_chance=chance.choice([0.0, 0.002, 0.02]),
        freeze_chance=chance.choice([0.0005, 0.003]),
    )


def _blows(chance: Random) -> list[Blow]:
    deadly = [Blow.KILL, Blow.KILL_IN_WRITE, Blow.KILL_IN_STORE, Blow.STOP, Blow.KILL, Blow.KILL_IN_WRITE]
    blows = [chance.choice(deadly) for _ in range(chance.randrange(5))]
    rare = (Blow.REBOOT, Blow.FULL_DISK, Blow.BROKEN_STORE, Blow.FAULT, Blow.WALL_CLOCK)
    blows += [blow for blow in rare if chance.random() < 0.2]
    if chance.random() < 0.3:
        blows += [Blow.STALL] * 5
    return blows


def _spec(chance: Random, names: tuple[str, ...], players: int, deals: int) -> TournamentSpec:
    values: dict[str, Any] = {
        "name": "cup",
        "entrants": [{"name": name} for name in names],
        "rules": {"preset": "hearts" if players < 8 else "cancellation", "players": players},
        "deals": deals,
        "deals_per_bot": 1,
        "sharing": chance.choice(["independent", "independent", "laps"]),
        "forced_actions": chance.choice(["ask", "ask", "auto"]),
        "time_control": {
            "ready_ms": chance.choice([10_000, 30_000]),
            "decision_ms": chance.choice([0, 1_000, 2_000]),
            "bank_ms": chance.choice([0, 3_000, 60_000]),
            "grace_ms": chance.choice([0, 5_000, 20_000]),
            "ceiling_ms": chance.choice([120_000, 600_000]),
        },
        "fault_policy": {"retries": chance.choice([0, 2]), "faults_per_deal": chance.choice([1, 3])},
    }
    return spec_from_values(values)
