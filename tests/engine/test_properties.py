"""What holds for every variant in every deal."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.play import play_deal, random_board, random_match, state_of
from tests.rules import reference
from tests.rules.variants import mixtures, presets, text_of, variants

from kiery.cards import DISTINCT, EMPTY, Suit, card_numbers, cards_in, count_cards, join_cards, mask_of
from kiery.engine import Deal, IllegalPlayError, Match
from kiery.rules import (
    NOBODY,
    FinalCancelledTrick,
    MatchLength,
    MoonChoice,
    OpeningLead,
    Rules,
    legal_plays,
    preset,
    trick_winner,
)
from kiery.view import Phase

seeds = st.integers(0, 2**32)


def tricks_of(deal: Deal) -> list[tuple[int, list[str]]]:
    size = deal.rules.num_players
    return [
        (deal.seats[start], text_of(deal.cards[start : start + size]))
        for start in range(0, len(deal.winners) * size, size)
    ]


def trick_on_table(deal: Deal) -> bytearray:
    return deal.cards[len(deal.cards) - deal.trick_size :]


def without_early_end(rules: Rules) -> Rules:
    return changed(rules, early_end=False)


def with_early_end(rules: Rules) -> Rules:
    return changed(rules, early_end=True)


def changed(rules: Rules, **values: object) -> Rules:
    fields = {name: getattr(rules, name) for name in Rules.__dataclass_fields__}
    return Rules(**{**fields, **values})


@given(variants(), seeds)
def test_every_card_is_always_somewhere(rules: Rules, seed: int) -> None:
    match = random_match(rules, seed)

    def check() -> None:
        deal = match.deal
        there = mask_of(deal.cards)
        for hand in deal.hands:
            there = join_cards(there, hand)
        assert join_cards(there, deal.board.kitty) == rules.deck
        # Played cards are in tricks that somebody took, in carried ones, or on the table.
        assert len(deal.cards) == len(deal.winners) * rules.num_players + deal.trick_size

    play_deal(match, Random(seed), check)


@settings(max_examples=150)
@given(variants(), seeds)
def test_legal_cards_are_those_of_the_four_filters(rules: Rules, seed: int) -> None:
    match = random_match(rules, seed)

    def check() -> None:
        deal = match.deal
        if deal.phase is not Phase.PLAYING:
            assert not deal.legal
            return
        table = trick_on_table(deal)
        broken = any(reference.breaks(rules, card) for card in text_of(deal.cards))
        expected = reference.legal(
            rules,
            map(str, cards_in(deal.hands[deal.turn])),
            text_of(table),
            trick_number=len(deal.winners) + 1,
            broken=broken,
        )
        assert deal.legal
        assert deal.legal & DISTINCT == deal.legal
        assert set(text_of(card_numbers(deal.legal))) == expected
        assert deal.broken == broken
        # The follower's filter written out in `Deal.play` is the one of the rules.
        led = Suit((table[0] - 1) // 13) if table else None
        assert deal.legal == legal_plays(
            rules, deal.hands[deal.turn], led=led, trick_number=len(deal.winners) + 1, broken=broken
        )

    play_deal(match, Random(seed), check)


@given(variants(), seeds)
def test_turn_passes_clockwise_from_the_one_who_leads(rules: Rules, seed: int) -> None:
    deal = play_deal(random_match(rules, seed), Random(seed))
    size = rules.num_players

    for index, seat in enumerate(deal.seats):
        if index % size:
            assert seat == (deal.seats[index - 1] + 1) % size
    for index, winner in enumerate(deal.winners[:-1]):
        leader, next_leader = deal.seats[index * size], deal.seats[(index + 1) * size]
        assert next_leader == (leader if winner == NOBODY else winner)
    if rules.opening_lead is OpeningLead.DEALER_LEFT:
        assert deal.seats[0] == (deal.dealer + 1) % size


@given(variants(), seeds)
def test_what_follows_a_number_of_plays_is_the_rest_of_the_columns(rules: Rules, seed: int) -> None:
    deal = play_deal(random_match(rules, seed), Random(seed))

    for plays in range(len(deal.cards) + 1):
        assert deal.seats_from(plays) == bytes(deal.seats)[plays:]
        # A trick that is on the table at that point is still to be won.
        assert deal.winners_from(plays) == bytes(deal.winners)[plays // rules.num_players :]
    assert len(deal.seats) == len(deal.cards)


@given(variants(), seeds)
def test_winner_of_each_trick_is_the_one_of_the_plain_rule(rules: Rules, seed: int) -> None:
    deal = play_deal(random_match(rules, seed), Random(seed))
    tricks = tricks_of(deal)

    for number, (leader, cards) in enumerate(tricks, start=1):
        index = reference.winning_index(rules, cards)
        expected = NOBODY if index is None else (leader + index) % rules.num_players
        numbers = deal.cards[(number - 1) * rules.num_players : number * rules.num_players]
        assert trick_winner(rules, leader, numbers) == expected
        if expected != NOBODY or number < rules.hand_size:
            assert deal.winners[number - 1] == expected


@given(st.lists(st.sampled_from(cards_in(preset("cancellation", 8).deck)), min_size=8, max_size=8), seeds)
def test_winner_of_any_cards_is_the_one_of_the_plain_rule(cards: list[int], seed: int) -> None:
    leader = seed % 8
    if any(cards.count(card) > 2 for card in cards):
        return
    for rules in (preset("cancellation", 8), preset("cancellation", 8, cancellation=False)):
        index = reference.winning_index(rules, text_of(bytes(cards)))
        expected = NOBODY if index is None else (leader + index) % 8

        assert trick_winner(rules, leader, cards) == expected


@given(variants(), seeds)
def test_points_are_those_of_the_cards_taken(rules: Rules, seed: int) -> None:
    rules = without_early_end(rules)
    match = random_match(rules, seed)
    deal = play_deal(match, Random(seed))

    taken, counts, nobodys = reference.piles(
        rules, tricks_of(deal), list(map(str, cards_in(deal.board.kitty)))
    )

    assert sorted(sum(taken, nobodys)) == sorted(map(str, cards_in(rules.deck)))
    assert list(deal.tricks) == counts
    assert list(deal.taken) == [sum(reference.points_of(rules, card) for card in pile) for pile in taken]
    assert list(deal.bonus_cards) == [pile.count(str(rules.bonus_card)) for pile in taken]
    assert deal.awarded == reference.scores(rules, taken, counts, added=deal.choice is MoonChoice.ADD)


@given(presets(), seeds)
def test_points_of_a_deal_sum_to_the_pack_or_to_a_moon(rules: Rules, seed: int) -> None:
    deal = play_deal(random_match(rules, seed), Random(seed))
    assert deal.awarded is not None
    bonus = rules.bonus_points * sum(deal.bonus_cards)
    moon = {
        None: rules.pack_points,
        MoonChoice.ADD: rules.moon_points * (rules.num_players - 1),
        MoonChoice.SUBTRACT: -rules.moon_points,
    }

    assert sum(deal.taken) == rules.pack_points
    assert sum(deal.awarded) == moon[deal.choice] + bonus
    assert (deal.choice is None) == (deal.shooter is None)


@given(mixtures(), seeds)
def test_only_a_void_last_trick_loses_points(rules: Rules, seed: int) -> None:
    deal = play_deal(random_match(rules, seed), Random(seed))

    if rules.final_cancelled_trick is not FinalCancelledTrick.VOID or NOBODY not in deal.winners[-1:]:
        missing = rules.pack_points - sum(deal.taken)
        # A kitty that waits for points stays where no trick has any.
        assert missing == 0 or (deal.kitty_seat is None and not any(deal.taken))


@given(variants(), seeds)
def test_early_end_changes_no_score(rules: Rules, seed: int) -> None:
    patient, hasty = without_early_end(rules), with_early_end(rules)
    long = random_match(patient, seed)
    short = random_match(hasty, seed)
    deal = play_deal(long, Random(seed))
    script = list(deal.cards)

    short.start_deal()
    for seat, cards in enumerate(deal.passes):
        if cards is not None:
            short.choose_pass(seat, cards)
    while short.deal.phase is Phase.PLAYING:
        short.play(script[len(short.deal.cards)])
    if short.deal.phase is Phase.MOON_CHOICE:
        short.choose_moon(deal.choice)

    assert short.deal.awarded == deal.awarded
    assert short.scores == long.scores
    assert (short.deal.shooter, short.deal.choice) == (deal.shooter, deal.choice)
    assert len(short.deal.cards) <= len(deal.cards)
    assert len(short.deal.cards) % rules.num_players == 0


@given(variants(), seeds)
def test_same_actions_give_the_same_match(rules: Rules, seed: int) -> None:
    def play() -> Match:
        match = random_match(rules, seed, deal_limit=2)
        chance = Random(seed)
        while not match.over:
            play_deal(match, chance)
        return match

    first, second = play(), play()

    assert first.scores == second.scores
    assert [deal.cards for deal in first.deals] == [deal.cards for deal in second.deals]
    assert [log.rare for log in first.logs] == [log.rare for log in second.logs]


@given(variants(), seeds)
def test_scores_are_the_sums_of_what_was_awarded(rules: Rules, seed: int) -> None:
    rules = changed(rules, allow_negative=True)
    match = random_match(rules, seed, deal_limit=3)
    chance = Random(seed)
    while not match.over:
        play_deal(match, chance)

    awarded = [deal.awarded or () for deal in match.deals]
    assert match.scores == tuple(map(sum, zip(*awarded, strict=True)))


@settings(max_examples=20)
@given(variants(), seeds)
def test_refused_actions_change_nothing(rules: Rules, seed: int) -> None:
    match = random_match(rules, seed)

    def check() -> None:
        deal = match.deal
        before = state_of(deal), match.scores, match.sequence
        for card in (0, 53, 105, 255, *card_numbers(rules.deck & DISTINCT & ~deal.legal)):
            with pytest.raises(IllegalPlayError):
                match.play(card)
        for seat, passed in enumerate(deal.passes):
            if deal.phase is not Phase.PASSING or passed is not None:
                with pytest.raises(IllegalPlayError):
                    match.choose_pass(seat, passed or EMPTY)
        if deal.phase is not Phase.MOON_CHOICE:
            with pytest.raises(IllegalPlayError):
                match.choose_moon(MoonChoice.ADD)
        assert (state_of(deal), match.scores, match.sequence) == before

    play_deal(match, Random(seed), check)


def test_a_board_of_a_seed_is_the_deck() -> None:
    rules = preset("cancellation", 5)

    board = random_board(rules, 3, Random(1))

    assert (board.number, count_cards(board.kitty)) == (3, 4)
    assert MatchLength().deal_limit is None
