"""Random playouts: from a position, or from the shuffle on, to the end of the deal.

Every legal card is equally likely at every turn. For the usual variants the loop is written out on lists
of cards in random order, where the next card of a list is a random one; everything else goes through
`Position`. A test shows that both play by the rules.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Protocol

from kiery.cards import EMPTY, Seat, card_numbers, mask_of
from kiery.engine.hand import SUITS
from kiery.engine.position import Position, opener
from kiery.rules import (
    HeartLeadException,
    MoonChoice,
    OpeningLead,
    QueenLead,
    Rules,
    pass_offset,
)

__all__ = ["Chance", "playout", "playout_of_board", "random_position"]

_HEARTS: Final = 3
_BONUS_SHIFT: Final = 20
"""Copies of the bonus card are counted above the points of a trick, which never need so many bits."""

_Held = list[list[int]]
"""A seat's cards by suit, each list in random order."""


class Chance(Protocol):
    """Where random choices come from; `random.Random` is one."""

    def random(self) -> float:
        """Returns a uniform number from 0 up to, but not including, 1."""
        ...


def playout(position: Position, chance: Chance, choice: MoonChoice = MoonChoice.ADD) -> tuple[int, ...]:
    """Plays a position at random to the end, and leaves it as it is.

    Args:
        position: Where to begin.
        chance: Decides every card.
        choice: What a shooter of the moon chooses, where the rules leave him a choice.

    Returns:
        The points awarded to each seat.
    """
    position = position.copy()
    plain = _is_plain(position.rules) and not position.kitty
    while position.tricks_left and (position.trick or not plain):
        legal = card_numbers(position.legal())
        position.play(legal[int(chance.random() * len(legal))])
    if position.tricks_left:
        _play_plain(
            position, [_by_suit(_shuffled(card_numbers(hand), chance)) for hand in position.hands], chance
        )
    return _award(position, choice)


def playout_of_board(
    rules: Rules, board_number: int, chance: Chance, choice: MoonChoice = MoonChoice.ADD
) -> tuple[int, ...]:
    """Shuffles, deals, passes and plays at random.

    Args:
        rules: The variant.
        board_number: From 1; the dealer and the pass direction follow from it.
        chance: Decides everything.
        choice: What a shooter of the moon chooses, where the rules leave him a choice.

    Returns:
        The points awarded to each seat.
    """
    if not _is_plain(rules) or rules.kitty_size:
        return playout(random_position(rules, board_number, chance), chance, choice)
    hands, _ = _dealt_and_passed(rules, board_number, chance)
    held = [_by_suit(hand) for hand in hands]
    position = Position(rules, (EMPTY,) * rules.num_players, _opener(rules, board_number, held))
    _play_plain(position, held, chance)
    return _award(position, choice)


def random_position(rules: Rules, board_number: int, chance: Chance) -> Position:
    """Returns the position before the first card of a random board with random passes."""
    dealt, kitty = _dealt_and_passed(rules, board_number, chance)
    hands = [mask_of(hand) for hand in dealt]
    dealer = (rules.first_dealer + board_number - 1) % rules.num_players
    return Position(rules, hands, opener(rules, dealer, hands), mask_of(kitty))


def _shuffled(cards: Iterable[int], chance: Chance) -> list[int]:
    random = chance.random
    return sorted(cards, key=lambda _: random())


def _dealt_and_passed(rules: Rules, board_number: int, chance: Chance) -> tuple[list[list[int]], list[int]]:
    deck = _shuffled(card_numbers(rules.deck), chance)
    size, players = rules.hand_size, rules.num_players
    offset = pass_offset(rules, board_number)
    # The cards of a hand lie in random order, so the first ones are a random pass.
    passed = rules.pass_count if offset else 0
    hands = []
    for seat in range(players):
        start, giver = seat * size, (seat - offset) % players * size
        hands.append(deck[giver : giver + passed] + deck[start + passed : start + size])
    return hands, deck[players * size :]


def _by_suit(cards: Iterable[int]) -> _Held:
    held: _Held = [[], [], [], []]
    for card in cards:
        held[SUITS[card]].append(card)
    return held


def _opener(rules: Rules, board_number: int, held: list[_Held]) -> Seat:
    if rules.opening_lead is OpeningLead.DEALER_LEFT:
        return (rules.first_dealer + board_number) % rules.num_players
    lowest = rules.lowest_club
    return next(seat for seat, hand in enumerate(held) if lowest in hand[0])


