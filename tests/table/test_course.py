"""The course of a match: leaving, substitutes, forced cards, events and their numbers, the end."""

import pytest
from tests.engine.play import random_match
from tests.table.sitting import S, Sitting

from kiery.rules import preset
from kiery.table import Table, TableState
from kiery.terms import (
    ActionCause,
    CloseCause,
    FaultPolicy,
    ForcedActions,
    MatchCause,
    SeatCause,
    SubstitutionScope,
    TimeControl,
)


def playing(**kwargs: object) -> Sitting:
    sitting = Sitting(**kwargs)  # type: ignore[arg-type]
    sitting.ready()
    sitting.pass_all()
    return sitting


# Leaving


def test_who_leaves_without_resigning_is_back_in_the_next_deal() -> None:
    sitting = playing()
    turn = sitting.turn

    sitting.table.leave(turn, sitting.now, resign=False)
    sitting.flush()

    assert sitting.place(turn).held is SubstitutionScope.DEAL
    assert sitting.table.match.deal.seats[0] == turn, "the substitute acts at once"
    sitting.play_to_deal(2)
    assert sitting.place(turn).held is None
    assert sitting.asked(turn) is not None


def test_who_resigns_is_held_for_the_match_and_every_remaining_deal_is_forfeited() -> None:
    sitting = playing()
    sitting.play_to_deal(2)

    sitting.table.leave(1, sitting.now, resign=True)
    sitting.flush()
    sitting.play_out()

    assert [deal.notes.forfeited for deal in sitting.table.match.deals] == [(), (1,), (1,), (1,)]
    assert sitting.table.seat_causes() == (
        SeatCause.COMPLETED,
        SeatCause.RESIGNED,
        *[SeatCause.COMPLETED] * 2,
    )


def test_leaving_twice_changes_nothing_and_resigning_after_leaving_counts() -> None:
    sitting = playing()
    sitting.table.leave(1, sitting.now, resign=False)
    sitting.table.leave(1, sitting.now, resign=False)
    assert len(sitting.table.match.deal.notes.substitutions) == 1

    sitting.table.leave(1, sitting.now, resign=True)
    sitting.table.leave(1, sitting.now, resign=False)

    assert sitting.place(1).held is SubstitutionScope.MATCH
    assert [each.scope for each in sitting.table.match.deal.notes.substitutions] == [
        SubstitutionScope.DEAL,
        SubstitutionScope.MATCH,
    ]


def test_leaving_after_the_last_deal_forfeits_nothing() -> None:
    sitting = playing(deals=1)
    sitting.play_out()

    sitting.table.leave(0, sitting.now, resign=True)
    sitting.table.leave(1, sitting.now, resign=False)
    sitting.finish()

    assert sitting.table.seat_causes() == (SeatCause.COMPLETED,) * 4
    assert sitting.table.match.deal.notes.forfeited == ()


def test_leaving_a_table_that_has_ended_is_harmless() -> None:
    sitting = playing(deals=1)
    sitting.play_out()
    sitting.finish()
    sequence = sitting.table.match.sequence

    sitting.table.leave(0, sitting.now, resign=True)

    assert sitting.table.match.sequence == sequence


# Substitutions while cards are passed


def test_a_substitution_while_cards_are_passed_is_told_with_the_exchange_and_before_plays() -> None:
    sitting = Sitting()
    sitting.ready()
    sitting.table.leave(2, sitting.now, resign=True)
    sitting.flush()
    for seat in range(4):
        sitting.write(seat)
    assert not any(update.news and update.news.substitutions for s in sitting.seats for update in s.updates)
    assert all(sitting.table.observe(seat).substituted == () for seat in range(4))
    assert sitting.table.observe(2).passed_mask == 0
    before = sitting.table.match.sequence

    for seat in (0, 1, 3):
        sitting.answer(seat)
    sitting.flush()
    for seat in range(4):
        sitting.write(seat)

    rare = sitting.table.match.log.rare
    assert [type(event.views[0]).__name__ for event in rare] == [
        "DealStarted",
        "CardsExchanged",
        "SeatSubstituted",
    ]
    assert [event.sequence for event in rare[1:]] == [before + 1, before + 2]
    assert all(sitting.table.observe(seat).substituted == (2,) for seat in range(4))


def test_the_bot_itself_is_told_at_once_that_its_pass_is_closed() -> None:
    sitting = Sitting(time=TimeControl(bank_ms=0), faults=FaultPolicy(faults_per_deal=1))
    sitting.ready()
    sitting.now += 3 * S
    sitting.table.expire(2, sitting.now)

    assert 2 in sitting.table.due
    sitting.flush()

    news = sitting.seats[2].last.news
    assert news is not None
    assert [each.cause for each in news.closed] == [CloseCause.TIMEOUT]
    assert not news.substitutions


def test_an_immediate_seat_is_not_written_to_when_another_has_chosen_its_pass() -> None:
    sitting = Sitting()
    sitting.connect_all(immediate=True)
    sitting.flush()
    for seat in range(4):
        sitting.answer(seat)
    sitting.flush()
    counts = [len(seat.updates) for seat in sitting.seats]

    sitting.answer(2)
    due = set(sitting.flush())

    assert due <= {2}
    assert [len(sitting.seats[seat].updates) for seat in (0, 1, 3)] == [counts[s] for s in (0, 1, 3)]


