"""Resuming: from every position of a match the events that follow lead to what the snapshot shows."""

import copy

from tests.table.sitting import S, Sitting, assert_same_view

from kiery.rules import preset
from kiery.table import TableState
from kiery.terms import FaultPolicy, MatchCause, SubstitutionScope, TimeControl
from kiery.view import Fold, Phase


def clone(fold: Fold) -> Fold:
    """Returns a copy that can be moved on without the original."""
    other = copy.copy(fold)
    for name, value in vars(fold).items():
        if isinstance(value, list | set | bytearray):
            setattr(other, name, copy.copy(value))
    return other


def resume(sitting: Sitting, seat: int, position: int | None, known: Fold | None) -> bool:
    """Reconnects a seat at a position and checks what it is told; tells whether events went on there."""
    table = sitting.table
    table.connect(seat, sitting.now, position=position)
    updates = table.take(seat, sitting.now)
    table.written(seat, sitting.now)
    news = updates[0].news
    assert news is not None
    assert news.match_started is not None
    after = news.match_started.after
    goes_on = known is not None and after == position
    shown = updates[-1].observation
    assert shown is not None
    assert_same_view(shown, table.observe(seat))
    assert updates[-1].sequence == table.match.sequence
    assert updates[-1].decision == table.places[seat].decision
    fold = clone(known) if known is not None and goes_on else Fold(news.match_started)
    if goes_on:
        # Events alone must lead there too, but for what is no event: the own pass, and faults.
        updates[-1].observation = None
    for update in updates:
        fold.apply(update)
    seen = fold.observation()
    if goes_on:
        for name in ("hand_mask", "received_mask", "seats", "cards", "winners", "points", "scores", "phase"):
            assert getattr(seen, name) == getattr(shown, name), name
        for name in ("leader", "broken", "kitty_mask", "substituted", "substituted_for_match", "dealer"):
            assert getattr(seen, name) == getattr(shown, name), name
        if shown.phase is not Phase.PASSING:
            assert seen.passed_mask == shown.passed_mask
    else:
        assert not any(update.cards for update in updates)
        assert_same_view(seen, shown)
    return goes_on


def test_a_bot_may_resume_at_every_sequence_of_a_match_at_any_moment() -> None:
    sitting = Sitting(preset("omnibus", 5), deals=3, seed=4)
    sitting.connect_all(immediate=True)
    sitting.flush()
    folds: list[dict[int, Fold]] = [{} for _ in sitting.seats]
    moments = 0
    went_on = skipped = 0
    while sitting.step():
        moments += 1
        if moments == 80:
            sitting.table.leave(1, sitting.now, resign=False)
            sitting.flush()
        for number, seat in enumerate(sitting.seats):
            assert seat.fold is not None
            folds[number][seat.fold.sequence] = clone(seat.fold)
        positions = sorted(folds[0])
        every = moments % 23 == 0
        for number in range(5):
            for position in positions if every else positions[-3:]:
                if position in folds[number] and sitting.table.match.deals:
                    if resume(sitting, number, position, folds[number][position]):
                        went_on += 1
                    else:
                        skipped += 1
            sitting.table.connect(number, sitting.now, position=sitting.table.match.sequence, immediate=True)
            sitting.write(number)
        sitting.table.due.clear()

    assert sitting.state is TableState.PLAYED
    assert len(sitting.table.match.deals) == 3
    assert went_on > 1000
    assert skipped > 0, "positions before the previous deal"


def test_a_bot_without_a_position_starts_from_the_snapshot() -> None:
    sitting = Sitting()
    sitting.ready()
    sitting.pass_all()

    assert not resume(sitting, 0, None, None)


def test_a_position_that_never_was_skips_history() -> None:
    sitting = Sitting()
    sitting.ready()
    sitting.pass_all()

    sitting.table.connect(0, 0, position=10**9)
    (update,) = sitting.table.take(0, 0)

    assert update.news is not None
    assert update.news.match_started is not None
    assert update.news.match_started.after == sitting.table.match.sequence
    assert update.observation is not None
    assert not update.cards


def test_the_open_decision_is_asked_again_under_its_old_id() -> None:
    sitting = Sitting()
    sitting.ready()
    sitting.pass_all()
    turn = sitting.turn
    before = sitting.seats[turn].last

    sitting.table.disconnect(turn, sitting.now)
    sitting.table.connect(turn, sitting.now, position=before.sequence)
    sitting.flush()

    after = sitting.seats[turn].last
    assert (after.decision_id, after.decision) == (before.decision_id, before.decision)


def test_a_resume_of_an_ended_match_tells_the_end_from_any_position() -> None:
    sitting = Sitting(deals=3)
    sitting.ready()
    sitting.table.disconnect(2, 0)
    sitting.now = 21 * S
    sitting.table.expire(2, sitting.now)
    sitting.play_out()
    sitting.finish()
    last = sitting.table.match.sequence

    for position in (0, 1, 30, last - 60, last - 1, last + 5, None):
        sitting.table.connect(2, sitting.now, position=position)
        updates = sitting.table.take(2, sitting.now)
        ended = [update.news.match_ended for update in updates if update.news and update.news.match_ended]
        assert len(ended) == 1, position
        assert ended[0].cause is MatchCause.COMPLETED
        assert updates[-1].sequence == last


def test_a_resume_of_a_match_that_ended_before_its_first_deal_tells_the_end() -> None:
    sitting = Sitting()
    sitting.finish(MatchCause.CANCELLED)

    sitting.table.connect(0, 0, position=0)
    (update,) = sitting.table.take(0, 0)

    assert update.news is not None
    assert update.news.match_started is not None
    assert update.news.match_ended is not None
    assert update.sequence == 1


def test_every_decision_comes_with_a_snapshot_for_who_wishes_it() -> None:
    sitting = Sitting(deals=1)
    sitting.connect_all(every_decision=True)
    sitting.flush()
    while sitting.step():
        pass

    for seat in sitting.seats:
        for update in seat.updates[1:]:
            assert (update.observation is not None) == (update.decision is not None)


def test_a_bot_lost_over_the_end_of_a_deal_hears_of_both_deals() -> None:
    sitting = Sitting(time=TimeControl(), faults=FaultPolicy())
    sitting.ready()
    sitting.pass_all()
    position = sitting.seats[3].last.sequence
    known = sitting.seats[3].fold
    assert known is not None
    sitting.table.leave(3, sitting.now, resign=False)
    sitting.play_to_deal(2)
    assert sitting.place(3).held is None
    sitting.table.disconnect(3, sitting.now)

    sitting.table.connect(3, sitting.now, position=position)
    updates = sitting.table.take(3, sitting.now)

    assert len(updates) == 2
    assert updates[0].news is not None
    assert updates[0].news.match_started is not None
    assert updates[0].news.match_started.after == position
    assert [each.scope for each in updates[0].news.substitutions] == [SubstitutionScope.DEAL]
    assert updates[0].news.deal_scored is not None
    assert updates[1].news is not None
    assert updates[1].news.deal_started is not None
    assert updates[1].observation is not None
