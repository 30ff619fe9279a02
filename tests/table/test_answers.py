"""What an answer does: taken, refused and asked again, or harmless because it comes too late or twice."""

import pytest
from tests.table.sitting import MS, S, Sitting

from kiery.cards import card_numbers, format_cards
from kiery.terms import (
    ActionCause,
    CloseCause,
    DeclineReason,
    FaultPolicy,
    RejectReason,
    SeatCause,
    SubstitutionScope,
    TimeControl,
)
from kiery.view import Action, DecisionKind, Rejection


def playing(**kwargs: object) -> Sitting:
    sitting = Sitting(**kwargs)  # type: ignore[arg-type]
    sitting.ready()
    sitting.pass_all()
    return sitting


def rejections(sitting: Sitting, seat: int) -> list[Rejection]:
    news = sitting.seats[seat].last.news
    return [] if news is None else news.rejections


def test_all_seats_are_asked_to_pass_at_once() -> None:
    sitting = Sitting()
    sitting.ready()

    asked = [sitting.asked(seat) for seat in range(4)]

    assert all(each is not None and each.kind is DecisionKind.PASS and each.count == 3 for each in asked)
    assert [each.legal for each in asked if each] == list(sitting.table.match.deal.hands)


def test_an_accepted_pass_is_told_to_its_own_seat_only_and_with_the_next_writing() -> None:
    sitting = Sitting()
    sitting.ready()
    counts = [len(seat.updates) for seat in sitting.seats]

    sitting.answer(2)
    sitting.flush()
    assert [len(seat.updates) for seat in sitting.seats] == counts, "nothing shows who has chosen"
    for seat in (0, 1, 3):
        sitting.answer(seat)
    sitting.flush()
    for seat in range(4):
        sitting.write(seat)

    for bot in sitting.seats:
        news = [update.news for update in bot.updates if update.news is not None]
        assert [each.pass_accepted for each in news if each.cards_exchanged is not None] == [True]
        assert sum(each.pass_accepted for each in news) == 1


def test_an_own_pass_is_in_the_snapshot_and_another_seat_is_not_shown_it() -> None:
    sitting = Sitting()
    sitting.ready()

    sitting.answer(2)

    assert sitting.table.observe(2).passed_mask == sitting.seats[2].sent
    assert sitting.table.observe(1).passed_mask == 0
    assert sitting.table.observe(2).hand_mask == sitting.table.match.deal.board.hands[2]


def test_ids_count_from_one_for_each_seat() -> None:
    sitting = Sitting()
    sitting.ready()
    sitting.play_out()

    for seat in sitting.seats:
        ids = [update.decision_id for update in seat.updates if update.decision is not None]
        assert ids == list(range(1, len(ids) + 1))
        assert len(ids) > 4 * 13


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (Action(), RejectReason.WRONG_COUNT),
        (Action(cards=b"\x00"), RejectReason.MALFORMED),
        (Action(cards=b"\xff"), RejectReason.MALFORMED),
        (Action(cards=b"\x01\x02"), RejectReason.WRONG_COUNT),
        (Action(cards=b"\x01" * 10_000), RejectReason.WRONG_COUNT),
        (Action(decline=DeclineReason.OTHER), RejectReason.WRONG_KIND),
    ],
)
def test_a_refused_answer_reopens_the_decision_under_the_next_id(
    action: Action, reason: RejectReason
) -> None:
    sitting = playing()
    turn = sitting.turn
    before = sitting.seats[turn].last
    hands = list(sitting.table.match.deal.hands)

    sitting.now += 500 * MS
    sitting.answer(turn, action)
    sitting.now += 700 * MS
    sitting.flush()

    after = sitting.seats[turn].last
    (rejection,) = rejections(sitting, turn)
    assert (rejection.decision_id, rejection.illegality.reason) == (before.decision_id, reason)
    assert (rejection.retries_left, rejection.fault) == (1, False)
    assert after.decision_id == before.decision_id + 1
    assert after.decision == before.decision
    assert (after.time_ms, after.bank_ms) == (1_500, 60_000), "the clock stands until it is written again"
    assert list(sitting.table.match.deal.hands) == hands
    assert len(rejection.illegality.message) < 400


def test_a_card_that_is_not_held_is_told_apart_from_one_that_may_not_be_played() -> None:
    sitting = playing()
    turn = sitting.turn
    hand = card_numbers(sitting.table.match.deal.hands[turn])
    strange = next(card for card in range(1, 53) if card not in hand)
    held = next(card for card in hand if not sitting.table.match.deal.legal >> card & 1)

    sitting.answer(turn, Action(cards=bytes([strange])))
    sitting.answer(turn, Action(cards=bytes([held])))
    sitting.flush()

    reasons = [each.illegality.reason for each in rejections(sitting, turn)]
    assert reasons == [RejectReason.NOT_HELD, RejectReason.ILLEGAL_CARD]


