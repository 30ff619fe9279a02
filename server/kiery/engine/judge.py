"""A complete deal judged at once: the same verdict as `Deal`, card by card, at a fraction of the cost.

For whoever has many finished deals: verification, bulk simulation. The judge works on whole columns with
operations that Python runs at the speed of C (`bytes.translate`, slices, one wide integer), and knows
only the usual case. It is sound and not complete: what it accepts, `Deal` accepts with the same outcome
(a property test over all variants says so); what it does not accept may still be legal, and is for `Deal`.

Why the columns suffice. All cards of a complete deal are played, so a seat held at any time exactly what
it played from then on:

* The hands after the exchange have the right sizes and are the deck together, so they part it. The
  plays are a permutation of the deck. A table `holder` from card to seat turns them into the seats that
  must have played; the winners, computed from the cards alone, say who was to lead each trick. If both
  give the same seats, everybody played when it was his turn, and cards that he held.
* A discard is legal if and only if its seat plays no card of the suit led later. In one wide integer
  with a byte for each trick and seat and a bit for each suit, the suits missed are smeared over all later
  tricks; no seat may have played one of them there.
* A lead needs a look only at the first card that breaks hearts: if a heart is led while they are
  unbroken, it is that card. Then, and when a banned card falls in the first trick, the rules depend on
  the whole hand, and the deal is left to `Deal`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from kiery.cards import RANKS, SUIT_MASKS, CardMask, Seat, Suit, card_numbers
from kiery.rules import (
    DealTaken,
    MoonChoice,
    OpeningLead,
    QueenLead,
    Rules,
    deal_points,
    moon_shooter,
    pass_offset,
)

__all__ = ["DealJudge", "JudgedDeal", "judge_of"]

_FIRST_HEART: Final = card_numbers(SUIT_MASKS[Suit.HEARTS])[0]
_ORDER: Final = "little"
_LANE_BITS: Final = 8
_TOP_BIT: Final = 7
_MOST: Final = 255
_TABLE: Final = range(256)
_SUIT_SHIFT: Final = 6
_CARD_BITS: Final = (1 << _SUIT_SHIFT) - 1
_SUIT_BITS: Final = _MOST ^ _CARD_BITS


def _suit(card: int) -> int:
    return (card - 1) // RANKS


# By byte; what is no card is refused before these are used.
_SUIT_FLAG: Final = bytes(1 << _suit(card) if 1 <= card <= 52 else 0 for card in _TABLE)
"""One bit a suit."""
_WITH_SUIT: Final = bytes(card | _suit(card) << _SUIT_SHIFT if 1 <= card <= 52 else 0 for card in _TABLE)
"""The card's number with its suit in the two bits above."""
_OF_SUIT_LED: Final = bytes(byte if byte <= _CARD_BITS else 0 for byte in _TABLE)
"""After the suit led was taken out of these two bits: the card if it is of that suit, else 0."""


@dataclass(slots=True)
class JudgedDeal:
    """The outcome of a complete deal before its award. Not frozen, since one is made a deal."""

    seats: bytes
    """Who played, in order."""
    winners: bytes
    """Who took each trick."""
    taken: list[int]
    """Penalty points of the cards that each seat took, before bonuses and moon."""
    bonus_cards: list[int]
    """Copies of the bonus card that each seat took."""
    broken: bool
    """Whether hearts were broken."""
    shooter: Seat | None
    """Who shot the moon."""

    def result(self) -> DealTaken:
        """Returns what each seat took."""
        tricks = [self.winners.count(seat) for seat in range(len(self.taken))]
        return DealTaken(points=tuple(self.taken), bonus_cards=tuple(self.bonus_cards), tricks=tuple(tricks))


