"""Ready is a decision: the first at each table, with a limit that runs from its opening."""

from tests.table.sitting import MS, S, Sitting

from kiery.table import TableState
from kiery.terms import CloseCause, DeclineReason, RejectReason, SeatCause, SubstitutionScope
from kiery.view import Action, DecisionKind


def test_the_first_decision_asks_whether_the_bot_is_ready() -> None:
    sitting = Sitting()
    sitting.connect_all()

    sitting.flush()

    update = sitting.seats[2].last
    assert update.news is not None
    assert update.news.match_started is not None
    assert (update.news.match_started.seat, update.news.match_started.after) == (2, 0)
    assert update.decision is not None
    assert (update.decision.kind, update.decision_id, update.sequence) == (DecisionKind.READY, 1, 0)
    assert (update.time_ms, update.bank_ms) == (30_000, 0)


def test_the_deal_begins_when_the_last_seat_is_ready() -> None:
    sitting = Sitting()
    sitting.connect_all()
    sitting.flush()

    for seat in (3, 0, 1):
        sitting.answer(seat)
    assert not sitting.table.match.deals
    sitting.answer(2)

    assert sitting.state is TableState.PLAYING
    assert [place.decision_id for place in sitting.table.places] == [2] * 4


def test_the_ready_limit_runs_from_the_opening_connected_or_not() -> None:
    sitting = Sitting()
    for seat in (0, 1, 2):
        sitting.table.connect(seat, 0)
    sitting.flush()
    for seat in (0, 1):
        sitting.answer(seat)

    assert [sitting.table.deadline(seat) for seat in (2, 3)] == [30 * S, 30 * S]
    for seat in (2, 3):
        sitting.table.expire(seat, 30 * S)
    assert not sitting.table.match.deals, "a deadline counts as passed after it, not at it"
    for seat in (2, 3):
        sitting.table.expire(seat, 30 * S + 1)

    assert sitting.state is TableState.PLAYING
    assert [sitting.place(seat).held for seat in range(4)] == [None, None, *[SubstitutionScope.MATCH] * 2]
    assert sitting.table.seat_causes()[2:] == (SeatCause.NEVER_READY,) * 2


def test_a_reconnect_does_not_restart_the_ready_limit() -> None:
    sitting = Sitting()
    sitting.table.connect(0, 0)
    sitting.flush()

    sitting.now = 20 * S
    sitting.table.disconnect(0, sitting.now)
    sitting.now = 25 * S
    sitting.table.connect(0, sitting.now)
    sitting.flush()

    assert sitting.seats[0].last.time_ms == 5_000
    assert sitting.seats[0].last.decision_id == 1
    assert sitting.table.deadline(0) == 30 * S
    assert sitting.place(0).grace == 20 * S, "grace is not spent on getting ready"


def test_who_is_ready_is_not_asked_again_on_resume() -> None:
    sitting = Sitting()
    sitting.connect_all()
    sitting.flush()
    sitting.answer(0)

    sitting.table.disconnect(0, 5 * MS)
    sitting.table.connect(0, 6 * MS, position=0)
    sitting.flush()

    update = sitting.seats[0].last
    assert update.news is not None
    assert update.news.match_started is not None
    assert update.decision is None
    assert sitting.place(0).ready


def test_who_declines_is_held_for_the_match_and_the_others_play() -> None:
    sitting = Sitting()
    sitting.connect_all()
    sitting.flush()

    sitting.answer(0, Action(decline=DeclineReason.RULES))
    for seat in (1, 2, 3):
        sitting.answer(seat)
    sitting.flush()
    sitting.play_out()

    assert sitting.table.seat_causes() == (SeatCause.DECLINED, *[SeatCause.COMPLETED] * 3)
    assert len(sitting.table.match.deals) == 4
    assert all(deal.notes.forfeited == (0,) for deal in sitting.table.match.deals)


def test_ready_with_cards_is_rejected_and_asked_again() -> None:
    sitting = Sitting()
    sitting.connect_all()
    sitting.flush()

    sitting.answer(0, Action(cards=b"\x01"))
    sitting.flush()

    update = sitting.seats[0].last
    assert update.news is not None
    assert [each.illegality.reason for each in update.news.rejections] == [RejectReason.WRONG_KIND]
    assert update.decision is not None
    assert (update.decision.kind, update.decision_id) == (DecisionKind.READY, 2)


def test_who_never_answers_readily_is_held_for_the_match() -> None:
    sitting = Sitting()
    sitting.connect_all()
    sitting.flush()

    for _ in range(3):
        sitting.answer(0, Action(cards=b"\x01"))

    assert sitting.place(0).held is SubstitutionScope.MATCH
    assert sitting.place(0).held_cause is SeatCause.ILLEGAL
    assert sitting.place(0).closed[0].cause is CloseCause.REJECTED


def test_a_late_ready_is_told_to_be_late() -> None:
    sitting = Sitting()
    sitting.connect_all()
    sitting.flush()
    sitting.now = 30 * S + 1

    sitting.answer(0)
    sitting.flush()

    news = sitting.seats[0].last.news
    assert news is not None
    assert [each.cause for each in news.closed] == [CloseCause.TIMEOUT]
    assert [each.illegality.reason for each in news.rejections] == [RejectReason.LATE]
    assert sitting.place(0).held_cause is SeatCause.NEVER_READY


def test_nobody_ever_ready_plays_a_whole_match_of_substitutes() -> None:
    sitting = Sitting()

    for seat in range(4):
        sitting.table.expire(seat, 31 * S)

    assert sitting.state is TableState.PLAYED
    sitting.finish()
    assert sitting.table.seat_causes() == (SeatCause.NEVER_READY,) * 4
