"""A client that folds its updates sees what the server says that its seat may see."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.play import act_by_chance, deal, random_match, small
from tests.rules.variants import variants
from tests.view.updates import Follower, announcement

from kiery.cards import parse_card, parse_cards
from kiery.engine import Match, board_from_hands
from kiery.rules import MatchLength, Moon, MoonChoice, Rules, preset
from kiery.terms import ActionCause, MatchCause, SeatCause, SubstitutionScope
from kiery.view import DealStarted, DecisionKind, Fold, News, Phase, SeatSubstituted, Update

seeds = st.integers(0, 2**32)


def start_deal(match: Match, followers: list[Follower]) -> None:
    match.start_deal()
    for follower in followers:
        follower.held = {
            seat: scope for seat, scope in follower.held.items() if scope is SubstitutionScope.MATCH
        }


def substitute(match: Match, followers: list[Follower], chance: Random) -> None:
    seat = chance.randrange(match.rules.num_players)
    if match.deal.phase is Phase.PASSING or seat in followers[0].held:
        return
    scope = chance.choice(list(SubstitutionScope))
    match.substitute(seat, SeatCause.TIMEOUT, scope)
    for follower in followers:
        follower.held[seat] = scope


@given(variants(), seeds)
def test_fold_agrees_with_the_server_after_every_event(rules: Rules, seed: int) -> None:
    match = random_match(rules, seed, deal_limit=2)
    chance = Random(seed)
    followers = [Follower(match, seat) for seat in range(rules.num_players)]

    while not match.over:
        start_deal(match, followers)
        while True:
            for follower in followers:
                follower.catch_up()
                follower.check()
            if match.deal.phase is Phase.SCORED:
                break
            if chance.random() < 0.05:
                substitute(match, followers, chance)
                continue
            passing = match.deal.phase is Phase.PASSING
            seat = act_by_chance(match, chance)
            if passing:
                followers[seat].catch_up(passed=True)


@given(variants(), seeds)
def test_fold_that_hears_rarely_agrees_when_it_hears(rules: Rules, seed: int) -> None:
    match = random_match(rules, seed, deal_limit=3)
    chance = Random(seed)
    followers = [Follower(match, seat) for seat in range(rules.num_players)]

    while not match.over:
        start_deal(match, followers)
        while match.deal.phase is not Phase.SCORED:
            passing = match.deal.phase is Phase.PASSING
            seat = act_by_chance(match, chance)
            if passing:
                followers[seat].catch_up(passed=True)
            elif chance.random() < 0.02:
                substitute(match, followers, chance)
            for follower in followers:
                # Whoever is asked hears everything; the others sometimes, across ends of deals too.
                chose = match.deal.passes[follower.seat] is not None and match.deal.phase is Phase.PASSING
                if follower.decision() is not None or (chance.random() < 0.1 and not chose):
                    follower.catch_up()
                    follower.check()
    for follower in followers:
        follower.catch_up()
        follower.check()


@given(variants(), seeds)
def test_fold_that_starts_from_a_snapshot_agrees_from_then_on(rules: Rules, seed: int) -> None:
    match = random_match(rules, seed, deal_limit=2)
    chance = Random(seed)

    while not match.over:
        match.start_deal()
        followers: list[Follower] = []
        while match.deal.phase is not Phase.SCORED:
            if chance.random() < 0.2:
                followers = [Follower(match, seat) for seat in range(rules.num_players)]
            for follower in followers:
                follower.check()
            seat = act_by_chance(match, chance)
            for follower in followers:
                follower.catch_up(passed=follower.seat == seat)
                follower.check()


def test_every_seat_knows_that_a_moon_waits_for_its_shooter() -> None:
    rules = preset("hearts", 4)
    hands = deal(
        "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC / 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD"
        " / 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS / 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"
    )
    match = Match(rules, MatchLength(), lambda _: board_from_hands(rules, 4, hands))
    match.start_deal()
    while match.deal.phase is Phase.PLAYING:
        match.play(min(card for card in range(1, 53) if match.deal.legal >> card & 1))
    followers = [Follower(match, seat) for seat in range(4)]
    late = [Fold(announcement(rules, seat)) for seat in range(4)]

    for follower, fold in zip(followers, late, strict=True):
        follower.fold = fold
        follower.catch_up()
        follower.check()
        assert fold.observation().phase is Phase.MOON_CHOICE
    asked = [fold.observation().kind for fold in late]
    match.choose_moon(MoonChoice.SUBTRACT)
    for follower in followers:
        follower.catch_up()
        follower.check()

    assert asked == [DecisionKind.MOON_CHOICE, None, None, None]
    assert late[3].observation().scores == (-26, 0, 0, 0)


def test_carried_points_are_given_once() -> None:
    carried = small("9C TC 3C 4C / 9C 2D 4D 6D / 2H 3H 5D 7D")
    match = Match(carried.rules, MatchLength(), lambda _: carried.board)
    match.start_deal()
    followers = [Follower(match, seat) for seat in range(3)]

    for card in "9C 9C 2H TC 2D 3H 3C 4D 5D".split():
        match.play(parse_card(card))
        for follower in followers:
            follower.catch_up()
            follower.check()

    # A trick remains, so that these are the points taken and not yet those awarded.
    assert followers[1].fold.observation().points == (2, 0, 0)


def test_every_seat_knows_an_early_end_after_a_carried_bonus_card() -> None:
    settled = small(
        "9C AC 2D / 9C 3C 3D / JD 4H 4D",
        early_end=True,
        bonus_card=parse_card("JD"),
        bonus_points=-10,
        moon=Moon.CHOICE,
        moon_points=26,
    )
    match = Match(settled.rules, MatchLength(), lambda _: settled.board)
    match.start_deal()
    followers = [Follower(match, seat) for seat in range(3)]

    for card in "9C 9C JD AC 3C 4H".split():
        match.play(parse_card(card))
        for follower in followers:
            follower.catch_up()
            follower.check()

    assert [follower.fold.observation().phase for follower in followers] == [Phase.MOON_CHOICE] * 3
    assert len(followers[2].fold.observation().hand) == 1


def test_before_the_first_deal_there_is_nothing_to_see() -> None:
    fold = Fold(announcement(preset("hearts", 4), 2, after=7))

    seen = fold.observation()

    assert (fold.sequence, seen.seat, seen.deal_number, seen.hand, seen.leader) == (7, 2, 0, (), None)
    assert (seen.scores, seen.points, seen.kind, seen.legal) == ((0,) * 4, (0,) * 4, None, ())


def dealt(hand: str, offset: int = 1) -> Update:
    started = DealStarted(
        deal_number=1, dealer=0, hand=parse_cards(hand), pass_offset=offset, key_hash=b"h" * 32
    )
    return Update(sequence=1, news=News(deal_started=started))


def test_own_pass_is_seen_from_its_acceptance_on() -> None:
    fold = Fold(announcement(preset("hearts", 4), 0))
    fold.apply(dealt("2C 3C 4C 5C"))

    fold.apply(Update(sequence=1), pass_sent=parse_cards("2C 3C 4C"))
    before = fold.observation().passed
    fold.apply(Update(sequence=1, news=News(pass_accepted=True)), pass_sent=parse_cards("2C 3C 4C"))

    assert before == ()
    assert fold.observation().passed_mask == parse_cards("2C 3C 4C")
    assert fold.observation().hand_mask == parse_cards("2C 3C 4C 5C")


def test_faults_are_kept_until_the_next_deal() -> None:
    fold = Fold(announcement(preset("hearts", 4), 0))
    fold.apply(dealt("2C 3C 4C 5C"))

    fold.apply(Update(sequence=1, news=News(faults=2)))
    fold.apply(Update(sequence=1, news=News()))
    kept = fold.observation().faults
    fold.apply(dealt("2C 3C 4C 5C"))

    assert (kept, fold.observation().faults) == (2, 0)


def test_seat_held_for_a_deal_is_free_again_with_the_next() -> None:
    fold = Fold(announcement(preset("hearts", 4), 0))
    fold.apply(dealt("2C 3C 4C 5C"))
    held = [
        SeatSubstituted(seat=2, cause=None, scope=SubstitutionScope.DEAL),
        SeatSubstituted(seat=1, cause=None, scope=SubstitutionScope.MATCH),
    ]

    fold.apply(Update(sequence=3, news=News(substitutions=held)))
    during = fold.observation()
    fold.apply(dealt("2C 3C 4C 5C"))

    assert (during.substituted, during.substituted_for_match) == ((1, 2), (1,))
    assert fold.observation().substituted == (1,)


def test_time_and_bank_are_those_of_the_last_update() -> None:
    fold = Fold(announcement(preset("hearts", 4), 0))

    fold.apply(Update(sequence=0, time_ms=1_500, bank_ms=30_000))

    assert (fold.observation().time_ms, fold.observation().bank_ms) == (1_500, 30_000)


def test_snapshot_of_a_scored_deal_keeps_its_points() -> None:
    match = random_match(preset("hearts", 4), 5)
    match.start_deal()
    while match.deal.phase is not Phase.SCORED:
        act_by_chance(match, Random(1))

    follower = Follower(match, 1)

    follower.check()
    assert follower.fold.observation().points == match.deal.awarded


def test_pass_of_the_substitute_is_told_with_the_exchange_only() -> None:
    match = random_match(preset("hearts", 4), 5)
    match.start_deal()
    match.deal.notes.pass_causes[0] = ActionCause.SUBSTITUTE
    for seat in range(3):
        hand = match.deal.hands[seat]
        chosen = parse_cards(" ".join(map(str, match.observe(seat).hand[:3])))
        assert hand & chosen == chosen
        match.choose_pass(seat, chosen)
    hidden, shown = match.observe(0).passed, match.observe(1).passed

    match.choose_pass(3, parse_cards(" ".join(map(str, match.observe(3).hand[:3]))))

    assert (hidden, len(shown)) == ((), 3)
    assert len(match.observe(0).passed) == 3


def test_end_of_the_match_is_no_news_of_the_deal() -> None:
    match = random_match(preset("hearts", 4), 5)
    match.start_deal()
    follower = Follower(match, 1)

    match.end(MatchCause.VOID_SERVER, (SeatCause.COMPLETED,) * 4, b"")
    follower.catch_up()

    follower.check()
    assert follower.fold.sequence == match.sequence == 2


def test_card_that_is_not_held_cannot_be_folded() -> None:
    fold = Fold(announcement(preset("hearts", 4), 0))
    fold.apply(dealt("2C 3C 4C 5C", offset=0))

    with pytest.raises(ValueError, match="card 9 is not there"):
        fold.apply(Update(sequence=2, seats=b"\0", cards=b"\x09"))
