"""One deal as a state machine: passing, play, moon choice, scored.

Rules of this module: an input that is refused raises and changes nothing; whoever calls has already
asked whose turn it is; what is legal is computed once, when the turn begins, and kept in `legal`.
The play of a card is the hottest path of the server, so it works on local names and masks only.
"""

from typing import Final

from kiery.cards import (
    DISTINCT,
    EMPTY,
    RANKS,
    SUIT_MASKS,
    TWIN_SHIFT,
    CardMask,
    Seat,
    cards_in,
    count_cards,
    format_cards,
    has_cards,
    join_cards,
    without_cards,
)
from kiery.engine.board import Board
from kiery.engine.notes import DealNotes
from kiery.errors import KieryError
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
    moon_shooter,
    pass_offset,
    trick_winner,
)
from kiery.view import Phase

__all__ = ["Deal", "IllegalPlayError"]

_BITS: Final = tuple(1 << card for card in range(53))
_LED: Final = (EMPTY, *(SUIT_MASKS[(card - 1) // RANKS] for card in range(1, 53)))
_NO_SEAT: Final = -1


class IllegalPlayError(KieryError):
    """An action that the rules do not allow now; the deal is unchanged."""

    reason = "ILLEGAL_PLAY"


class Deal:
    """The truth about one deal. Read the attributes freely; change them by the methods only."""

    __slots__ = (
        "_best",
        "_best_seat",
        "_carried_points",
        "_carried_tricks",
        "_led",
        "_point_table",
        "_trick_points",
        "_twins",
        "awarded",
        "board",
        "bonus_cards",
        "broken",
        "cards",
        "choice",
        "dealer",
        "hands",
        "kitty_seat",
        "legal",
        "notes",
        "number",
        "pass_offset",
        "passes",
        "phase",
        "rules",
        "seats",
        "shooter",
        "taken",
        "trick_size",
        "tricks",
        "turn",
        "winners",
    )

    def __init__(self, rules: Rules, board: Board, number: int) -> None:
        """Deals a board.

        Args:
            rules: The variant.
            board: The cards; its number decides the pass direction and the dealer.
            number: The deal's number in its match, from 1.
        """
        players = rules.num_players
        self.rules = rules
        self.board = board
        self.number = number
        self.dealer: Seat = (rules.first_dealer + board.number - 1) % players
        self.pass_offset = pass_offset(rules, board.number)
        """Seats clockwise; 0: nobody passes."""
        self.hands: list[CardMask] = list(board.hands)
        """What each seat holds now."""
        self.passes: list[CardMask | None] = [None] * players
        """What each seat has chosen to pass; none: not yet."""
        self.phase = Phase.PASSING
        self.turn: Seat = _NO_SEAT
        """Whose play or moon choice it is; -1 while passing and once scored."""
        self.legal: CardMask = EMPTY
        """PLAYING: what `turn` may play, each card once."""
        self.seats = bytearray()
        """The seat of every play."""
        self.cards = bytearray()
        """The card number of every play."""
        self.winners = bytearray()
        """Who took each complete trick; 127: nobody, it is carried or void."""
        self.trick_size = 0
        """Cards in the trick on the table."""
        self.broken = False
        self.taken = [0] * players
        """Penalty points of the cards that each seat took, before bonuses and moon."""
        self.bonus_cards = [0] * players
        """Copies of the bonus card that each seat took."""
        self.tricks = [0] * players
        """Tricks that each seat took, carried ones included."""
        self.kitty_seat: Seat | None = None
        """Who took the kitty."""
        self.shooter: Seat | None = None
        """Who shot the moon."""
        self.choice: MoonChoice | None = None
        """How the moon is awarded."""
        self.notes = DealNotes(players=players)
        """What `table` writes down about this deal."""
        self.awarded: tuple[int, ...] | None = None
        """Points by seat, once scored."""
        self._twins = rules.num_decks > 1
        self._point_table = rules.point_table
        self._led: CardMask = EMPTY
        self._best = 0
        self._best_seat: Seat = _NO_SEAT
        self._trick_points = 0
        self._carried_points = 0
        self._carried_tricks = 0
        if not self.pass_offset:
            self._open_play()

    # Passing

    def choose_pass(self, seat: Seat, cards: CardMask) -> None:
        """Sets a seat's pass; with the last one the cards are exchanged and play begins.

        Raises:
            IllegalPlayError: Nobody passes now, the seat has passed, the number of cards is wrong, or
                the seat does not hold them.
        """
        if self.phase is not Phase.PASSING or self.passes[seat] is not None:
            raise IllegalPlayError(f"seat {seat} has no cards to pass now")
        if count_cards(cards) != self.rules.pass_count:
            raise IllegalPlayError(
                f"seat {seat} passes {count_cards(cards)} cards: expected {self.rules.pass_count}"
            )
        if not has_cards(self.hands[seat], cards):
            raise IllegalPlayError(f"seat {seat} does not hold all of {format_cards(cards)}")
        self.passes[seat] = cards
        if None not in self.passes:
            self._exchange()

    def received_by(self, seat: Seat) -> CardMask:
        """Returns the cards that a seat was passed; empty before the exchange."""
        if self.phase is Phase.PASSING or not self.pass_offset:
            return EMPTY
        giver = (seat - self.pass_offset) % self.rules.num_players
        return self.passes[giver] or EMPTY

    def _exchange(self) -> None:
        players = self.rules.num_players
        for seat, cards in enumerate(self.passes):
            self.hands[seat] = without_cards(self.hands[seat], cards or EMPTY)
        for seat, cards in enumerate(self.passes):
            taker = (seat + self.pass_offset) % players
            self.hands[taker] = join_cards(self.hands[taker], cards or EMPTY)
        self._open_play()

    def _open_play(self) -> None:
        self.phase = Phase.PLAYING
        if self.rules.opening_lead is OpeningLead.DEALER_LEFT:
            self._lead((self.dealer + 1) % self.rules.num_players)
            return
        # One pack: whoever holds the lowest club that was dealt (the very lowest may lie in a kitty).
        clubs = [hand & SUIT_MASKS[0] for hand in self.hands]
        lowest = min(mask & -mask for mask in clubs if mask)
        self._lead(next(seat for seat, mask in enumerate(clubs) if mask & lowest))

    # Play

    def _lead(self, seat: Seat) -> None:
        self.turn = seat
        self.legal = legal_plays(
            self.rules, self.hands[seat], led=None, trick_number=len(self.winners) + 1, broken=self.broken
        )

    def leader(self) -> Seat:
        """Returns who led the trick on the table, leads the next one, or took the last one."""
        size = self.trick_size
        if size:
            return self.seats[-size]
        if self.phase is Phase.PLAYING:
            return self.turn
        return next((winner for winner in reversed(self.winners) if winner != NOBODY), self.seats[0])

    def play(self, card: int) -> None:
        """Plays a card for the seat whose turn it is.

        Raises:
            IllegalPlayError: Nobody plays now, or the card may not be played.
        """
        if not self.legal >> card & 1 or not card:
            raise IllegalPlayError(self._refusal(card))
        turn = self.turn
        hands = self.hands
        hand = hands[turn]
        bit = _BITS[card]
        # Of two copies the twin goes first: masks stay normalised.
        hands[turn] = hand ^ (bit << TWIN_SHIFT) if self._twins and hand & bit << TWIN_SHIFT else hand ^ bit
        self.seats.append(turn)
        self.cards.append(card)
        self._trick_points += self._point_table[card]
        rules = self.rules
        if not self.broken and rules.breaking_cards & bit:
            self.broken = True
        size = self.trick_size
        if not size:
            self._led = _LED[card]
            self._best = card
            self._best_seat = turn
        elif card > self._best and self._led & bit:
            self._best = card
            self._best_seat = turn
        size += 1
        players = rules.num_players
        if size == players:
            self.trick_size = 0
            self._finish_trick()
            return
        self.trick_size = size
        turn += 1
        if turn == players:
            turn = 0
        self.turn = turn
        # The filters of `rules.legal_plays` for a follower, without the call.
        hand = hands[turn]
        if self._twins:
            hand &= DISTINCT
        legal = hand & self._led or hand
        if not self.winners:
            legal = legal & ~rules.banned_cards or legal
        self.legal = legal

    def _refusal(self, card: int) -> str:
        if self.phase is not Phase.PLAYING:
            return "no card can be played now"
        shown = str(cards_in(_BITS[card])[0]) if 1 <= card < len(_BITS) else f"number {card}"
        return f"seat {self.turn} may not play {shown}: expected one of {format_cards(self.legal)}"

    def _finish_trick(self) -> None:
        rules = self.rules
        players = rules.num_players
        points = self._trick_points
        self._trick_points = 0
        leader = self.seats[-players]
        winner = self._best_seat
        if rules.cancellation:
            winner = trick_winner(rules, leader, self.cards[-players:])
        if winner == NOBODY:
            last = len(self.winners) + 1 == rules.hand_size
            if last:
                winner = self._final_taker(leader)
            if winner == NOBODY:
                self.winners.append(NOBODY)
                self._carried_points += points
                self._carried_tricks += 1
                self._end_play() if last else self._lead(leader)
                return
        points += self._carried_points
        self.winners.append(winner)
        self.taken[winner] += points
        self.tricks[winner] += 1 + self._carried_tricks
        self._take_bonus(winner)
        self._carried_points = 0
        self._carried_tricks = 0
        if self.kitty_seat is None and self.board.kitty:
            self._take_kitty(winner, scored=points)
        if len(self.winners) == rules.hand_size or (rules.early_end and is_settled(rules, self.result())):
            self._end_play()
        else:
            self._lead(winner)

    def _final_taker(self, leader: Seat) -> Seat:
        match self.rules.final_cancelled_trick:
            case FinalCancelledTrick.LEADER:
                return leader
            case FinalCancelledTrick.VOID:
                return NOBODY
            case FinalCancelledTrick.LAST_WINNER:  # pragma: no branch  (the last of all values)
                return next((winner for winner in reversed(self.winners) if winner != NOBODY), leader)

    def _take_bonus(self, winner: Seat) -> None:
        bonus = self.rules.bonus_card
        if bonus is not None:
            # The tricks taken now: this one and those carried to it.
            new = (1 + self._carried_tricks) * self.rules.num_players
            self.bonus_cards[winner] += self.cards[-new:].count(bonus)

    def _take_kitty(self, winner: Seat, *, scored: int) -> None:
        rules = self.rules
        if rules.leftover is Leftover.KITTY_FIRST_POINT_TRICK and not scored:
            return
        self.kitty_seat = winner
        kitty = cards_in(self.board.kitty)
        self.taken[winner] += sum(self._point_table[card] for card in kitty)
        self.bonus_cards[winner] += sum(card == rules.bonus_card for card in kitty)

    def _end_play(self) -> None:
        self.legal = EMPTY
        self.shooter = moon_shooter(self.rules, self.result())
        if self.shooter is None:
            self._score(None)
        elif self.rules.moon is Moon.CHOICE:
            self.phase = Phase.MOON_CHOICE
            self.turn = self.shooter
        else:
            self._score(MoonChoice.ADD if self.rules.moon is Moon.OTHERS_PLUS else MoonChoice.SUBTRACT)

    # Scoring

    def result(self) -> DealTaken:
        """Returns what each seat has taken so far."""
        return DealTaken(
            points=tuple(self.taken), bonus_cards=tuple(self.bonus_cards), tricks=tuple(self.tricks)
        )

    def choose_moon(self, choice: MoonChoice) -> None:
        """Awards the moon as its shooter chose.

        Raises:
            IllegalPlayError: There is no moon to choose about.
        """
        if self.phase is not Phase.MOON_CHOICE:
            raise IllegalPlayError("there is no moon to choose about")
        self._score(choice)

    def _score(self, choice: MoonChoice | None) -> None:
        self.choice = choice
        self.awarded = deal_points(self.rules, self.result(), choice)
        self.phase = Phase.SCORED
        self.turn = _NO_SEAT
