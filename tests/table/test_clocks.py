"""Clocks: the limit, the bank, the ceiling and grace, with a clock that only moves when told to."""

import pytest
from tests.table.sitting import MS, S, Sitting

from kiery.table import TableState
from kiery.terms import ActionCause, CloseCause, SeatCause, SubstitutionScope, TimeControl
from kiery.view import Action


def playing(**kwargs: object) -> tuple[Sitting, int]:
    """Returns a table at the first play, and whose turn it is."""
    sitting = Sitting(**kwargs)  # type: ignore[arg-type]
    sitting.ready()
    sitting.pass_all()
    return sitting, sitting.turn


def ask_without_writing(sitting: Sitting) -> int:
    """Has the seat on turn answer, and returns the next seat, which is asked and not written to."""
    sitting.answer(sitting.turn)
    return sitting.turn


def test_the_clock_starts_when_the_decision_is_written() -> None:
    sitting, _ = playing()
    turn = ask_without_writing(sitting)
    opened = sitting.now

    assert sitting.table.deadline(turn) == opened + 600 * S
    sitting.now += 90 * S
    sitting.flush()

    assert sitting.table.deadline(turn) == sitting.now + 62 * S
    assert (sitting.seats[turn].last.time_ms, sitting.seats[turn].last.bank_ms) == (2_000, 60_000)


def test_writing_again_does_not_restart_the_clock() -> None:
    sitting, turn = playing()
    deadline = sitting.table.deadline(turn)
    sitting.now += 1_500 * MS

    updates = sitting.write(turn)

    assert sitting.table.deadline(turn) == deadline
    assert updates[-1].time_ms == 500


def test_a_deadline_counts_as_passed_after_it() -> None:
    sitting, turn = playing()
    sitting.now += 62 * S

    sitting.table.expire(turn, sitting.now)
    assert sitting.asked(turn) is not None
    sitting.answer(turn)

    assert sitting.table.match.deal.notes.play_causes == [ActionCause.ANSWERED]
    assert sitting.place(turn).bank == 0


def test_an_answer_in_time_leaves_the_bank_alone() -> None:
    sitting, turn = playing()
    sitting.now += 2 * S

    sitting.answer(turn)

    assert sitting.place(turn).bank == 60 * S
    assert sitting.table.match.deal.notes.play_ms == [2_000]


def test_what_exceeds_the_limit_is_taken_from_the_bank() -> None:
    sitting, turn = playing()
    sitting.now += 12 * S

    sitting.answer(turn)
    sitting.flush()
    sitting.play_until(lambda: sitting.turn == turn and sitting.asked(turn) is not None)

    assert sitting.place(turn).bank == 50 * S
    assert (sitting.seats[turn].last.time_ms, sitting.seats[turn].last.bank_ms) == (2_000, 50_000)


def test_the_time_told_after_a_rejection_is_what_is_left() -> None:
    sitting, turn = playing()
    sitting.now += 12 * S

    sitting.answer(turn, Action())
    sitting.now += 5 * S
    sitting.flush()

    update = sitting.seats[turn].last
    assert (update.time_ms, update.bank_ms) == (1, 50_000), "0 would say that there is no limit"
    assert sitting.table.deadline(turn) == sitting.now + 50 * S


def test_out_of_time_closes_the_decision_and_the_substitute_acts() -> None:
    sitting, turn = playing()
    decision_id = sitting.place(turn).decision_id
    sitting.now += 62 * S + 1

    sitting.table.expire(turn, sitting.now)
    assert turn in sitting.table.due
    sitting.flush()

    update = sitting.seats[turn].last
    assert update.news is not None
    assert [(each.decision_id, each.cause) for each in update.news.closed] == [
        (decision_id, CloseCause.TIMEOUT)
    ]
    assert update.news.faults == 1
    assert list(update.own_causes) == [ActionCause.SUBSTITUTE]
    assert sitting.place(turn).bank == 0
    assert sitting.table.match.deal.notes.play_ms == [62_000]


