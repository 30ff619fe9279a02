"""Which cards may be played.

Four filters in a fixed order; one that would leave nothing is skipped, so nobody is ever without a
move. Source: docs/rules.md, "Legal cards".
"""

from kiery.cards import DISTINCT, SUIT_MASKS, CardMask, Suit
from kiery.rules.choices import HeartLeadException, OpeningLead, QueenLead
from kiery.rules.rules import QUEEN_OF_SPADES, Rules

__all__ = ["breaks_hearts", "legal_plays"]

_CLUBS = SUIT_MASKS[Suit.CLUBS]
_HEARTS = SUIT_MASKS[Suit.HEARTS]
_QUEEN = 1 << QUEEN_OF_SPADES


def legal_plays(
    rules: Rules, hand: CardMask, *, led: Suit | None, trick_number: int, broken: bool
) -> CardMask:
    """Returns the cards that a hand may play now, each once.

    Args:
        rules: The variant.
        hand: The cards held, not empty.
        led: The suit led in this trick; none when leading.
        trick_number: The trick's number in the deal, from 1.
        broken: Whether hearts are broken.
    """
    held = hand & DISTINCT
    if led is None:
        return _legal_leads(rules, held, trick_number, broken=broken)
    legal = held & SUIT_MASKS[led] or held
    if trick_number == 1:
        return legal & ~rules.banned_cards or legal
    return legal


def _legal_leads(rules: Rules, held: CardMask, trick_number: int, *, broken: bool) -> CardMask:
    legal = held
    if trick_number == 1:
        if rules.opening_lead is OpeningLead.LOWEST_CLUB_HOLDER:
            clubs = held & _CLUBS
            # The leader is the holder of the lowest club dealt, so that card is its own lowest club.
            return clubs & -clubs or held
        if rules.opening_lead is OpeningLead.LOWEST_CLUB_HOLDER_ANY_CLUB:
            return held & _CLUBS or held
        legal = legal & ~rules.banned_cards or legal
    if broken:
        return legal
    if rules.queen_lead is QueenLead.AFTER_BROKEN:
        legal = legal & ~_QUEEN or legal
    if rules.must_break_hearts:
        others = legal & ~_HEARTS
        spared = (
            rules.heart_lead_exception is HeartLeadException.ONLY_POINTS and not others & ~rules.penalty_cards
        )
        if others and not spared:
            return others
    return legal


def breaks_hearts(rules: Rules, card: int) -> bool:
    """Tells whether playing a card breaks hearts."""
    return bool(rules.breaking_cards >> card & 1)
