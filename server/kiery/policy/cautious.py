"""A careful player: ducks, unloads, empties short suits. Deterministic, and the server's substitute.

Works for every variant: what is dangerous follows from the rules' point table, not from card names.
"""

from collections import Counter

from kiery.cards import (
    RANKS,
    SUIT_MASKS,
    TWIN_SHIFT,
    Card,
    CardMask,
    Suit,
    card_numbers,
    count_cards,
    mask_of,
)
from kiery.policy.danger import danger
from kiery.rules import QUEEN_OF_SPADES, Rules
from kiery.view import Observation

__all__ = ["cautious_pass", "cautious_play"]

_SAFE_SPADES = 4
"""With so many spades the queen can be kept: the others run out first."""


def cautious_pass(observation: Observation) -> tuple[Card, ...]:
    """Returns high spades that nothing guards, then high cards of short suits and high hearts."""
    hand = observation.hand_mask
    guarded = count_cards(hand & SUIT_MASKS[Suit.SPADES]) > _SAFE_SPADES
    lengths = [count_cards(hand & mask) for mask in SUIT_MASKS]

    def burden(card: Card) -> tuple[int, Card]:
        if card == observation.rules.bonus_card:
            return -1, card
        weight = 2 * card.rank + observation.rules.point_table[card]
        if card.suit is Suit.SPADES and card >= QUEEN_OF_SPADES:
            weight += 0 if guarded else 2 * RANKS
        elif card.suit is not Suit.SPADES:
            weight += 2 * (RANKS - lengths[card.suit]) // 3
        return weight, card

    ranked = sorted(observation.legal, key=burden, reverse=True)
    return tuple(ranked[: observation.choose_count])


def cautious_play(observation: Observation) -> Card:
    """Returns a card that avoids taking points where it can."""
    legal = observation.legal
    if len(legal) == 1:
        return legal[0]
    led = observation.led_suit
    if led is None:
        return _lead(observation, legal)
    if legal[0].suit is not led:
        return _discard(observation, legal)
    return _follow(observation, legal, led)


def _lead(observation: Observation, legal: tuple[Card, ...]) -> Card:
    """Leads low from where few higher cards are gone, and keeps away from the queen."""
    rules = observation.rules
    unseen = _unseen(observation)
    queen_is_out = bool(unseen >> QUEEN_OF_SPADES & 1) and rules.point_table[QUEEN_OF_SPADES] > 0

    def risk(card: Card) -> tuple[int, int, int]:
        suit = SUIT_MASKS[card.suit] & unseen
        lower = count_cards(suit & (1 << card) - 1)
        higher = count_cards(suit) - lower
        weight = lower - higher + 2 * rules.point_table[card]
        if card.suit is Suit.SPADES and queen_is_out and card > QUEEN_OF_SPADES:
            weight += RANKS
        if not higher and lower:
            # Nobody can take it: whatever the others discard stays here.
            weight += RANKS
        return weight, card.rank, card

    return min(legal, key=risk)


def _follow(observation: Observation, legal: tuple[Card, ...], led: Suit) -> Card:
    """Plays the highest card below the best one on the table; above it, as cheaply as the trick allows."""
    rules = observation.rules
    on_table = [play.card for play in observation.trick]
    best = max(card for card in on_table if card.suit is led)
    points = sum(rules.point_table[card] for card in on_table)
    last = observation.trick_size == rules.num_players - 1
    below = [card for card in legal if card < best]
    # The most dangerous card that cannot win.
    if below:
        return max(below, key=lambda card: danger(rules, card))
    harmless = [card for card in legal if not rules.point_table[card]] or list(legal)
    if last or (not points and observation.trick_number == 1 and rules.banned_cards):
        # The trick is ours, or nothing can fall on it: spend the highest card.
        return max(harmless)
    return min(harmless)


def _discard(observation: Observation, legal: tuple[Card, ...]) -> Card:
    """Throws penalty cards, then what could catch the queen, then the highest card of the shortest suit."""
    rules = observation.rules
    hand = observation.hand_mask
    queen_is_out = bool(_unseen(observation) >> QUEEN_OF_SPADES & 1)

    def wish(card: Card) -> tuple[int, int, int, int]:
        points, rank, number = danger(rules, card)
        catches = card.suit is Suit.SPADES and card > QUEEN_OF_SPADES and queen_is_out
        # The queen and her like first; a single point matters less than a card that draws thirteen.
        order = 2 * points if points > 1 else (RANKS if catches else points)
        return order, rank, -count_cards(hand & SUIT_MASKS[card.suit]), number

    return max(legal, key=wish)


def _unseen(observation: Observation) -> CardMask:
    """Cards that others may still hold, each once: the deck without one's own and those played."""
    rules = observation.rules
    if rules.num_decks == 1:
        gone = observation.hand_mask
        for card in observation.cards:
            gone |= 1 << card
        return rules.deck & ~gone
    known = Counter([*observation.cards, *card_numbers(observation.hand_mask)])
    return mask_of({card for card in card_numbers(rules.deck) if known[card] < _copies(rules, card)})


def _copies(rules: Rules, card: int) -> int:
    return (rules.deck >> card & 1) + (rules.deck >> (card + TWIN_SHIFT) & 1)
