"""Nothing that a seat is told depends on cards that it cannot see."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st
from tests.engine.play import act_by_chance, asked, random_board
from tests.rules.variants import variants

from kiery.cards import Card, CardMask, add_card, cards_in, has_cards, mask_of, remove_card
from kiery.engine import Board, Deal, IllegalPlayError, Match, board_from_hands
from kiery.rules import MatchLength, Rules, preset
from kiery.view import Observation, Phase

seeds = st.integers(0, 2**32)

KITTY = -1


def told(match: Match, seat: int) -> tuple[Observation, list[object]]:
    """Returns everything that a seat has been told: its observation and its view of all events."""
    events = [event for log in match.logs for event in log.view_of(seat, 0)]
    return match.observe(seat, decision=asked(match.deal, seat)), [match.sequence, *events]


def started(rules: Rules, board: Board) -> Match:
    match = Match(rules, MatchLength(), lambda _: board)
    match.start_deal()
    return match


def exchanged(board: Board, first: tuple[int, Card], second: tuple[int, Card]) -> tuple[list[int], int]:
    """Returns hands and kitty with two cards swapped between their holders."""
    piles = {KITTY: board.kitty, **dict(enumerate(board.hands))}
    for (holder, card), (_, other) in ((first, second), (second, first)):
        piles[holder] = add_card(remove_card(piles[holder], card), other)
    return [piles[seat] for seat in range(len(board.hands))], piles[KITTY]


def unseen(deal: Deal, viewer: int) -> list[tuple[int, Card]]:
    """Returns cards, with who was dealt them, that lie in others' hands or the kitty and never moved."""
    hidden = []
    for seat, hand in enumerate(deal.hands):
        dealt = deal.board.hands[seat]
        hidden += [(seat, card) for card in cards_in(hand) if seat != viewer and has_cards(dealt, 1 << card)]
    if deal.kitty_seat is None:
        hidden += [(KITTY, card) for card in cards_in(deal.board.kitty)]
    passed = {card for cards in deal.passes for card in cards_in(cards or 0)}
    return [(seat, card) for seat, card in hidden if card not in passed]


def replayed(deal: Deal, board: Board) -> Match | None:
    """Returns the same actions on another board, none where they would not be legal there."""
    match = started(deal.rules, board)
    try:
        for seat, cards in enumerate(deal.passes):
            if cards is not None:
                match.choose_pass(seat, cards)
        for seat, card in zip(deal.seats, deal.cards, strict=True):
            if match.deal.turn != seat:
                return None
            match.play(card)
        if deal.phase is Phase.SCORED and deal.choice is not None and match.deal.phase is not Phase.SCORED:
            match.choose_moon(deal.choice)
    except IllegalPlayError:
        return None
    return match


def compare_swaps(rules: Rules, seed: int) -> int:
    """Swaps unseen cards somewhere in a deal, compares what each seat was told, and returns how often."""
    chance = Random(seed)
    match = started(rules, random_board(rules, chance.randint(1, 4), chance))
    for _ in range(chance.randrange(rules.hand_size * rules.num_players)):
        if match.deal.phase is not Phase.SCORED:
            act_by_chance(match, chance)
    deal = match.deal
    compared = 0
    for viewer in range(rules.num_players):
        hidden = unseen(deal, viewer)
        for _ in range(6):
            if len(hidden) < 2:
                break
            first, second = chance.sample(hidden, 2)
            if first[0] == second[0]:
                continue
            hands, kitty = exchanged(deal.board, first, second)
            other = replayed(deal, board_from_hands(rules, deal.board.number, hands, kitty))
            # Where somebody else is to play because of the swap, that is public with the next card only.
            if other is None or (deal.turn != other.deal.turn and viewer in {deal.turn, other.deal.turn}):
                continue
            assert told(other, viewer) == told(match, viewer)
            compared += 1
    return compared


@given(variants(), seeds)
def test_swapping_unseen_cards_of_others_changes_nothing_that_a_seat_is_told(rules: Rules, seed: int) -> None:
    compare_swaps(rules, seed)


def test_swaps_are_indeed_compared() -> None:
    assert sum(compare_swaps(preset("hearts", 4), seed) for seed in range(20)) > 50


@given(variants(), seeds)
def test_choices_of_others_are_hidden_until_all_have_passed(rules: Rules, seed: int) -> None:
    chance = Random(seed)
    board = random_board(rules, 1, chance)
    match = started(rules, board)
    if match.deal.phase is not Phase.PASSING:
        return
    viewer = chance.randrange(rules.num_players)
    before = told(match, viewer)

    def choose(seat: int) -> CardMask:
        return mask_of(chance.sample(cards_in(board.hands[seat]), rules.pass_count))

    for seat in range(rules.num_players):
        if seat != viewer:
            match.choose_pass(seat, choose(seat))
            assert told(match, viewer) == before
    match.choose_pass(viewer, choose(viewer))

    assert told(match, viewer) != before


@given(variants(), seeds)
def test_hands_of_others_are_hidden_while_cards_are_passed(rules: Rules, seed: int) -> None:
    chance = Random(seed)
    match = started(rules, random_board(rules, 1, chance))
    viewer = chance.randrange(rules.num_players)
    if match.deal.phase is not Phase.PASSING:
        return
    own = match.deal.board.hands[viewer]
    others = list(cards_in(rules.deck))
    for card in cards_in(own):
        others.remove(card)
    chance.shuffle(others)
    hands = []
    for seat in range(rules.num_players):
        if seat == viewer:
            hands.append(own)
        else:
            hands.append(mask_of(others[: rules.hand_size]))
            others = others[rules.hand_size :]
    other = started(rules, board_from_hands(rules, 1, hands, mask_of(others)))

    assert told(other, viewer) == told(match, viewer)
