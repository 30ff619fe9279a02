"""Deals in a row, their events and their numbers, and the end."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.play import act_by_chance, deal, play_deal, random_match
from tests.rules.variants import variants

from kiery.cards import mask_of
from kiery.engine import DealNotes, IllegalPlayError, Match, Substitution, board_from_hands
from kiery.rules import MatchLength, MoonChoice, Rules, preset
from kiery.terms import MatchCause, SeatCause, SubstitutionScope
from kiery.view import (
    CardsExchanged,
    DealScored,
    DealStarted,
    Decision,
    DecisionKind,
    KittyTaken,
    MatchEnded,
    MoonShot,
    Phase,
    SeatSubstituted,
)

HEARTS = preset("hearts", 4)

SUITS = (
    "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC / 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD"
    " / 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS / 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"
)
"""Whoever holds the clubs takes every trick: seat 0 on a hold, which board 4 is."""


def moon_match(rules: Rules = HEARTS, **length: Any) -> Match:
    """Returns a match in whose every deal seat 0 has shot the moon, the first one played out."""
    match = Match(rules, MatchLength(**length), lambda _: board_from_hands(rules, 4, deal(SUITS)))
    play_out(match)
    return match


def play_out(match: Match) -> None:
    match.start_deal()
    while match.deal.phase is Phase.PLAYING:
        match.play((match.deal.legal & -match.deal.legal).bit_length() - 1)


def events(match: Match, seat: int = 0) -> list[object]:
    return match.log.view_of(seat, 0)


# Order of things


def test_match_has_no_deal_before_the_first_begins() -> None:
    match = random_match(HEARTS, 1)

    assert (match.sequence, match.scores, match.deals, match.over) == (0, (0, 0, 0, 0), [], False)
    with pytest.raises(IndexError):
        _ = match.deal


def test_no_deal_begins_while_another_is_played() -> None:
    match = random_match(HEARTS, 1)
    match.start_deal()

    with pytest.raises(IllegalPlayError, match="no deal can begin now"):
        match.start_deal()

    assert (len(match.deals), match.sequence) == (1, 1)


def test_no_deal_begins_after_the_last() -> None:
    match = random_match(HEARTS, 1, deal_limit=1)
    play_deal(match, Random(1))

    assert match.over
    with pytest.raises(IllegalPlayError, match="no deal can begin now"):
        match.start_deal()


def test_match_to_a_target_ends_when_it_is_reached() -> None:
    match = random_match(preset("klasyk", 4), 3)
    chance = Random(3)
    while not match.over:
        assert max(match.scores) < 100
        play_deal(match, chance)

    assert max(match.scores) >= 100
    # Klasyk gives out at least 26 points a deal.
    assert len(match.deals) <= 16


def test_deals_are_numbered_and_the_dealer_moves_on() -> None:
    match = random_match(HEARTS, 1, deal_limit=5)
    while not match.over:
        play_deal(match, Random(1))

    assert [one.number for one in match.deals] == [1, 2, 3, 4, 5]
    assert [one.dealer for one in match.deals] == [0, 1, 2, 3, 0]
    assert [one.pass_offset for one in match.deals] == [1, 3, 2, 0, 1]


# Events


@given(variants(), st.integers(0, 1000))
def test_every_event_has_the_next_number_and_every_seat_a_view_of_it(rules: Rules, seed: int) -> None:
    match = random_match(rules, seed, deal_limit=2)
    chance = Random(seed)
    last = 0
    while not match.over:
        match.start_deal()
        assert match.sequence == last + 1
        while match.deal.phase is not Phase.SCORED:
            last = match.sequence
            act_by_chance(match, chance)
            # An action is one event, the last of a deal is followed by its consequences; a pass may be none.
            assert last <= match.sequence <= last + 4
        last = match.sequence

    for log in match.logs:
        numbers = [event.sequence for event in log.rare]
        assert numbers == sorted(set(numbers))
        assert log.sequence - log.base == len(log.deal.cards) + len(numbers)
        assert all(len(event.views) == rules.num_players for event in log.rare)
    assert match.logs[1].base == match.logs[0].sequence


@given(variants(), st.integers(0, 1000))
def test_cursor_counts_plays_and_other_events_up_to_a_number(rules: Rules, seed: int) -> None:
    match = random_match(rules, seed)
    play_deal(match, Random(seed))
    log = match.log
    rare = {event.sequence for event in log.rare}

    for sequence in range(log.sequence + 3):
        plays, others = log.cursor_at(sequence)
        assert others == sum(number <= sequence for number in rare)
        assert plays == sum(number not in rare for number in range(1, min(sequence, log.sequence) + 1))


def test_plain_deal_starts_is_exchanged_and_scored() -> None:
    match = random_match(HEARTS, 1)
    current = play_deal(match, Random(1))
    started, exchanged, scored = events(match, 2)

    assert started == DealStarted(
        deal_number=1, dealer=0, hand=current.board.hands[2], pass_offset=1, key_hash=b""
    )
    assert exchanged == CardsExchanged(passed=current.passes[2] or 0, received=current.passes[1] or 0)
    assert scored == DealScored(points=current.awarded or (), scores=match.scores)
    assert [event.sequence for event in match.log.rare] == [1, 2, 55]


def test_hold_exchanges_nothing() -> None:
    kinds = [type(event) for event in events(moon_match())]

    assert kinds == [DealStarted]


def test_kitty_is_told_once_after_the_trick_that_takes_it() -> None:
    match = random_match(preset("cancellation", 5), 4)
    current = play_deal(match, Random(4))

    told = [event for event in match.log.rare if isinstance(event.views[0], KittyTaken)]

    assert [event.views[0] for event in told] == [
        KittyTaken(seat=current.kitty_seat or 0, cards=current.board.kitty)
    ]
    first_won = next(number for number, seat in enumerate(current.winners, 1) if seat != 127)
    assert told[0].sequence == 1 + 5 * first_won + 1


def test_only_two_logs_are_kept() -> None:
    match = random_match(HEARTS, 1, deal_limit=4)
    while not match.over:
        play_deal(match, Random(1))

    assert [log.deal.number for log in match.logs] == [3, 4]
    assert match.log is match.logs[-1]


def test_refused_start_and_choices_leave_no_event() -> None:
    match = random_match(HEARTS, 1)
    match.start_deal()
    before = match.sequence

    with pytest.raises(IllegalPlayError):
        match.choose_pass(0, mask_of([1]))
    with pytest.raises(IllegalPlayError):
        match.play(1)
    with pytest.raises(IllegalPlayError, match="there is no moon to choose about"):
        match.choose_moon(None)
    with pytest.raises(IllegalPlayError, match="there is no moon to choose about"):
        match.default_moon()

    assert match.sequence == before == 1


# The moon


def test_moon_waits_for_its_shooter_and_is_told_with_the_score() -> None:
    match = moon_match()
    waiting = match.sequence

    match.choose_moon(MoonChoice.SUBTRACT)

    assert waiting == 53
    assert events(match)[1:] == [
        MoonShot(seat=0, choice=MoonChoice.SUBTRACT),
        DealScored(points=(-26, 0, 0, 0), scores=(-26, 0, 0, 0)),
    ]


def test_moon_without_a_choice_is_told_too() -> None:
    match = moon_match(preset("klasyk", 4))

    assert match.deal.phase is Phase.SCORED
    assert events(match)[1:] == [
        MoonShot(seat=0, choice=MoonChoice.ADD),
        DealScored(points=(0, 13, 13, 13), scores=(0, 13, 13, 13)),
    ]


def test_silent_shooter_gets_the_default() -> None:
    match = moon_match()

    match.choose_moon(None)

    assert match.deal.choice is MoonChoice.ADD


def test_default_of_the_last_deal_looks_at_the_final_scores() -> None:
    match = moon_match(deal_limit=2)
    match.scores = (60, 0, 0, 0)
    not_last = match.default_moon()
    match.choose_moon(MoonChoice.ADD)
    play_out(match)

    assert not_last is MoonChoice.ADD
    assert match.scores == (60, 26, 26, 26)
    # Adding would end it at 60 against 52.
    assert match.default_moon() is MoonChoice.SUBTRACT


# Substitutes


def test_cause_of_a_substitution_is_told_to_its_own_seat_only() -> None:
    match = random_match(HEARTS, 1)
    match.start_deal()

    match.substitute(2, SeatCause.TIMEOUT, SubstitutionScope.DEAL)

    for seat in range(4):
        cause = SeatCause.TIMEOUT if seat == 2 else None
        assert events(match, seat)[-1] == SeatSubstituted(seat=2, cause=cause, scope=SubstitutionScope.DEAL)
    assert match.sequence == 2


def test_forfeited_deals_are_those_in_which_a_substitute_kept_a_seat() -> None:
    notes = DealNotes(players=4)
    assert notes.forfeited == ()

    for seat in (3, 1, 3):
        notes.substitutions.append(
            Substitution(seat=seat, cause=SeatCause.TIMEOUT, scope=SubstitutionScope.DEAL, after_plays=5)
        )

    assert notes.forfeited == (1, 3)


def test_notes_start_with_nothing_for_every_seat() -> None:
    notes = DealNotes(players=3)

    assert (notes.pass_causes, notes.pass_ms) == ([None] * 3, [0] * 3)
    assert (notes.faults, notes.rejections) == ([0] * 3, [0] * 3)


# The end

COMPLETED = (SeatCause.COMPLETED,) * 4


def test_completed_match_ends_with_places_and_digest() -> None:
    match = random_match(HEARTS, 1, deal_limit=1)
    play_deal(match, Random(1))

    match.end(MatchCause.COMPLETED, COMPLETED, b"d" * 32)

    ended = events(match)[-1]
    assert isinstance(ended, MatchEnded)
    assert (ended.cause, ended.scores, ended.digest) == (MatchCause.COMPLETED, match.scores, b"d" * 32)
    assert ended.placements == tuple(1 + sum(other < own for other in match.scores) for own in match.scores)
    assert ended.seat_causes == COMPLETED


def test_match_that_is_not_over_cannot_be_completed() -> None:
    match = random_match(HEARTS, 1)
    match.start_deal()

    with pytest.raises(IllegalPlayError, match="the match cannot be ended so"):
        match.end(MatchCause.COMPLETED, COMPLETED, b"")

    assert (match.ended, match.over, match.sequence) == (False, False, 1)


@pytest.mark.parametrize("cause", [MatchCause.VOID_SERVER, MatchCause.VOID_ORGANISER, MatchCause.CANCELLED])
def test_match_can_be_given_up_at_any_time_without_places(cause: MatchCause) -> None:
    match = random_match(HEARTS, 1)
    match.start_deal()

    match.end(cause, COMPLETED, b"")

    ended = events(match)[-1]
    assert isinstance(ended, MatchEnded)
    assert (ended.cause, ended.placements, ended.scores) == (cause, (), (0, 0, 0, 0))
    assert (match.ended, match.over) == (True, True)


def test_match_ends_once() -> None:
    match = random_match(HEARTS, 1)
    match.end(MatchCause.CANCELLED, COMPLETED, b"")

    for cause in MatchCause:
        with pytest.raises(IllegalPlayError, match="the match cannot be ended so"):
            match.end(cause, COMPLETED, b"")
    with pytest.raises(IllegalPlayError, match="no deal can begin now"):
        match.start_deal()
    assert match.sequence == 0


# What a seat sees


def test_observation_holds_the_decision_that_it_is_asked() -> None:
    match = random_match(HEARTS, 1)
    match.start_deal()
    hand = match.deal.hands[1]

    asked = match.observe(
        1, decision=Decision(kind=DecisionKind.PASS, legal=hand, count=3), faults=2, grace_ms=7
    )
    idle = match.observe(1)

    assert (asked.kind, asked.legal_mask, asked.choose_count) == (DecisionKind.PASS, hand, 3)
    assert (asked.faults, asked.grace_ms) == (2, 7)
    assert (idle.kind, idle.legal_mask, idle.choose_count) == (None, 0, 0)


def test_nobody_sees_who_leads_before_the_first_card() -> None:
    match = Match(HEARTS, MatchLength(), lambda _: board_from_hands(HEARTS, 4, deal(SUITS)))
    match.start_deal()
    before = [match.observe(seat).leader for seat in range(4)]

    match.play(1)

    assert before == [None] * 4
    assert [match.observe(seat).leader for seat in range(4)] == [0] * 4


def test_points_are_those_taken_until_they_are_awarded() -> None:
    match = moon_match()
    taken = match.observe(3).points

    match.choose_moon(MoonChoice.ADD)

    assert taken == (26, 0, 0, 0)
    assert match.observe(3).points == (0, 26, 26, 26)
    assert match.observe(3).scores == (0, 26, 26, 26)
