"""All that a seat may know at one moment.

Cards are masks inside and tuples of `Card` outside: `observation.hand` is what a bot's author reads,
`observation.hand_mask` what a fast policy computes with.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from kiery.cards import CARDS, EMPTY, RANKS, Card, CardMask, Seat, Suit, cards_in
from kiery.rules import Rules
from kiery.view.decision import DecisionKind

__all__ = ["Observation", "Phase", "Play"]


class Phase(IntEnum):
    """Where a deal stands. The numbers are those of the schema."""

    PASSING = 1
    PLAYING = 2
    MOON_CHOICE = 3
    SCORED = 4


class Play(NamedTuple):
    """A card on the table."""

    seat: Seat
    """Who played it."""
    card: Card
    """What was played."""


# Not frozen, since a bot's side makes one for every decision and freezing costs three quarters of that;
# nobody reads an observation again after the bot it was made for, so what a bot does to it is its own affair.
@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Observation:
    """One seat's view of a deal, with the decision it is asked, if any; never changed."""

    rules: Rules
    """What is played."""
    seat: Seat
    """The viewer."""
    deal_number: int
    """From 1 in the match."""
    phase: Phase
    """Where the deal stands."""
    dealer: Seat
    """The seat that dealt."""
    pass_offset: int
    """Seats clockwise that cards are passed; 0: nobody passes."""
    hand_mask: CardMask
    """The cards held."""
    passed_mask: CardMask = EMPTY
    """The cards the seat has chosen to pass, from its choice on; they leave the hand with the exchange."""
    received_mask: CardMask = EMPTY
    """The cards the seat was passed, from the exchange on."""
    seats: bytes = b""
    """Seats of all plays of the deal, in order, a byte each."""
    cards: bytes = b""
    """Card numbers of these plays, a byte each."""
    winners: bytes = b""
    """The seat that won each complete trick, a byte each; 127: nobody."""
    trick_size: int = 0
    """Cards in the trick now on the table: the last so many plays."""
    leader: Seat | None = None
    """The seat that led this trick, leads the next or took the last; none before the first card."""
    points: tuple[int, ...]
    """Penalty points of the cards each seat took in this deal, before bonuses; once scored: as awarded."""
    scores: tuple[int, ...]
    """Totals by seat: before this deal, or after it once it is scored."""
    broken: bool = False
    """Whether hearts are broken."""
    kitty_mask: CardMask = EMPTY
    """The kitty, once somebody took it."""
    kitty_seat: Seat | None = None
    """Who took the kitty."""
    substituted: tuple[Seat, ...] = ()
    """Seats that a substitute keeps, ascending."""
    substituted_for_match: tuple[Seat, ...] = ()
    """Those among them that it keeps for the whole match, ascending."""
    faults: int = 0
    """The viewer's own faults in this deal."""
    grace_ms: int = 0
    """What is left of the viewer's grace bank, milliseconds."""
    kind: DecisionKind | None = None
    """What the viewer is asked now, if anything."""
    legal_mask: CardMask = EMPTY
    """The cards that answer the decision: for a pass the hand, for a play each legal card once."""
    choose_count: int = 0
    """How many cards the answer has."""
    time_ms: int = 0
    """Time left for this decision when it was written, milliseconds; 0: no limit, or no decision."""
    bank_ms: int = 0
    """The bank behind it, milliseconds."""

    @property
    def hand(self) -> tuple[Card, ...]:
        """The cards held, ascending, twins repeated."""
        return cards_in(self.hand_mask)

    @property
    def legal(self) -> tuple[Card, ...]:
        """The cards that answer the decision, ascending."""
        return cards_in(self.legal_mask)

    @property
    def passed(self) -> tuple[Card, ...]:
        """The cards given away, ascending."""
        return cards_in(self.passed_mask)

    @property
    def received(self) -> tuple[Card, ...]:
        """The cards received, ascending."""
        return cards_in(self.received_mask)

    @property
    def kitty(self) -> tuple[Card, ...]:
        """The kitty once it was taken, ascending; else empty."""
        return cards_in(self.kitty_mask)

    @property
    def trick(self) -> tuple[Play, ...]:
        """The plays of the trick on the table, in order; empty when the viewer leads."""
        return _plays(self.seats, self.cards)[len(self.cards) - self.trick_size :]

    @property
    def plays(self) -> tuple[Play, ...]:
        """All plays of the deal, in order."""
        return _plays(self.seats, self.cards)

    @property
    def tricks(self) -> tuple[tuple[Play, ...], ...]:
        """The complete tricks of the deal, in order."""
        size = self.rules.num_players
        plays = self.plays
        return tuple(plays[start : start + size] for start in range(0, len(self.winners) * size, size))

    @property
    def trick_number(self) -> int:
        """The number of the trick on the table, or to be led, from 1."""
        return len(self.winners) + 1

    @property
    def led_suit(self) -> Suit | None:
        """The suit led in the trick on the table; none when the viewer leads."""
        if not self.trick_size:
            return None
        return Suit((self.cards[-self.trick_size] - 1) // RANKS)


def _plays(seats: Sequence[int], cards: Sequence[int]) -> tuple[Play, ...]:
    return tuple([Play(seat, CARDS[card - 1]) for seat, card in zip(seats, cards, strict=True)])