def test_an_immediate_seat_is_written_to_after_every_event_and_never_for_nothing() -> None:
    sitting = Sitting(deals=2)
    sitting.connect_all(immediate=True)
    sitting.flush()
    while sitting.step():
        pass

    sequences = [update.sequence for update in sitting.seats[1].updates]
    plays = [update for update in sitting.seats[1].updates if update.cards]
    assert len(plays) == 2 * 52
    assert all(len(update.cards) == 1 for update in plays)
    assert sequences == sorted(sequences)
    for update in sitting.seats[1].updates:
        assert update.cards or update.news is not None or update.decision is not None


def test_a_coalesced_seat_is_told_what_it_missed_with_its_decision() -> None:
    sitting = playing(deals=1)
    sitting.play_out()

    for seat in sitting.seats:
        with_plays = [update for update in seat.updates if update.cards]
        assert all(update.decision is not None for update in with_plays[:-1])
        assert len(with_plays) <= 14


# Forced cards


def test_auto_plays_a_single_legal_card_for_everybody_alike() -> None:
    sitting = playing(forced=ForcedActions.AUTO)
    sitting.play_out()
    sitting.finish()

    causes = [cause for deal in sitting.table.match.deals for cause in deal.notes.play_causes]
    assert set(causes) == {ActionCause.ANSWERED, ActionCause.FORCED}
    assert causes[51] is ActionCause.FORCED
    for number, seat in enumerate(sitting.seats):
        told = [
            cause
            for update in seat.updates
            for cause in (update.own_causes or [ActionCause.ANSWERED] * update.seats.count(number))
        ]
        own = [
            cause
            for deal in sitting.table.match.deals
            for who, cause in zip(deal.seats, deal.notes.play_causes, strict=True)
            if who == number
        ]
        assert told == own


def test_ask_asks_for_a_single_legal_card() -> None:
    sitting = playing()
    sitting.play_out()

    assert all(not deal.notes.has_other_causes for deal in sitting.table.match.deals)
    singles = [
        update
        for seat in sitting.seats
        for update in seat.updates
        if update.decision is not None and update.decision.legal.bit_count() == 1
    ]
    assert singles


def test_a_table_that_plays_forced_cards_shows_nobody_every_event_at_once() -> None:
    sitting = Sitting(forced=ForcedActions.AUTO)
    sitting.connect_all(immediate=True)

    assert not any(place.immediate for place in sitting.table.places)


def test_a_forced_card_of_a_held_seat_is_the_substitutes() -> None:
    sitting = playing(forced=ForcedActions.AUTO)
    sitting.table.leave(0, sitting.now, resign=True)
    sitting.play_out()

    own = {
        cause
        for deal in sitting.table.match.deals[1:]
        for who, cause in zip(deal.seats, deal.notes.play_causes, strict=True)
        if who == 0
    }
    assert own == {ActionCause.SUBSTITUTE}


# Events and their numbers


def test_sequence_numbers_are_equal_for_all_seats_and_leave_no_gap() -> None:
    sitting = playing()
    sitting.table.leave(3, sitting.now, resign=False)
    sitting.play_out()
    sitting.finish()

    for seat in sitting.seats:
        at = 0
        for update in seat.updates:
            news = update.news
            told = len(update.cards)
            if news is not None:
                told += len(news.substitutions)
                rare = (
                    news.deal_started,
                    news.cards_exchanged,
                    news.kitty_taken,
                    news.moon_shot,
                    news.deal_scored,
                    news.match_ended,
                )
                told += sum(each is not None for each in rare)
            at += told
            assert update.sequence == at
        assert at == sitting.table.match.sequence


def test_a_seat_that_was_not_written_to_gets_an_update_for_each_deal() -> None:
    sitting = playing()
    sitting.table.leave(2, sitting.now, resign=True)
    sitting.flush()
    sitting.play_to_deal(2)

    updates = sitting.write(2)

    first, second = updates
    assert first.news is not None
    assert first.news.deal_scored is not None
    assert first.news.deal_started is None
    assert second.news is not None
    assert second.news.deal_started is not None
    assert second.news.deal_started.deal_number == 2
    sitting.check_fold(2)


def test_a_seat_that_missed_more_deals_than_are_kept_gets_a_snapshot_and_no_events() -> None:
    sitting = playing()
    sitting.table.leave(2, sitting.now, resign=True)
    sitting.flush()
    sitting.play_to_deal(4)

    (update,) = sitting.write(2)

    assert not update.cards
    assert update.observation is not None
    assert update.sequence == sitting.table.match.sequence
    assert update.news is None or update.news.deal_started is None
    sitting.check_fold(2)


