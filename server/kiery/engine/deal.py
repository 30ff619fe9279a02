"""One deal as a state machine: passing, play, moon choice, scored.

Rules of this module: an input that is refused raises and changes nothing; whoever calls has already
asked whose turn it is; what is legal is computed when somebody asks. The play of a card is the hottest
path of the server: the usual cases after the first trick are judged on small integers, and everything
else by `rules.legal_plays`. A test holds both against each other.
"""

from typing import Final

from kiery.cards import (
    CARDS,
    EMPTY,
    RANKS,
    SUIT_MASKS,
    CardMask,
    Seat,
    Suit,
    card_numbers,
    count_cards,
    format_cards,
    has_cards,
    mask_of,
)
from kiery.engine.board import Board
from kiery.engine.errors import IllegalPlayError
from kiery.engine.hand import RANK_BITS, SUITS, hand_numbers, join_suits, split_suits, suit_numbers
from kiery.engine.notes import DealNotes
from kiery.engine.takings import Takings
from kiery.rules import (
    NOBODY,
    DealTaken,
    Moon,
    MoonChoice,
    OpeningLead,
    QueenLead,
    Rules,
    deal_points,
    exchange,
    is_settled,
    legal_plays,
    moon_shooter,
    pass_offset,
    trick_winner,
)
from kiery.view import Phase

__all__ = ["Deal"]

_NO_SEAT: Final = -1
_HEARTS: Final = int(Suit.HEARTS)
_ROUNDS: Final = tuple(
    tuple(bytes((leader + offset) % players for offset in range(players)) for leader in range(players))
    for players in range(12)
)
"""The seats of a trick in order, by players and leader."""