def test_own_causes_are_told_for_every_own_play_once_one_was_not_answered() -> None:
    sitting, turn = playing()
    sitting.answer(turn)
    sitting.play_until(lambda: len(sitting.table.match.deal.winners) == 1)
    sitting.play_until(lambda: sitting.turn == turn and sitting.asked(turn) is not None)
    told = len(sitting.seats[turn].updates)
    sitting.now += 70 * S
    sitting.table.expire(turn, sitting.now)
    sitting.flush()

    causes = [list(update.own_causes) for update in sitting.seats[turn].updates]
    assert all(not each for each in causes[:told])
    assert causes[told] == [ActionCause.SUBSTITUTE]
    for other in range(4):
        if other != turn:
            assert all(not update.own_causes for update in sitting.seats[other].updates)


def test_without_a_limit_only_the_ceiling_counts() -> None:
    sitting, turn = playing(time=TimeControl(decision_ms=0))
    update = sitting.seats[turn].last
    assert (update.time_ms, update.bank_ms) == (0, 0)
    opened = sitting.now

    sitting.now += 600 * S
    sitting.table.expire(turn, sitting.now)
    assert sitting.asked(turn) is not None
    sitting.now += 1
    sitting.table.expire(turn, sitting.now)
    sitting.flush()

    news = sitting.seats[turn].last.news
    assert news is not None
    assert [each.cause for each in news.closed] == [CloseCause.CEILING]
    assert sitting.place(turn).bank == 60 * S, "no limit, no charge"
    assert sitting.table.deadline(turn) != opened + 600 * S


def test_the_ceiling_counts_stalls_and_retries_from_the_opening() -> None:
    sitting, turn = playing(time=TimeControl(ceiling_ms=10_000))
    opened = sitting.now
    sitting.now += 3 * S
    sitting.answer(turn, Action())

    assert sitting.table.deadline(turn) == opened + 10 * S
    sitting.now += 5 * S
    sitting.flush()

    assert sitting.table.deadline(turn) == opened + 10 * S


def test_a_decision_that_is_never_written_ends_at_the_ceiling() -> None:
    sitting, _ = playing()
    turn = ask_without_writing(sitting)
    sitting.now += 600 * S + 1

    sitting.table.expire(turn, sitting.now)

    assert sitting.place(turn).closed[0].cause is CloseCause.CEILING
    assert sitting.place(turn).bank == 60 * S, "waiting in the outbox is not the bot's time"


# Grace


def test_grace_is_spent_only_while_the_stream_is_lost_and_a_decision_is_open() -> None:
    sitting, turn = playing()
    other = (turn + 1) % 4

    sitting.table.disconnect(turn, sitting.now)
    sitting.table.disconnect(other, sitting.now)
    sitting.now += 8 * S
    for seat in (turn, other):
        sitting.table.connect(seat, sitting.now, position=sitting.seats[seat].last.sequence)

    assert sitting.place(turn).grace == 12 * S
    assert sitting.place(other).grace == 20 * S


def test_the_decisions_own_clock_stands_while_the_stream_is_lost() -> None:
    sitting, turn = playing()
    decision_id = sitting.place(turn).decision_id
    sitting.now += 1_500 * MS
    sitting.table.disconnect(turn, sitting.now)
    assert sitting.table.deadline(turn) == sitting.now + 20 * S
    sitting.now += 15 * S
    sitting.table.connect(turn, sitting.now, position=sitting.seats[turn].last.sequence)
    sitting.now += 300 * MS
    sitting.flush()

    update = sitting.seats[turn].last
    assert (update.decision_id, update.time_ms, update.bank_ms) == (decision_id, 500, 60_000)
    sitting.now += 400 * MS
    sitting.answer(turn)
    assert sitting.table.match.deal.notes.play_ms == [1_900]


def test_a_decision_opened_for_a_lost_seat_spends_grace_from_its_opening() -> None:
    sitting, turn = playing()
    lost = (turn + 1) % 4
    sitting.table.disconnect(lost, sitting.now)
    sitting.now += 100 * S

    sitting.answer(turn)

    assert sitting.table.deadline(lost) == sitting.now + 20 * S


