"""Tables whose inputs are journaled as the host does it, and what makes two tables equal."""

import copy
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

from tests.engine.play import state_of as everything_in
from tests.table.sitting import Sitting

from kiery.engine import Deal, Match
from kiery.journal import EntryKind, JournalWriter, Opening
from kiery.rules import preset
from kiery.table import Place, Table
from kiery.terms import FaultPolicy, ForcedActions
from kiery.view import Action

NOW_MS = 1_780_000_000_000
BOOT = "11111111-2222-3333-4444-555555555555"

DELIVERY = frozenset(
    "immediate every_decision announce snapshot log plays rare closed rejections dropped_rejections"
    " pass_news fault_news started_at due_at terms".split()
)
"""What a place knows of its stream: told anew after a crash, and so in no journal."""


_CONSTANT = frozenset({"rules", "board", "_legal", "_order", "_point_table"})


def opening(fixture: int = 0, attempt: int = 1, **changes: object) -> Opening:
    values: dict[str, object] = {
        "tournament": "cup",
        "fixture": fixture,
        "attempt": attempt,
        "start_ms": NOW_MS,
        "versions": ("1", "", "2.0 żółw", ""),
        "terms": bytes(range(32)),
    }
    return Opening(**{**values, **changes})  # type: ignore[arg-type]


def writer(path: Path, **options: object) -> JournalWriter:
    settings: dict[str, object] = {"boot_id": BOOT, "now_ms": lambda: NOW_MS, **options}
    return JournalWriter(path, **settings)  # type: ignore[arg-type]


def place_state(place: Place) -> Mapping[str, object]:
    state = {name: getattr(place, name) for name in Place.__slots__ if name not in DELIVERY}
    if place.grace_since is not None:
        state["due_at"] = place.due_at
    return state


def deal_state(deal: Deal) -> Mapping[str, object]:
    return {name: value for name, value in everything_in(deal).items() if name not in _CONSTANT}


def state_of(table: Table) -> Mapping[str, object]:
    """Returns everything in a table but what its seats were told, as a copy; of the deals the current one."""
    match = table.match
    state = {
        "state": table.state,
        "places": [place_state(place) for place in table.places],
        "untold": table._untold,
        "scores": match.scores,
        "over": match.over,
        "ended": match.ended,
        "deals": [deal_state(deal) for deal in match.deals[-1:]],
        "logs": [(log.base, log.deal.number, tuple(log.rare)) for log in match.logs],
    }
    return copy.deepcopy(state)


def ran(place: Place, now: int) -> int | None:
    return None if place.started_at is None else now - place.started_at


class Recorded(Sitting):
    """A sitting whose table writes a journal: each input is noted before it is given to the table."""

    def __init__(
        self, journal: JournalWriter, *, noted: Callable[["Recorded"], None], **options: object
    ) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self.noted = noted
        self.journal = journal
        self.number = journal.opened(opening(), 0)
        self._spy()
        noted(self)

    def _spy(self) -> None:
        """Puts what `host.Floor` does before each step in front of the table's methods."""
        table, journal = self.table, self.journal
        answer, expire, connect, disconnect = table.answer, table.expire, table.connect, table.disconnect
        leave, abandon = table.leave, table.abandon

        def note(kind: EntryKind, seat: int, now: int) -> None:
            journal.stepped(kind, self.number, seat, now, ran(table.places[seat], now))

        def answered(seat: int, decision_id: int, action: Action, now: int) -> None:
            place = table.places[seat]
            noted = place.decision is not None and place.decision_id == decision_id
            if noted:
                journal.answered(self.number, seat, decision_id, action, now, ran(place, now))
            answer(seat, decision_id, action, now)
            if noted:
                self.noted(self)

        def expired(seat: int, now: int) -> None:
            due_at = table.places[seat].due_at
            if due_at is None or now <= due_at:
                return
            note(EntryKind.EXPIRED, seat, now)
            expire(seat, now)
            self.noted(self)

        def connected(seat: int, now: int, **wishes: object) -> None:
            note(EntryKind.CONNECTED, seat, now)
            connect(seat, now, **wishes)  # type: ignore[arg-type]
            self.noted(self)

        def lost(seat: int, now: int) -> None:
            note(EntryKind.DISCONNECTED, seat, now)
            disconnect(seat, now)
            self.noted(self)

        def left(seat: int, now: int, *, resign: bool) -> None:
            note(EntryKind.RESIGNED if resign else EntryKind.LEFT, seat, now)
            leave(seat, now, resign=resign)
            self.noted(self)

        def abandoned(seat: int, now: int) -> None:
            note(EntryKind.ABANDONED, seat, now)
            abandon(seat, now)
            self.noted(self)

        table.answer = answered  # type: ignore[method-assign]
        # What the table does by itself within a step is no input.
        self.expire, self.lose, self.leave, self.abandon = expired, lost, left, abandoned
        self.connect = connected


