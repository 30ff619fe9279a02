"""What each seat has taken in a deal so far, and what waits to be taken: carried tricks and the kitty.

Who wins a trick is decided in `engine.deal`; here it is only booked. Source: docs/rules.md,
"Cancellation Hearts" and "Omnibus Hearts".
"""

from kiery.cards import Seat, cards_in
from kiery.engine.board import Board
from kiery.rules import NOBODY, DealTaken, FinalCancelledTrick, Leftover, Rules

__all__ = ["Takings"]


class Takings:
    """The books of one deal."""

    __slots__ = (
        "_board",
        "_carried_points",
        "_carried_tricks",
        "_rules",
        "bonus_cards",
        "kitty_seat",
        "points",
        "winners",
    )

    def __init__(self, rules: Rules, board: Board) -> None:
        """Starts with nothing taken."""
        self._rules = rules
        self._board = board
        self.points = [0] * rules.num_players
        """Penalty points of the cards that each seat took, before bonuses and moon."""
        self.bonus_cards = [0] * rules.num_players
        """Copies of the bonus card that each seat took."""
        self.kitty_seat: Seat | None = None
        """Who took the kitty."""
        self.winners = bytearray()
        """Who took each complete trick; 127: nobody, it is carried or void."""
        self._carried_points = 0
        # The tricks that the next winner takes, the current one included while it is being taken.
        self._carried_tricks = 0

    def take(self, winner: Seat, points: int, cards: bytearray) -> None:
        """Books a trick, with those carried to it and a kitty that goes with it; nobody: it is carried.

        Args:
            winner: Who takes it, or 127.
            points: Penalty points of its cards.
            cards: All cards played so far in the deal.
        """
        rules = self._rules
        self.winners.append(winner)
        points += self._carried_points
        self._carried_tricks += 1
        if winner == NOBODY:
            self._carried_points = points
            return
        self.points[winner] += points
        if rules.bonus_card is not None:
            new = self._carried_tricks * rules.num_players
            self.bonus_cards[winner] += cards[-new:].count(rules.bonus_card)
        self._carried_points = self._carried_tricks = 0
        if self.kitty_seat is None and self._board.kitty:
            self._take_kitty(winner, scored=points)

    def _take_kitty(self, winner: Seat, *, scored: int) -> None:
        rules = self._rules
        if rules.leftover is Leftover.KITTY_FIRST_POINT_TRICK and not scored:
            return
        self.kitty_seat = winner
        kitty = cards_in(self._board.kitty)
        self.points[winner] += sum(rules.point_table[card] for card in kitty)
        self.bonus_cards[winner] += sum(card == rules.bonus_card for card in kitty)

    def final_taker(self, leader: Seat) -> Seat:
        """Returns who takes the last trick of a deal when all of the suit led cancelled; 127: nobody."""
        match self._rules.final_cancelled_trick:
            case FinalCancelledTrick.LEADER:
                return leader
            case FinalCancelledTrick.VOID:
                return NOBODY
            case FinalCancelledTrick.LAST_WINNER:  # pragma: no branch  (the last of all values)
                return next((winner for winner in reversed(bytes(self.winners)) if winner != NOBODY), leader)

    @property
    def tricks(self) -> list[int]:
        """Tricks that each seat took, carried ones included."""
        tricks = [0] * self._rules.num_players
        carried = 0
        for winner in bytes(self.winners):
            carried += 1
            if winner != NOBODY:
                tricks[winner] += carried
                carried = 0
        return tricks

    def result(self) -> DealTaken:
        """Returns what each seat has taken so far."""
        return DealTaken(
            points=tuple(self.points), bonus_cards=tuple(self.bonus_cards), tricks=tuple(self.tricks)
        )
