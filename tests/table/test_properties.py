"""Whatever bots do, in every variant: each knows what it should, no card is lost, and the match ends."""

from random import Random

import pytest
from tests.table.sitting import S, Sitting

from kiery.rules import PRESETS, preset
from kiery.table import TableState
from kiery.terms import FaultPolicy, ForcedActions
from kiery.view import Action

TABLES = [(name, players) for name, each in PRESETS.items() for players in each.players]


def be_evil(sitting: Sitting, seat: int, chance: Random) -> bool:
    """Does something that a good bot does not do; returns whether the decision may still be answered."""
    table, place = sitting.table, sitting.place(seat)
    match chance.randrange(6):
        case 0:
            sitting.answer(seat, Action(cards=b"\x63\x00"))
            return False
        case 1:
            sitting.now += 70 * S
            table.expire(seat, sitting.now)
            return False
        case 2:
            table.answer(seat, place.decision_id + chance.randrange(-3, 6), Action(), sitting.now)
            return False
        case 3:
            fold = sitting.seats[seat].fold
            assert fold is not None
            table.disconnect(seat, sitting.now)
            sitting.now += chance.choice([0, 3, 25]) * S
            table.expire(seat, sitting.now)
            table.connect(
                seat,
                sitting.now,
                position=chance.choice([fold.sequence, None]),
                immediate=chance.random() < 0.3,
            )
            return False
        case 4 if chance.random() < 0.15:
            table.leave(seat, sitting.now, resign=chance.random() < 0.3)
            return False
        case 5 if chance.random() < 0.1:
            table.disconnect(seat, sitting.now)
            return False
    return True


@pytest.mark.parametrize("evil", [0.0, 0.3])
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_a_match_ends_and_every_bot_knows_what_it_should(name: str, players: int, evil: float) -> None:
    chance = Random(f"{name} {players} {evil}")
    sitting = Sitting(
        preset(name, players),
        deals=2,
        seed=chance.randrange(1 << 30),
        faults=FaultPolicy(retries=chance.randrange(3)),
        forced=chance.choice(list(ForcedActions)),
    )
    sitting.connect_all()

    for _ in range(10_000):
        due = sitting.flush()
        for seat in due:
            if sitting.place(seat).connected:
                sitting.check_fold(seat)
        if sitting.table.match.deals:
            sitting.check_deck()
        if sitting.state is TableState.PLAYED:
            sitting.finish()
            break
        open_seats = [seat for seat in range(players) if sitting.asked(seat)]
        assert open_seats, "nobody is asked and the match is not over"
        seat = chance.choice(open_seats)
        if not sitting.place(seat).connected:
            # Lost for good: only time helps.
            deadline = sitting.table.deadline(seat)
            assert deadline is not None
            sitting.now = max(sitting.now, deadline + 1)
            sitting.table.expire(seat, sitting.now)
        elif chance.random() >= evil or be_evil(sitting, seat, chance):
            sitting.now += 1_000_000
            sitting.answer(seat)

    assert sitting.state is TableState.ENDED
    assert len(sitting.table.match.deals) == 2
    for number, bot in enumerate(sitting.seats):
        if sitting.place(number).connected:
            news = bot.last.news
            assert news is not None
            assert news.match_ended is not None
            assert bot.last.sequence == sitting.table.match.sequence