def test_the_end_is_told_also_after_history_was_skipped() -> None:
    sitting = playing()
    sitting.table.leave(2, sitting.now, resign=True)
    sitting.flush()
    sitting.play_out()
    sitting.table.due.clear()
    sitting.finish()

    news = sitting.seats[2].last.news
    assert news is not None
    assert news.match_ended is not None
    assert news.match_ended.cause is MatchCause.COMPLETED
    assert news.match_ended.seat_causes[2] is SeatCause.RESIGNED


def test_an_accepted_pass_of_an_earlier_deal_is_not_told_in_a_later_one() -> None:
    sitting = Sitting()
    sitting.ready()
    sitting.answer(2)
    sitting.table.leave(2, sitting.now, resign=False)
    for seat in (0, 1, 3):
        sitting.answer(seat)
    due = sitting.table.due
    while len(sitting.table.match.deals) < 2:
        seat = sitting.turn
        sitting.answer(seat)
        due.clear()

    updates = sitting.write(2)

    news = updates[-1].news
    assert news is not None
    assert news.deal_started is not None
    assert not news.pass_accepted
    sitting.check_fold(2)


# The end


@pytest.mark.parametrize(
    "cause", [MatchCause.VOID_SERVER, MatchCause.VOID_ORGANISER, MatchCause.CANCELLED], ids=str
)
@pytest.mark.parametrize("when", ["readying", "passing", "playing", "played"])
def test_a_match_may_be_ended_at_any_time(cause: MatchCause, when: str) -> None:
    sitting = Sitting(deals=1)
    sitting.connect_all()
    sitting.flush()
    if when != "readying":
        for seat in range(4):
            sitting.answer(seat)
        sitting.flush()
    if when in {"playing", "played"}:
        sitting.pass_all()
    if when == "played":
        sitting.play_out()
    open_seats = [seat for seat in range(4) if sitting.asked(seat) is not None]

    sitting.table.finish(cause, b"", sitting.now)
    sitting.flush()

    assert sitting.state is TableState.ENDED
    for number, bot in enumerate(sitting.seats):
        news = bot.last.news
        assert news is not None
        assert news.match_ended is not None, when
        assert (news.match_ended.cause, news.match_ended.placements) == (cause, ())
        assert len(news.match_ended.scores) == len(news.match_ended.seat_causes) == 4
        closed = [each.cause for each in news.closed]
        assert closed == ([CloseCause.MATCH_ENDED] if number in open_seats else [])
        assert bot.last.decision is None
    assert len({bot.last.sequence for bot in sitting.seats}) == 1
    assert sitting.seats[0].last.sequence > max(u.sequence for u in sitting.seats[0].updates[:-1])


def test_a_completed_match_has_placements_and_its_digest() -> None:
    sitting = playing(deals=1)
    sitting.play_out()

    sitting.finish()

    news = sitting.seats[0].last.news
    assert news is not None
    assert news.match_ended is not None
    assert len(news.match_ended.placements) == 4
    assert min(news.match_ended.placements) == 1
    assert news.match_ended.digest == b"d" * 32


def test_finishing_twice_changes_nothing() -> None:
    sitting = playing(deals=1)
    sitting.play_out()
    sitting.finish()
    sequence = sitting.table.match.sequence

    sitting.finish(MatchCause.CANCELLED)

    assert sitting.table.match.sequence == sequence
    assert not sitting.table.due


def test_an_answer_after_the_end_changes_nothing() -> None:
    sitting = playing()
    turn = sitting.turn
    action = sitting.any_action(turn)
    sitting.finish(MatchCause.CANCELLED)

    sitting.answer(turn, action)
    sitting.table.expire(turn, sitting.now + 1000 * S)

    assert not sitting.table.match.deal.cards
    assert sitting.table.deadline(turn) is None


def test_a_seat_may_be_silent_from_first_to_last() -> None:
    rules = preset("hearts", 4)
    table = Table(
        random_match(rules, 5, deal_limit=2),
        match_id="m",
        names=list("abcd"),
        time_control=TimeControl(),
        fault_policy=FaultPolicy(),
    )
    table.open(0)
    now = 0
    for _ in range(1000):
        deadlines = [at for seat in range(4) if (at := table.deadline(seat)) is not None]
        if not deadlines:
            break
        now = min(deadlines) + 1
        for seat in range(4):
            table.expire(seat, now)

    assert table.state is TableState.PLAYED


def test_a_void_while_cards_are_passed_tells_who_was_held() -> None:
    sitting = Sitting()
    sitting.ready()
    sitting.table.leave(2, sitting.now, resign=True)

    sitting.finish(MatchCause.VOID_SERVER)

    news = sitting.seats[0].last.news
    assert news is not None
    assert [(each.seat, each.cause) for each in news.substitutions] == [(2, None)]
    assert news.match_ended is not None
    assert news.match_ended.seat_causes[2] is SeatCause.RESIGNED


def test_losing_a_stream_twice_spends_grace_once() -> None:
    sitting = playing()
    turn = sitting.turn
    sitting.table.disconnect(turn, sitting.now)
    sitting.now += 5 * S

    sitting.table.disconnect(turn, sitting.now)

    assert sitting.table.deadline(turn) == sitting.now + 15 * S