def fresh(options: Mapping[str, object]) -> Table:
    """Returns a table as it was before it was opened."""
    opened = Sitting(**options).table  # type: ignore[arg-type]
    return Table(
        Match(opened.match.rules, opened.match.length, opened.match._board_of),
        match_id=opened.match_id,
        names=opened.names,
        time_control=opened.time_control,
        fault_policy=opened.fault_policy,
        forced_actions=opened.forced_actions,
    )


def be_evil(sitting: Recorded, seat: int, chance: Random) -> bool:
    """Does something that a good bot does not do; returns whether the decision may still be answered."""
    place = sitting.place(seat)
    match chance.randrange(8):
        case 0:
            sitting.answer(
                seat, Action(cards=bytes(chance.randrange(256) for _ in range(chance.randrange(4))))
            )
        case 1:
            sitting.now += 70_000_000_123
            sitting.expire(seat, sitting.now)
        case 2:
            sitting.table.answer(seat, place.decision_id + chance.randrange(-3, 6), Action(), sitting.now)
        case 3:
            sitting.lose(seat, sitting.now)
            sitting.now += chance.choice([0, 3_000_000_007, 25_000_000_000])
            sitting.expire(seat, sitting.now)
            sitting.connect(seat, sitting.now, immediate=chance.random() < 0.3)
        case 4 if chance.random() < 0.15:
            sitting.leave(seat, sitting.now, resign=chance.random() < 0.3)
        case 5 if chance.random() < 0.1:
            sitting.lose(seat, sitting.now)
        case 6:
            # Late, or on the bank.
            sitting.now += chance.choice([2_500_000_000, 5_000_000_001, 63_000_000_000])
            sitting.answer(seat)
        case 7 if chance.random() < 0.03:
            sitting.abandon(seat, sitting.now)
        case _:
            return True
    return False


def evening(
    journal: JournalWriter, name: str, players: int, evil: float, noted: Callable[[Recorded], None]
) -> dict[str, object]:
    """Plays a match of bots that misbehave, and returns what a fresh table of it is made from."""
    chance = Random(f"{name} {players} {evil}")
    options: dict[str, object] = {
        "rules": preset(name, players),
        "deals": 2,
        "seed": chance.randrange(1 << 30),
        "faults": FaultPolicy(retries=chance.randrange(3)),
        "forced": chance.choice(list(ForcedActions)),
    }
    sitting = Recorded(journal, noted=noted, **options)
    for seat in range(players):
        sitting.connect(seat, sitting.now)
    for _ in range(10_000):
        sitting.flush()
        asked = [seat for seat in range(players) if sitting.asked(seat)]
        if not asked:
            break
        seat = chance.choice(asked)
        if not sitting.place(seat).connected:
            due_at = sitting.place(seat).due_at
            assert due_at is not None
            sitting.now = max(sitting.now, due_at + 1)
            sitting.expire(seat, sitting.now)
        elif chance.random() >= evil or be_evil(sitting, seat, chance):
            sitting.now += chance.randrange(3_000_000)
            sitting.answer(seat)
    assert sitting.state.name == "PLAYED"
    return options