def test_an_empty_grace_bank_gives_the_seat_away_for_the_deal() -> None:
    sitting, turn = playing()
    sitting.table.disconnect(turn, sitting.now)
    sitting.now += 20 * S + 1
    sitting.table.expire(turn, sitting.now)
    sitting.flush()

    place = sitting.place(turn)
    assert (place.held, place.held_cause) == (SubstitutionScope.DEAL, SeatCause.DISCONNECTED)
    assert place.closed[-1].cause is CloseCause.DISCONNECTED
    assert place.grace == 0
    assert place.faults == 0
    assert place.bank == 60 * S


def test_a_held_bot_may_be_back_and_is_asked_from_the_next_deal() -> None:
    sitting, turn = playing()
    sitting.table.disconnect(turn, sitting.now)
    sitting.now += 20 * S + 1
    sitting.table.expire(turn, sitting.now)
    asked = sitting.place(turn).decision_id
    sitting.table.connect(turn, sitting.now, position=sitting.seats[turn].last.sequence)
    sitting.flush()

    assert sitting.asked(turn) is None
    shown = sitting.seats[turn].last.observation
    assert shown is not None
    assert turn in shown.substituted
    sitting.play_to_deal(2)

    assert sitting.place(turn).decision_id == asked + 1
    assert sitting.asked(turn) is not None
    assert turn not in sitting.table.observe(turn).substituted


def test_a_lost_seat_without_grace_is_not_waited_for() -> None:
    sitting, turn = playing()
    sitting.table.disconnect(turn, sitting.now)
    sitting.now += 20 * S + 1
    sitting.table.expire(turn, sitting.now)
    sitting.flush()
    sitting.play_out()

    assert [turn in deal.notes.forfeited for deal in sitting.table.match.deals] == [True] * 4
    assert sitting.table.seat_causes()[turn] is SeatCause.DISCONNECTED


def test_grace_is_one_bank_for_the_match() -> None:
    sitting, _ = playing()
    for _ in range(4):
        sitting.play_until(lambda: sitting.asked(0) is not None)
        sitting.table.disconnect(0, sitting.now)
        sitting.now += 4 * S
        sitting.table.connect(0, sitting.now, position=sitting.seats[0].last.sequence)
        sitting.flush()
        sitting.answer(0)
        sitting.flush()

    assert sitting.place(0).grace == 4 * S
    assert sitting.table.observe(0).grace_ms == 4_000


def test_the_ceiling_holds_for_grace_too() -> None:
    sitting, turn = playing(time=TimeControl(ceiling_ms=5_000))
    opened = sitting.now
    sitting.table.disconnect(turn, sitting.now)

    assert sitting.table.deadline(turn) == opened + 5 * S
    sitting.now += 5 * S + 1
    sitting.table.expire(turn, sitting.now)

    assert sitting.place(turn).closed[0].cause is CloseCause.CEILING
    assert sitting.place(turn).faults == 1


def test_time_never_runs_backwards_into_a_credit() -> None:
    """An answer may be dated before the write that asked for it returned."""
    sitting, turn = playing()
    sitting.now -= 5 * MS

    sitting.answer(turn)

    assert sitting.place(turn).bank == 60 * S
    assert sitting.table.match.deal.notes.play_ms == [0]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_bot_that_uses_most_of_its_limit_loses_nothing(share: float) -> None:
    sitting, _ = playing(time=TimeControl(bank_ms=0))

    while sitting.state is TableState.PLAYING:
        sitting.now += int(share * 2 * S)
        for seat, place in enumerate(sitting.table.places):
            if place.decision is not None:
                sitting.answer(seat)
        sitting.flush()

    assert all(not sum(deal.notes.faults) for deal in sitting.table.match.deals)
    assert all(not deal.notes.has_other_causes for deal in sitting.table.match.deals)
