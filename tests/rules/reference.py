"""The rules once more, slow and literal, on card text and plain lists: what the fast code is compared with.

Written from docs/rules.md alone. Nothing here uses masks, tables or the functions under test.
"""

from collections.abc import Callable, Iterable

from kiery.rules import (
    Breaks,
    FinalCancelledTrick,
    FirstTrickBan,
    HeartLeadException,
    Leftover,
    Moon,
    OpeningLead,
    QueenLead,
    Rules,
)

RANKS = "23456789TJQKA"


def rank_of(card: str) -> int:
    """Returns a card's place among its suit's thirteen."""
    return RANKS.index(card[0])


def points_of(rules: Rules, card: str) -> int:
    """Returns the penalty points of a card."""
    return sum(points for named, points in rules.card_points if str(named) == card)


def banned(rules: Rules, card: str) -> bool:
    """Tells whether the first trick's ban covers a card."""
    match rules.first_trick_ban:
        case FirstTrickBan.NONE:
            return False
        case FirstTrickBan.QUEEN_ONLY:
            return card == "QS" and points_of(rules, card) > 0
        case FirstTrickBan.ALL_POINTS:
            return points_of(rules, card) > 0


def breaks(rules: Rules, card: str) -> bool:
    """Tells whether a card breaks hearts."""
    return card[1] == "H" or (card == "QS" and rules.breaks is Breaks.HEARTS_AND_QUEEN)


def _narrowed(cards: set[str], keep: Callable[[str], bool]) -> set[str]:
    """Returns the cards that a filter keeps; a filter that would leave nothing is skipped."""
    return {card for card in cards if keep(card)} or cards


def legal(
    rules: Rules, hand: Iterable[str], trick: list[str], *, trick_number: int, broken: bool
) -> set[str]:
    """Returns the legal cards by the four filters in their order."""
    cards = set(hand)
    leading, first = not trick, trick_number == 1
    clubs = {card for card in cards if card[1] == "C"}
    if leading and first and rules.opening_lead is OpeningLead.LOWEST_CLUB_HOLDER:
        return {min(clubs, key=rank_of)}
    if leading and first and rules.opening_lead is OpeningLead.LOWEST_CLUB_HOLDER_ANY_CLUB:
        return clubs
    if not leading:
        cards = _narrowed(cards, lambda card: card[1] == trick[0][1])
    if first:
        cards = _narrowed(cards, lambda card: not banned(rules, card))
    if leading and not broken:
        if rules.queen_lead is QueenLead.AFTER_BROKEN:
            cards = _narrowed(cards, lambda card: card != "QS")
        only_points_left = all(points_of(rules, card) for card in cards if card[1] != "H")
        spared = rules.heart_lead_exception is HeartLeadException.ONLY_POINTS and only_points_left
        if rules.must_break_hearts and not spared:
            cards = _narrowed(cards, lambda card: card[1] != "H")
    return cards


def winning_index(rules: Rules, cards: list[str]) -> int | None:
    """Returns which card of a trick wins, in play order; none when all of the suit led cancelled."""
    best = None
    for index, card in enumerate(cards):
        if card[1] != cards[0][1]:
            continue
        if rules.cancellation and cards.count(card) == 2:
            continue
        if best is None or rank_of(card) > rank_of(cards[best]):
            best = index
    return best


def piles(
    rules: Rules, tricks: list[tuple[int, list[str]]], kitty: list[str]
) -> tuple[list[list[str]], list[int], list[str]]:
    """Returns the cards and the number of tricks that each seat took, and the cards that nobody took.

    Args:
        rules: The variant.
        tricks: The complete tricks of a whole deal, each with its leader.
        kitty: The undealt cards.
    """
    players = rules.num_players
    taken: list[list[str]] = [[] for _ in range(players)]
    counts = [0] * players
    pot: list[str] = []
    pot_tricks = 0
    last_winner = None
    for number, (leader, cards) in enumerate(tricks, start=1):
        pot += cards
        pot_tricks += 1
        index = winning_index(rules, cards)
        winner = None if index is None else (leader + index) % players
        if winner is None and number == len(tricks):
            match rules.final_cancelled_trick:
                case FinalCancelledTrick.LEADER:
                    winner = leader
                case FinalCancelledTrick.LAST_WINNER:
                    winner = leader if last_winner is None else last_winner
                case FinalCancelledTrick.VOID:
                    return taken, counts, pot + kitty
        if winner is None:
            continue
        has_points = any(points_of(rules, card) for card in pot)
        if kitty and (has_points or rules.leftover is Leftover.KITTY_FIRST_TRICK):
            pot, kitty = pot + kitty, []
        taken[winner] += pot
        counts[winner] += pot_tricks
        pot, pot_tricks, last_winner = [], 0, winner
    return taken, counts, kitty


def scores(rules: Rules, taken: list[list[str]], counts: list[int], *, added: bool) -> tuple[int, ...]:
    """Returns the points of a deal from the cards taken.

    Args:
        rules: The variant.
        taken: The cards of each seat.
        counts: The tricks of each seat.
        added: How a moon is awarded: to the others, or else off the shooter's score.
    """
    points = [sum(points_of(rules, card) for card in pile) for pile in taken]
    bonus = [pile.count(str(rules.bonus_card)) for pile in taken]
    moon = [
        seat
        for seat, total in enumerate(points)
        if total == rules.pack_points
        and rules.moon is not Moon.OFF
        and (not rules.bonus_required_for_moon or bonus[seat] == rules.bonus_copies)
    ]
    if moon:
        (shooter,) = moon
        others, own = (rules.moon_points, 0) if added else (0, -rules.moon_points)
        points = [own if seat == shooter else others for seat in range(rules.num_players)]
    else:
        points = [
            total if count else total + rules.no_trick_bonus
            for total, count in zip(points, counts, strict=True)
        ]
    return tuple(total + rules.bonus_points * copies for total, copies in zip(points, bonus, strict=True))