def test_the_substitute_acts_after_the_last_retry_and_a_fault_is_counted() -> None:
    sitting = playing()
    turn = sitting.turn

    for _ in range(3):
        sitting.answer(turn, sitting.illegal_action(turn))
    sitting.flush()

    deal = sitting.table.match.deal
    assert deal.seats[0] == turn
    assert deal.notes.play_causes == [ActionCause.SUBSTITUTE]
    assert (deal.notes.faults[turn], deal.notes.rejections[turn]) == (1, 3)
    update = sitting.seats[turn].last
    assert update.news is not None
    assert [(each.retries_left, each.fault) for each in update.news.rejections] == [
        (1, False),
        (0, False),
        (0, True),
    ]
    assert [(each.decision_id, each.cause) for each in update.news.closed] == [(5, CloseCause.REJECTED)]
    assert update.news.faults == 1
    assert list(update.own_causes) == [ActionCause.SUBSTITUTE]
    assert sitting.place(turn).held is None


def test_no_retries_makes_the_first_illegal_answer_a_fault() -> None:
    sitting = playing(faults=FaultPolicy(retries=0))
    turn = sitting.turn

    sitting.answer(turn, sitting.illegal_action(turn))

    assert sitting.table.match.deal.notes.faults[turn] == 1


def test_a_repeated_answer_is_a_duplicate_and_costs_nothing() -> None:
    sitting = playing()
    turn = sitting.turn
    answered = sitting.place(turn).decision_id
    sitting.answer(turn)
    plays = len(sitting.table.match.deal.cards)

    for _ in range(5):
        sitting.answer(turn, Action(cards=b"\x07"), decision_id=answered)
    sitting.write(turn)

    found = rejections(sitting, turn)
    assert [each.illegality.reason for each in found] == [RejectReason.DUPLICATE] * 5
    assert not any(each.fault for each in found)
    assert len(sitting.table.match.deal.cards) == plays
    assert sitting.place(turn).faults == 0


def test_an_answer_after_time_is_late_and_never_a_second_fault() -> None:
    sitting = playing()
    turn = sitting.turn
    decision_id = sitting.place(turn).decision_id
    sitting.now += 63 * S

    sitting.answer(turn)
    sitting.answer(turn, Action(cards=b"\x07"), decision_id=decision_id)
    sitting.flush()

    assert [each.illegality.reason for each in rejections(sitting, turn)] == [RejectReason.LATE] * 2
    assert sitting.place(turn).faults == 1
    assert sitting.table.match.deal.notes.faults[turn] == 1


@pytest.mark.parametrize("ahead", [1, 1000, 2**31])
def test_an_id_that_was_never_asked_is_unknown(ahead: int) -> None:
    sitting = playing()
    turn = sitting.turn
    decision_id = sitting.place(turn).decision_id

    sitting.answer(turn, Action(cards=b"\x07"), decision_id=decision_id + ahead)
    sitting.write(turn)

    assert [each.illegality.reason for each in rejections(sitting, turn)] == [RejectReason.UNKNOWN_DECISION]
    assert sitting.place(turn).decision_id == decision_id


def test_an_answer_of_a_seat_that_is_not_asked_is_harmless() -> None:
    sitting = playing()
    other = (sitting.turn + 1) % 4
    decision_id = sitting.place(sitting.turn).decision_id

    sitting.answer(other, Action(cards=b"\x07"), decision_id=decision_id + 1)

    assert not sitting.table.match.deal.cards
    assert sitting.place(other).faults == 0


def test_harmless_answers_are_bounded_for_a_bot_that_does_not_read() -> None:
    sitting = playing()
    turn = sitting.turn

    for _ in range(10_000):
        sitting.answer(turn, Action(), decision_id=9_999)

    assert len(sitting.place(turn).rejections) < 20
    assert sitting.place(turn).dropped_rejections > 9_900


def test_a_real_rejection_is_told_even_after_many_harmless_ones() -> None:
    sitting = playing()
    turn = sitting.turn
    for _ in range(100):
        sitting.answer(turn, Action(), decision_id=9_999)
    decision_id = sitting.place(turn).decision_id

    sitting.answer(turn, Action(cards=b"\x63"))
    sitting.flush()

    assert decision_id in {each.decision_id for each in rejections(sitting, turn)}
    assert len(rejections(sitting, turn)) < 20


