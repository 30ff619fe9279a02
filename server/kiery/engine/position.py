"""A position of play for search: cheap to copy, quick to play on, every variant.

A `Deal` is the truth about a deal that is played; it knows its board, keeps its course and refuses what
is illegal. A `Position` is a guess that is thrown away a moment later: it keeps only what the rest of the
deal depends on, and **`play` does not check** whether a card is legal. Tests hold both against each other.
"""

from collections.abc import Sequence

from kiery.cards import CARDS, EMPTY, RANKS, SUIT_MASKS, CardMask, Seat, Suit, card_numbers, remove_card
from kiery.engine.deal import Deal
from kiery.rules import (
    NOBODY,
    DealTaken,
    FinalCancelledTrick,
    Leftover,
    Moon,
    MoonChoice,
    OpeningLead,
    Rules,
    deal_points,
    is_settled,
    legal_plays,
    trick_winner,
)
from kiery.view import Observation, Phase

__all__ = ["Position"]


class Position:
    """A deal after the exchange, at any card. Attributes may be read freely; `play` changes them."""

    __slots__ = (
        "bonus_cards",
        "broken",
        "carried_bonus",
        "carried_points",
        "carried_tricks",
        "hands",
        "kitty",
        "last_winner",
        "leader",
        "rules",
        "taken",
        "trick",
        "tricks",
        "tricks_left",
        "turn",
    )

    def __init__(
        self, rules: Rules, hands: Sequence[CardMask], leader: Seat, kitty: CardMask = EMPTY
    ) -> None:
        """Starts before the first card.

        Args:
            rules: The variant.
            hands: The hands by seat, after the exchange.
            leader: Who leads the first trick; see `opener`.
            kitty: The undealt cards.
        """
        players = rules.num_players
        self.rules = rules
        self.hands = list(hands)
        """What each seat holds."""
        self.leader = leader
        """Who led the trick on the table, or leads the next one."""
        self.turn = leader
        """Whose turn it is; of no meaning once the deal is over."""
        self.trick: list[int] = []
        """The card numbers on the table, in order."""
        self.tricks_left = rules.hand_size
        """Tricks not yet complete; 0: the deal is over."""
        self.broken = False
        """Whether hearts are broken."""
        self.taken = [0] * players
        """Penalty points of the cards that each seat took, before bonuses and moon."""
        self.bonus_cards = [0] * players
        """Copies of the bonus card that each seat took."""
        self.tricks = [0] * players
        """Tricks that each seat took, carried ones included."""
        self.kitty = kitty
        """The undealt cards until somebody takes them."""
        self.last_winner: Seat | None = None
        """Who took the last trick that anybody took."""
        self.carried_points = 0
        """Points of cancelled tricks that the next winner takes."""
        self.carried_tricks = 0
        """How many they are."""
        self.carried_bonus = 0
        """Copies of the bonus card in them."""

    # Where positions come from

    @classmethod
    def of_deal(cls, deal: Deal) -> "Position":
        """Returns the position of a deal.

        Raises:
            ValueError: The cards have not been exchanged.
        """
        if deal.phase is Phase.PASSING:
            raise ValueError("a position begins after the exchange")
        return cls._after(
            deal.rules,
            deal.dealer,
            deal.hands,
            deal.board.kitty,
            bytes(deal.seats),
            bytes(deal.cards),
            bytes(deal.winners),
        )

    @classmethod
    def of_observation(
        cls, observation: Observation, hands: Sequence[CardMask], kitty: CardMask = EMPTY
    ) -> "Position":
        """Returns the position that a seat would see so if the unseen cards lay as given.

        Args:
            observation: What the seat knows, after the exchange.
            hands: What each seat holds now, as `LayoutSampler` deals it.
            kitty: The kitty, while nobody has taken it.

        Raises:
            ValueError: The cards have not been exchanged.
        """
        if observation.phase is Phase.PASSING:
            raise ValueError("a position begins after the exchange")
        return cls._after(
            observation.rules,
            observation.dealer,
            hands,
            kitty | observation.kitty_mask,
            observation.seats,
            observation.cards,
            observation.winners,
        )

    @classmethod
    def _after(
        cls,
        rules: Rules,
        dealer: Seat,
        hands: Sequence[CardMask],
        kitty: CardMask,
        seats: bytes,
        cards: bytes,
        winners: bytes,
    ) -> "Position":
        """Returns the position after some plays, with the hands as they are then."""
        position = cls(rules, hands, seats[0] if seats else opener(rules, dealer, hands), kitty)
        players = rules.num_players
        for number, winner in enumerate(winners):
            position.trick[:] = cards[number * players : (number + 1) * players]
            position._take_trick(winner)
        position.trick[:] = cards[len(winners) * players :]
        position.turn = (position.leader + len(position.trick)) % players
        breaking = rules.breaking_table
        position.broken = any(breaking[card] for card in cards)
        return position

    def copy(self) -> "Position":
        """Returns a position of its own that can be played on."""
        other = Position(self.rules, self.hands, self.leader, self.kitty)
        other.turn = self.turn
        other.trick = self.trick[:]
        other.tricks_left = self.tricks_left
        other.broken = self.broken
        other.taken = self.taken[:]
        other.bonus_cards = self.bonus_cards[:]
        other.tricks = self.tricks[:]
        other.last_winner = self.last_winner
        other.carried_points = self.carried_points
        other.carried_tricks = self.carried_tricks
        other.carried_bonus = self.carried_bonus
        return other

    # Play

    @property
    def is_over(self) -> bool:
        """Whether the last card has been played."""
        return not self.tricks_left

    def legal(self) -> CardMask:
        """Returns the cards that `turn` may play, each once; the deal is not over."""
        trick = self.trick
        return legal_plays(
            self.rules,
            self.hands[self.turn],
            led=Suit((trick[0] - 1) // RANKS) if trick else None,
            trick_number=self.rules.hand_size - self.tricks_left + 1,
            broken=self.broken,
        )

    def play(self, card: int) -> None:
        """Plays a legal card for `turn`. Whether it is legal is not checked."""
        rules = self.rules
        turn = self.turn
        self.hands[turn] = remove_card(self.hands[turn], card)
        self.trick.append(card)
        if not self.broken:
            self.broken = rules.breaking_table[card]
        if len(self.trick) < rules.num_players:
            self.turn = (turn + 1) % rules.num_players
            return
        winner = trick_winner(rules, self.leader, self.trick)
        if winner == NOBODY and self.tricks_left == 1:
            winner = self._final_taker()
        self._take_trick(winner)

    def _final_taker(self) -> Seat:
        match self.rules.final_cancelled_trick:
            case FinalCancelledTrick.LEADER:
                return self.leader
            case FinalCancelledTrick.VOID:
                return NOBODY
            case FinalCancelledTrick.LAST_WINNER:  # pragma: no branch  (the last of all values)
                return self.leader if self.last_winner is None else self.last_winner

    def _take_trick(self, winner: Seat) -> None:
        rules = self.rules
        table = rules.point_table
        points = self.carried_points + sum([table[card] for card in self.trick])
        bonus = self.carried_bonus + (self.trick.count(rules.bonus_card) if rules.bonus_card else 0)
        tricks = self.carried_tricks + 1
        self.trick.clear()
        self.tricks_left -= 1
        if winner == NOBODY:
            self.carried_points, self.carried_bonus, self.carried_tricks = points, bonus, tricks
            self.turn = self.leader
            return
        self.carried_points = self.carried_bonus = self.carried_tricks = 0
        if self.kitty and (points or rules.leftover is not Leftover.KITTY_FIRST_POINT_TRICK):
            kitty = card_numbers(self.kitty)
            points += sum([table[card] for card in kitty])
            bonus += sum([card == rules.bonus_card for card in kitty])
            self.kitty = EMPTY
        self.taken[winner] += points
        self.bonus_cards[winner] += bonus
        self.tricks[winner] += tricks
        self.leader = self.turn = self.last_winner = winner
        if rules.early_end and is_settled(rules, self.result()):
            self.tricks_left = 0

    # The end

    def result(self) -> DealTaken:
        """Returns what each seat has taken so far."""
        return DealTaken(
            points=tuple(self.taken), bonus_cards=tuple(self.bonus_cards), tricks=tuple(self.tricks)
        )

    def points(self, choice: MoonChoice = MoonChoice.ADD) -> tuple[int, ...]:
        """Returns the points awarded to each seat once the deal is over.

        Args:
            choice: What a shooter chooses, where the rules leave him a choice.
        """
        rules = self.rules
        if rules.moon is Moon.SHOOTER_MINUS:
            choice = MoonChoice.SUBTRACT
        elif rules.moon is not Moon.CHOICE:
            choice = MoonChoice.ADD
        return deal_points(rules, self.result(), choice)


def opener(rules: Rules, dealer: Seat, hands: Sequence[CardMask]) -> Seat:
    """Returns who leads the first trick.

    Args:
        rules: The variant.
        dealer: The seat that dealt.
        hands: The hands by seat, after the exchange.
    """
    if rules.opening_lead is OpeningLead.DEALER_LEFT:
        return (dealer + 1) % rules.num_players
    clubs = [hand & SUIT_MASKS[Suit.CLUBS] or 1 << len(CARDS) + 1 for hand in hands]
    lowest = [mask & -mask for mask in clubs]
    return lowest.index(min(lowest))