class Deal:
    """The truth about one deal. Read the attributes freely; change them by the methods only."""

    __slots__ = (
        "_banned",
        "_best",
        "_best_seat",
        "_breaking",
        "_held",
        "_is_plain",
        "_led",
        "_opened",
        "_opener",
        "_order",
        "_players",
        "_point_table",
        "_queen_leads",
        "_takings",
        "_trick_points",
        "_tricks_left",
        "_twins",
        "awarded",
        "board",
        "broken",
        "cards",
        "choice",
        "dealer",
        "notes",
        "number",
        "pass_offset",
        "passes",
        "phase",
        "rules",
        "shooter",
        "taken",
        "trick_size",
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
        self.passes: list[CardMask | None] = [None] * players
        """What each seat has chosen to pass; none: not yet."""
        self.phase = Phase.PASSING
        self.turn: Seat = _NO_SEAT
        """Whose play or moon choice it is; -1 while passing and once scored."""
        self.cards = bytearray()
        """The card number of every play."""
        self._takings = Takings(rules, board)
        self.winners = self._takings.winners
        """Who took each complete trick; 127: nobody, it is carried or void."""
        self.trick_size = 0
        """Cards in the trick on the table."""
        self.broken = False
        self.taken = self._takings.points
        """Penalty points of the cards that each seat took, before bonuses and moon."""
        self.shooter: Seat | None = None
        """Who shot the moon."""
        self.choice: MoonChoice | None = None
        """How the moon is awarded."""
        self.notes = DealNotes(players=players)
        """What `table` writes down about this deal."""
        self.awarded: tuple[int, ...] | None = None
        """Points by seat, once scored."""
        self._held = [split_suits(hand) for hand in board.hands]
        self._players = players
        self._twins = rules.num_decks > 1
        self._point_table = rules.point_table
        self._breaking = rules.breaking_table
        self._banned = rules.ban_table
        # The one card that may open, from the opening of play on; 0: ask the rules.
        self._opener = 0
        # Whether a trick is its cards, taken by the highest.
        self._is_plain = not (rules.cancellation or rules.bonus_card or board.kitty or rules.early_end)
        # The seats of all plays, those that are still to come in this trick included.
        self._order = bytearray()
        # Whether the first trick, with rules of its own, is over.
        self._opened = False
        # Whether the queen of spades may be led while hearts are unbroken.
        self._queen_leads = rules.queen_lead is QueenLead.ANY_TIME
        self._led = 0
        self._best = 0
        self._best_seat: Seat = _NO_SEAT
        self._tricks_left = rules.hand_size
        self._trick_points = 0
        if not self.pass_offset:
            self._open_play()

    # What can be read

    @property
    def hands(self) -> tuple[CardMask, ...]:
        """What each seat holds now."""
        return tuple(join_suits(held) for held in self._held)

    def hand(self, seat: Seat) -> CardMask:
        """Returns what a seat holds now."""
        return join_suits(self._held[seat])

    @property
    def seats(self) -> bytearray:
        """The seat of every play, in order."""
        return self._order[: len(self.cards)]

    def seats_from(self, plays: int) -> bytes:
        """Returns the seats of the plays after the first so many."""
        return bytes(self._order[plays : len(self.cards)])

    def winners_from(self, plays: int) -> bytes:
        """Returns who took the tricks that were completed after the first so many plays."""
        return bytes(self.winners[plays // self._players :])

    @property
    def bonus_cards(self) -> list[int]:
        """Copies of the bonus card that each seat took."""
        return self._takings.bonus_cards

    @property
    def kitty_seat(self) -> Seat | None:
        """Who took the kitty."""
        return self._takings.kitty_seat

    @property
    def tricks(self) -> list[int]:
        """Tricks that each seat took, carried ones included."""
        return self._takings.tricks

    @property
    def legal(self) -> CardMask:
        """What `turn` may play, each card once; empty unless cards are being played."""
        return mask_of(self.legal_numbers())

    def legal_numbers(self) -> bytes:
        """Returns the numbers of what `turn` may play, ascending, one a byte; empty unless cards are played.

        What follows from the suits alone is read off them; the rest is for `rules.legal_plays`.
        """
        if self.phase is not Phase.PLAYING:
            return b""
        held = self._held[self.turn]
        if self._opened:
            if self.trick_size:
                led = self._led
                return suit_numbers(held[led], led) if held[led] else hand_numbers(held)
            if self.broken:
                return hand_numbers(held)
        return card_numbers(
            legal_plays(
                self.rules,
                join_suits(held),
                led=Suit(self._led) if self.trick_size else None,
                trick_number=len(self.winners) + 1,
                broken=self.broken,
            )
        )

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
        if not has_cards(self.hand(seat), cards):
            raise IllegalPlayError(f"seat {seat} does not hold all of {format_cards(cards)}")
        self.passes[seat] = cards
        if None not in self.passes:
            passes = [passed or EMPTY for passed in self.passes]
            self._held = [split_suits(hand) for hand in exchange(self.hands, passes, self.pass_offset)]
            self._open_play()

    def received_by(self, seat: Seat) -> CardMask:
        """Returns the cards that a seat was passed; empty before the exchange."""
        if self.phase is Phase.PASSING or not self.pass_offset:
            return EMPTY
        giver = (seat - self.pass_offset) % self.rules.num_players
        return self.passes[giver] or EMPTY

    def _open_play(self) -> None:
        self.phase = Phase.PLAYING
        if self.rules.opening_lead is OpeningLead.DEALER_LEFT:
            self._lead((self.dealer + 1) % self.rules.num_players)
            return
        if self.rules.opening_lead is OpeningLead.LOWEST_CLUB_HOLDER:
            self._opener = self.rules.lowest_club or 0
        # One pack: whoever holds the lowest club that was dealt (the very lowest may lie in a kitty).
        clubs = [hand & SUIT_MASKS[0] for hand in self.hands]
        lowest = min(mask & -mask for mask in clubs if mask)
        self._lead(next(seat for seat, mask in enumerate(clubs) if mask & lowest))

    # Play

    def _lead(self, seat: Seat) -> None:
        self.turn = seat
        self._order += _ROUNDS[self._players][seat]

    def leader(self) -> Seat:
        """Returns who led the trick on the table, leads the next one, or took the last one."""
        size = self.trick_size
        if size:
            return self._order[-self._players]
        if self.phase is Phase.PLAYING:
            return self.turn
        return next((winner for winner in reversed(bytes(self.winners)) if winner != NOBODY), self._order[0])

    def play(self, card: int) -> None:
        """Plays a card for the seat whose turn it is.

        Raises:
            IllegalPlayError: Nobody plays now, or the card may not be played.
        """
        turn = self.turn
        held = self._held[turn]
        suit = SUITS[card]
        bit = RANK_BITS[card]
        suited = held[suit]
        size = self.trick_size
        led = self._led
        if size:
            usual = (suit == led or not held[led]) and (self._opened or not self._banned[card])
        elif self._opened:
            usual = self.broken or (suit != _HEARTS and self._queen_leads)
        else:
            usual = card == self._opener
        if not (usual and suited & bit) and card not in self.legal_numbers():
            raise IllegalPlayError(self._refusal(card))
        # Of two copies the twin goes first.
        held[suit] = suited ^ (bit << RANKS) if self._twins and suited >> RANKS & bit else suited ^ bit
        self.cards.append(card)
        points = self._point_table[card]
        if points:
            self._trick_points += points
        if not self.broken and self._breaking[card]:
            self.broken = True
        if not size:
            self._led = suit
            self._best = bit
            self._best_seat = turn
        elif bit > self._best and suit == led:
            self._best = bit
            self._best_seat = turn
        size += 1
        if size == self._players:
            self._finish_trick()
            return
        self.trick_size = size
        turn += 1
        self.turn = turn if turn < self._players else 0

    def _refusal(self, card: int) -> str:
        if self.phase is not Phase.PLAYING:
            return "no card can be played now"
        shown = str(CARDS[card - 1]) if 1 <= card <= len(CARDS) else f"number {card}"
        return f"seat {self.turn} may not play {shown}: expected one of {format_cards(self.legal)}"

    def _finish_trick(self) -> None:
        winner = self._best_seat
        points = self._trick_points
        self._trick_points = 0
        self.trick_size = 0
        self._opened = True
        if self._is_plain:
            self.winners.append(winner)
            if points:
                self.taken[winner] += points
            self._tricks_left -= 1
        else:
            winner = self._take_trick(winner, points)
        if self._tricks_left:
            self._lead(winner)
        else:
            self._end_play()

    def _take_trick(self, winner: Seat, points: int) -> Seat:
        """Takes a trick that may be cancelled or bring more than its cards; returns who leads next."""
        rules = self.rules
        leader = self._order[-self._players]
        self._tricks_left -= 1
        if rules.cancellation:
            winner = trick_winner(rules, leader, self.cards[-self._players :])
            if winner == NOBODY and not self._tricks_left:
                winner = self._takings.final_taker(leader)
        self._takings.take(winner, points, self.cards)
        if rules.early_end and is_settled(rules, self.result()):
            self._tricks_left = 0
        return leader if winner == NOBODY else winner

    def _end_play(self) -> None:
        # As before play: every card is a matter for `legal_numbers`, which knows the phase.
        self._opened, self._opener = False, 0
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
        return self._takings.result()

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