class DealJudge:
    """Judges deals of one variant. Keeps tables only, so one judge serves any number of deals."""

    __slots__ = (
        "_banned",
        "_bonus",
        "_breaking",
        "_deck",
        "_deck_mask",
        "_first_dealer",
        "_lowest_club",
        "_must_break",
        "_offsets",
        "_opening",
        "_owners",
        "_pack_points",
        "_pass_count",
        "_pays_more",
        "_players",
        "_points",
        "_rounds",
        "_rules",
        "_size",
        "_smears",
        "_spread",
        "_suits_led",
        "_tops",
        "_tricks",
        "covers",
    )

    def __init__(self, rules: Rules) -> None:
        """Makes the tables of a variant."""
        players = rules.num_players
        self.covers = _covers(rules)
        """Whether the variant is plain enough; else no deal is accepted."""
        self._players = players
        self._size = rules.deck_size
        self._deck = card_numbers(rules.deck)
        self._deck_mask = rules.deck
        self._offsets = tuple(pass_offset(rules, number) for number in range(1, len(rules.pass_cycle) + 1))
        self._pass_count = rules.pass_count
        self._rules = rules
        self._pack_points = rules.pack_points
        # Whether anything but the cards taken counts in a deal without a moon.
        self._pays_more = bool(rules.bonus_points or rules.no_trick_bonus)
        self._first_dealer = rules.first_dealer
        self._owners = bytes(seat for seat in range(players) for _ in range(rules.hand_size))
        self._rounds = tuple(
            bytes((leader + offset) % players for offset in range(players)) for leader in range(players)
        )
        self._opening = rules.opening_lead
        self._lowest_club = rules.lowest_club or 0
        self._must_break = rules.must_break_hearts
        self._banned = card_numbers(rules.banned_cards)
        self._breaking = bytes(rules.breaking_table)
        self._points = bytes(min(points, _MOST) for points in rules.point_table)
        self._bonus = rules.bonus_card or 0
        # A byte a card, the tricks one after the other, in the low bytes first.
        self._spread = sum(1 << _LANE_BITS * seat for seat in range(players))
        self._suits_led = sum(_SUIT_BITS << _LANE_BITS * card for card in range(0, self._size, players))
        self._tricks = tricks = rules.hand_size
        self._tops = sum(1 << _LANE_BITS * trick + _TOP_BIT for trick in range(tricks))
        # By 1, 2, 4 … tricks, never into those of the next seat.
        self._smears = tuple(
            (_LANE_BITS << step, _later(1 << step, tricks, players))
            for step in range((tricks - 1).bit_length())
        )

    def judge(
        self, board_number: int, hands: Sequence[CardMask], passes: Sequence[CardMask], cards: bytes
    ) -> JudgedDeal | None:
        """Returns the outcome of a deal, or none if it is not a plain, complete and legal one.

        Args:
            board_number: From 1; the dealer and the pass direction follow from it.
            hands: The hands by seat as they were dealt; anything that is not the deck is not accepted.
            passes: What each seat passed; no entries where nobody passes.
            cards: The card numbers of all plays, in order.
        """
        players, size = self._players, self._size
        if not self.covers or len(cards) != size or self._deck.translate(None, cards):
            return None
        played_from = self._exchange(board_number, hands, passes)
        if played_from is None:
            return None
        dealt = b"".join([card_numbers(hand) for hand in played_from])
        holder = bytes.maketrans(dealt, self._owners)
        opener = self._opener(board_number, holder, cards)
        if opener < 0:
            return None
        winners = self._winners(cards, holder)
        rounds = self._rounds
        seats = rounds[opener] + b"".join([rounds[winner] for winner in winners[:-1]])
        if cards.translate(holder) != seats or not self._follow(cards, dealt):
            return None
        first = cards.translate(self._breaking).find(1)
        if first % players == 0 and self._must_break and cards[first] >= _FIRST_HEART:
            return None
        bonus_cards = [0] * players
        bonus = cards.find(self._bonus)
        if bonus >= 0:
            bonus_cards[winners[bonus // players]] = 1
        judged = JudgedDeal(seats, winners, self._taken(cards, winners), bonus_cards, first >= 0, None)
        if self._pack_points in judged.taken:
            judged.shooter = moon_shooter(self._rules, judged.result())
        return judged

    def award(self, judged: JudgedDeal, choice: MoonChoice | None = None) -> tuple[int, ...]:
        """Returns the points awarded to each seat.

        Args:
            judged: What `judge` returned.
            choice: How a moon is awarded; used only if there is a shooter, and then not none.

        Raises:
            ValueError: There is a shooter and no choice.
        """
        if judged.shooter is None and not self._pays_more:
            return tuple(judged.taken)
        return deal_points(self._rules, judged.result(), choice)

    def dealer(self, board_number: int) -> Seat:
        """Returns the seat that deals a board."""
        return (self._first_dealer + board_number - 1) % self._players

    def _exchange(
        self, board_number: int, hands: Sequence[CardMask], passes: Sequence[CardMask]
    ) -> Sequence[CardMask] | None:
        """Returns the hands after the exchange, or none if they are not the deck or a pass is not legal."""
        players, tricks = self._players, self._tricks
        if len(hands) != players:
            return None
        offset = self._offsets[(board_number - 1) % len(self._offsets)]
        if offset:
            if len(passes) != players:
                return None
            kept = []
            for hand, passed in zip(hands, passes, strict=True):
                if hand.bit_count() != tricks or passed.bit_count() != self._pass_count or passed & ~hand:
                    return None
                kept.append(hand ^ passed)
            # Seat 0 receives from the seat `players - offset`. What is there twice makes a hand too small.
            hands = [hand | passes[seat - offset] for seat, hand in enumerate(kept)]
        elif any(passes):
            return None
        together = 0
        for hand in hands:
            if hand.bit_count() != tricks:
                return None
            together |= hand
        return hands if together == self._deck_mask else None

    def _opener(self, board_number: int, holder: bytes, cards: bytes) -> Seat:
        """Returns who opens, or -1 if the first trick is not a plain one."""
        first = cards[: self._players]
        if self._banned and len(first.translate(None, self._banned)) < len(first):
            return -1
        if self._opening is OpeningLead.DEALER_LEFT:
            return (self.dealer(board_number) + 1) % self._players
        if self._opening is OpeningLead.LOWEST_CLUB_HOLDER:
            usual = cards[0] == self._lowest_club
        else:
            usual = cards[0] <= RANKS
        return holder[self._lowest_club] if usual else -1

    def _winners(self, cards: bytes, holder: bytes) -> bytes:
        """Returns who holds the highest card of the suit led, trick by trick."""
        players = self._players
        wide = int.from_bytes(cards.translate(_WITH_SUIT), _ORDER)
        suits_led = (wide & self._suits_led) * self._spread
        of_suit = (wide ^ suits_led).to_bytes(self._size, _ORDER).translate(_OF_SUIT_LED)
        # The higher of two numbers in each byte: its top bit survives the subtraction where the first is.
        tops = self._tops
        best = int.from_bytes(of_suit[::players], _ORDER)
        for place in range(1, players):
            other = int.from_bytes(of_suit[place::players], _ORDER)
            better = ((other | tops) - best) & tops
            best ^= (best ^ other) & (better - (better >> _TOP_BIT))
        return best.to_bytes(self._tricks, _ORDER).translate(holder)

    def _follow(self, cards: bytes, dealt: bytes) -> bool:
        """Tells whether nobody who discarded plays a card of the suit led later."""
        players, tricks = self._players, self._tricks
        # A byte a trick, one seat after the other: the plays without those of all other seats.
        rows = [
            cards.translate(_SUIT_FLAG, dealt[:start] + dealt[start + tricks :])
            for start in range(0, self._size, tricks)
        ]
        own = int.from_bytes(b"".join(rows), _ORDER)
        led = int.from_bytes(cards[::players].translate(_SUIT_FLAG) * players, _ORDER)
        missed = led & ~own
        for shift, same_seat in self._smears:
            missed |= missed << shift & same_seat
        return not missed & own

    def _taken(self, cards: bytes, winners: bytes) -> list[int]:
        """Returns the penalty points that each seat took."""
        players = self._players
        # The last byte of each trick becomes the sum of the trick; no sum is above a byte.
        sums = int.from_bytes(cards.translate(self._points), _ORDER) * self._spread
        taken = [0] * players
        for winner, points in zip(
            winners, sums.to_bytes(self._size + players, _ORDER)[players - 1 :: players], strict=False
        ):
            taken[winner] += points
        return taken


def _later(by: int, tricks: int, seats: int) -> int:
    """Returns the bytes of all tricks but the first few of each seat."""
    lanes = (bytes(min(by, tricks)) + b"\xff" * (tricks - by)) * seats
    return int.from_bytes(lanes, _ORDER)


def _covers(rules: Rules) -> bool:
    heaviest = sorted((points for _, points in rules.card_points), reverse=True)[: rules.num_players]
    return (
        rules.num_decks == 1
        and not rules.kitty_size
        and not rules.cancellation
        and not rules.early_end
        and rules.queen_lead is QueenLead.ANY_TIME
        and sum(heaviest) <= _MOST
    )


@lru_cache(maxsize=64)
def judge_of(rules: Rules) -> DealJudge:
    """Returns the judge of a variant; the same one for the same rules."""
    return DealJudge(rules)