def test_three_faults_in_a_deal_give_the_seat_away_for_the_deal() -> None:
    sitting = playing(time=TimeControl(bank_ms=0))
    turn = sitting.turn
    faults = 0
    while faults < 3:
        if sitting.turn == turn:
            sitting.now += 3 * S
            sitting.table.expire(turn, sitting.now)
            faults += 1
            sitting.flush()
        else:
            sitting.answer(sitting.turn)
            sitting.flush()

    place = sitting.place(turn)
    assert (place.held, place.held_cause) == (SubstitutionScope.DEAL, SeatCause.TIMEOUT)
    news = sitting.seats[turn].last.news
    assert news is not None
    assert [(each.seat, each.cause, each.scope) for each in news.substitutions] == [
        (turn, SeatCause.TIMEOUT, SubstitutionScope.DEAL)
    ]
    decisions = place.decision_id
    sitting.play_until(lambda: len(sitting.table.match.deals) == 2)
    assert place.decision_id == decisions + 1, "not asked again before the next deal"
    assert (place.held, place.faults) == (None, 0)
    others = [update for update in sitting.seats[(turn + 1) % 4].updates if update.news is not None]
    told = [each for update in others if update.news for each in update.news.substitutions]
    assert [(each.seat, each.cause) for each in told] == [(turn, None)], "others are not told why"


def test_a_forfeited_deal_leaves_the_others_their_points() -> None:
    sitting = playing(time=TimeControl(bank_ms=0), faults=FaultPolicy(faults_per_deal=1), deals=1)
    turn = sitting.turn
    sitting.now += 3 * S
    sitting.table.expire(turn, sitting.now)
    sitting.flush()
    sitting.play_out()

    deal = sitting.table.match.deal
    assert deal.notes.forfeited == (turn,)
    assert deal.awarded is not None
    assert sum(deal.awarded) in {26, 78}
    assert sitting.table.seat_causes()[turn] is SeatCause.TIMEOUT


def test_a_message_names_nothing_but_the_bots_own_cards() -> None:
    sitting = playing()
    turn = sitting.turn
    hand = sitting.table.match.deal.hands[turn]

    sitting.answer(turn, sitting.illegal_action(turn))

    (rejection,) = sitting.place(turn).rejections
    named = set(rejection.illegality.message.replace(":", " ").replace(",", " ").split())
    strange = set(format_cards(sitting.table.match.rules.deck & ~hand).split())
    (sent,) = sitting.illegal_action(turn).cards
    assert not named & (strange - set(format_cards(1 << sent).split()))


def test_a_silent_shooter_has_a_fault_and_the_rules_default() -> None:
    sitting, shooter = moon()
    sitting.now += 70 * S

    sitting.table.expire(shooter, sitting.now)
    sitting.flush()

    deal = sitting.table.match.deals[0]
    assert deal.notes.moon_cause is ActionCause.SUBSTITUTE
    assert deal.notes.faults[shooter] == 1
    assert deal.choice is not None
    assert sitting.place(shooter).decision is None or len(sitting.table.match.deals) == 2


def test_a_shooter_may_leave_the_choice_to_the_rules() -> None:
    sitting, shooter = moon()

    sitting.answer(shooter, Action())

    deal = sitting.table.match.deals[0]
    assert deal.notes.moon_cause is ActionCause.ANSWERED
    assert deal.awarded is not None
    assert sorted(deal.awarded) == [0, 26, 26, 26]


def test_cards_are_no_moon_choice() -> None:
    sitting, shooter = moon()

    sitting.answer(shooter, Action(cards=b"\x01"))
    sitting.flush()

    assert [each.illegality.reason for each in rejections(sitting, shooter)] == [RejectReason.WRONG_KIND]
    update = sitting.seats[shooter].last
    assert update.decision is not None
    assert update.decision.kind is DecisionKind.MOON_CHOICE
    assert update.sequence == sitting.table.match.sequence


def moon() -> tuple[Sitting, int]:
    """Returns a table where seat 0 holds all top cards and has taken everything."""
    from tests.engine.play import deal as hands  # noqa: PLC0415

    from kiery.engine import board_from_hands  # noqa: PLC0415
    from kiery.rules import preset  # noqa: PLC0415

    rules = preset("hearts", 4)
    text = (
        "2C AC AD AS KS QS JS AH KH QH JH TH 9H /"
        " 3C 4C 5C 6C 7C 2D 3D 4D 5D 6D 2S 3S 4S /"
        " 8C 9C TC JC 7D 8D 9D TD 5S 6S 7S 8S 2H /"
        " QC KC JD QD KD 9S TS 3H 4H 5H 6H 7H 8H"
    )
    boards = board_from_hands(rules, 4, hands(text))
    sitting = Sitting(rules, board_of=lambda _: boards, deals=2)
    sitting.ready()
    order = card_numbers(boards.hands[0])

    def highest(seat: int) -> Action:
        legal = card_numbers(sitting.table.match.deal.legal)
        if seat == 0:
            wanted = [card for card in order if card in legal]
            return Action(cards=bytes([wanted[-1]]))
        return Action(cards=bytes([legal[0]]))

    while sitting.table.match.deal.phase.name == "PLAYING":
        sitting.answer(sitting.turn, highest(sitting.turn))
        sitting.flush()
    assert sitting.table.match.deal.phase.name == "MOON_CHOICE"
    return sitting, 0