def _is_plain(rules: Rules) -> bool:
    """Tells whether a trick is its cards, and a lead needs to know of hearts only."""
    return not (
        rules.cancellation
        or rules.early_end
        or rules.queen_lead is QueenLead.AFTER_BROKEN
        or rules.heart_lead_exception is HeartLeadException.ONLY_POINTS
    )


def _award(position: Position, choice: MoonChoice) -> tuple[int, ...]:
    rules, taken = position.rules, position.taken
    if rules.bonus_points or rules.no_trick_bonus or rules.pack_points in taken:
        return position.points(choice)
    return tuple(taken)


def _play_plain(position: Position, held: list[_Held], chance: Chance) -> None:
    """Plays all tricks left at random; only what was taken is written into the position."""
    rules = position.rules
    players = rules.num_players
    points, breaking = _weights(rules), rules.breaking_table
    random = chance.random
    taken, tricks = [0] * players, position.tricks
    leader, broken = position.leader, position.broken or not rules.must_break_hearts
    left = position.tricks_left
    if left == rules.hand_size:
        leader, weight, breaks = _first_trick(rules, held, leader, chance)
        broken = broken or breaks
        taken[leader] += weight
        tricks[leader] += 1
        left -= 1
    best = card = 0
    following = [[*range(seat + 1, players), *range(seat)] for seat in range(players)]
    while left:
        hand = held[leader]
        # A lead: any card, or any but hearts while there are others.
        others = left - len(hand[_HEARTS])
        place = int(random() * (left if broken or not others else others))
        for cards in hand:  # pragma: no branch  (one of them has it)
            if place < len(cards):
                best = cards.pop()
                break
            place -= len(cards)
        led = SUITS[best]
        weight = points[best]
        if not broken:
            broken = breaking[best]
        winner = leader
        for seat in following[leader]:
            hand = held[seat]
            cards = hand[led]
            if cards:
                card = cards.pop()
                if card > best:
                    best = card
                    winner = seat
            else:
                place = int(random() * left)
                for cards in hand:  # pragma: no branch  (one of them has it)
                    if place < len(cards):
                        card = cards.pop()
                        break
                    place -= len(cards)
            weight += points[card]
            if not broken:
                broken = breaking[card]
        leader = winner
        taken[winner] += weight
        tricks[winner] += 1
        left -= 1
    _take(position, taken)


def _take(position: Position, weights: Sequence[int]) -> None:
    for seat, weight in enumerate(weights):
        bonus, points = divmod(weight, 1 << _BONUS_SHIFT)
        position.taken[seat] += points
        position.bonus_cards[seat] += bonus
    position.tricks_left = 0


def _weights(rules: Rules) -> Sequence[int]:
    """Returns what each card number adds to a trick: points, and above them a count of bonus cards."""
    if not rules.bonus_card:
        return rules.point_table
    weights = list(rules.point_table)
    weights[rules.bonus_card] += 1 << _BONUS_SHIFT
    return weights


def _first_trick(rules: Rules, held: list[_Held], leader: Seat, chance: Chance) -> tuple[Seat, int, bool]:
    """Plays the first trick, which has rules of its own; returns winner, weight, and whether hearts broke."""
    players, banned, points = rules.num_players, rules.ban_table, _weights(rules)
    best = weight = led = 0
    winner, broken = leader, False
    for offset in range(players):
        seat = (leader + offset) % players
        hand = held[seat]
        if offset:
            legal = hand[led] or [*hand[0], *hand[1], *hand[2], *hand[3]]
            legal = [card for card in legal if not banned[card]] or legal
        else:
            legal = _opening_leads(rules, hand)
        card = legal[int(chance.random() * len(legal))]
        hand[SUITS[card]].remove(card)
        if not offset:
            led = SUITS[card]
        if SUITS[card] == led and card > best:
            best, winner = card, seat
        weight += points[card]
        broken = broken or rules.breaking_table[card]
    return winner, weight, broken


def _opening_leads(rules: Rules, hand: _Held) -> list[int]:
    if rules.opening_lead is OpeningLead.LOWEST_CLUB_HOLDER:
        return [rules.lowest_club or min(hand[0])]
    if rules.opening_lead is OpeningLead.LOWEST_CLUB_HOLDER_ANY_CLUB:
        return hand[0]
    legal = [card for cards in hand for card in cards]
    legal = [card for card in legal if not rules.ban_table[card]] or legal
    if rules.must_break_hearts:
        return [card for card in legal if SUITS[card] != _HEARTS] or legal
    return legal
