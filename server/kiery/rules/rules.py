"""`Rules`: every parameter that decides what is played, resolved for one number of players.

Parameters are given by name. A value that cannot be played is refused when it is made.
Source of every parameter: docs/rules.md, "Parameters".
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from kiery.cards import (
    CARDS,
    EMPTY,
    PACK,
    SUIT_MASKS,
    TWIN_SHIFT,
    Card,
    CardMask,
    Suit,
    count_cards,
    has_cards,
    mask_of,
    parse_card,
    without_cards,
)
from kiery.errors import InputError
from kiery.rules.choices import (
    Breaks,
    FinalCancelledTrick,
    FirstTrickBan,
    HeartLeadException,
    Leftover,
    Moon,
    MoonDefault,
    OpeningLead,
    PassDirection,
    QueenLead,
    TieRule,
)

__all__ = ["QUEEN_OF_SPADES", "Rules", "RulesError"]

QUEEN_OF_SPADES: Final[Card] = parse_card("QS")
"""The Black Lady, thirteen points in most variants."""

_MIN_PLAYERS: Final = 3
_MAX_PLAYERS: Final = 11
_MAX_POINTS: Final = 1000


class RulesError(InputError):
    """Parameters that make no game, or a preset at a number of players that it does not allow."""

    reason = "INVALID_RULES"


# No slots: the derived masks below are cached in the instance's own dictionary.
@dataclass(frozen=True, kw_only=True)
class Rules:
    """One variant at one number of players."""

    preset: str
    """The name of the preset that the parameters started from."""
    num_players: int
    """Seats at the table, 3…11."""
    num_decks: int = 1
    """Packs of 52 cards, 1 or 2."""
    removed_cards: tuple[Card, ...] = ()
    """Cards taken out before the deal, ascending, one entry a copy."""
    leftover: Leftover = Leftover.NONE
    """What happens to cards that cannot be dealt evenly."""
    pass_count: int = 3
    """Cards each seat passes, 0…hand size."""
    pass_cycle: tuple[PassDirection, ...] = (PassDirection.HOLD,)
    """Directions by board number, repeated; at least one."""
    opening_lead: OpeningLead = OpeningLead.LOWEST_CLUB_HOLDER
    """Who leads the first trick, and with what."""
    first_dealer: int = 0
    """The dealer of board 1, a seat; the deal then moves one seat to the left with each board."""
    first_trick_ban: FirstTrickBan = FirstTrickBan.ALL_POINTS
    """Penalty cards that may not be played to the first trick while another card can be."""
    must_break_hearts: bool = True
    """Whether hearts may not be led before they are broken."""
    breaks: Breaks = Breaks.HEARTS
    """What breaks hearts."""
    heart_lead_exception: HeartLeadException = HeartLeadException.ONLY_HEARTS
    """When unbroken hearts may be led all the same."""
    queen_lead: QueenLead = QueenLead.ANY_TIME
    """When the queen of spades may be led."""
    cancellation: bool = False
    """Whether two identical cards in a trick cancel each other for winning."""
    final_cancelled_trick: FinalCancelledTrick = FinalCancelledTrick.LEADER
    """Who takes the last trick when nobody wins it; an earlier one is carried, its leader leads again."""
    card_points: tuple[tuple[Card, int], ...]
    """Penalty points of each copy of a card, ascending by card, only those above 0."""
    bonus_card: Card | None = None
    """A card that is worth `bonus_points` to its taker, or none."""
    bonus_points: int = 0
    """Points of the bonus card, usually negative."""
    bonus_required_for_moon: bool = False
    """Whether a moon needs every copy of the bonus card as well."""
    moon: Moon = Moon.OFF
    """What taking every penalty card earns."""
    moon_points: int = 0
    """Points awarded for a moon; 0 where `moon` is off."""
    moon_default_choice: MoonDefault = MoonDefault.SAFETY
    """What counts when the shooter makes no choice."""
    no_trick_bonus: int = 0
    """Points for a seat that took no trick, 0 or less; void in a deal with a moon."""
    allow_negative: bool = True
    """Whether totals may fall below zero; else they stop at 0."""
    target_score: int = 100
    """The match may end when a total reaches this, at least 1."""
    tie_rule: TieRule = TieRule.SHARED
    """What happens when the lowest total is shared at the end."""
    perfect_round: bool = False
    """Whether a seat that is not leading and scored 0 in the last deal prolongs the match."""
    max_deals: int | None = 100
    """The match is over after so many deals in any case; none: no cap."""
    early_end: bool = False
    """Whether a deal stops after the trick from which on no card left can change a score."""

    def __post_init__(self) -> None:
        """Refuses what cannot be played; see `RulesError`."""
        self._check_table()
        self._check_passing()
        self._check_points()
        if self.target_score < 1:
            raise RulesError(f"target_score is {self.target_score}: expected at least 1")
        if self.max_deals is not None and self.max_deals < 1:
            raise RulesError(f"max_deals is {self.max_deals}: expected at least 1, or none")

    def _check_table(self) -> None:
        players = self.num_players
        if not _MIN_PLAYERS <= players <= _MAX_PLAYERS:
            raise RulesError(f"{players} players: expected {_MIN_PLAYERS} to {_MAX_PLAYERS}")
        if self.num_decks not in {1, 2}:
            raise RulesError(f"num_decks is {self.num_decks}: expected 1 or 2")
        pack = PACK if self.num_decks == 1 else PACK | PACK << TWIN_SHIFT
        try:
            removed = mask_of(self.removed_cards)
        except ValueError as error:
            raise RulesError(f"removed_cards: {error}") from None
        if not has_cards(pack, removed):
            raise RulesError("removed_cards names a card more often than the pack has it")
        if self.hand_size < 1:
            raise RulesError("too many cards are removed: nobody would get one")
        if self.kitty_size and self.leftover is Leftover.NONE:
            raise RulesError(
                f"{self.deck_size} cards cannot be dealt evenly to {players} players:"
                " remove cards or choose a leftover rule"
            )
        if self.num_decks > 1 and self.opening_lead is not OpeningLead.DEALER_LEFT:
            raise RulesError(
                "the lowest club has two holders with two packs: expected opening_lead dealer_left"
            )
        clubs = count_cards(self.deck & SUIT_MASKS[Suit.CLUBS])
        if self.opening_lead is not OpeningLead.DEALER_LEFT and clubs <= self.kitty_size:
            raise RulesError(
                "a club to open with may not be dealt: remove fewer clubs, or choose opening_lead dealer_left"
            )
        if not 0 <= self.first_dealer < players:
            raise RulesError(f"first_dealer is {self.first_dealer}: expected a seat from 0 to {players - 1}")

    def _check_passing(self) -> None:
        if not 0 <= self.pass_count <= self.hand_size:
            raise RulesError(
                f"pass_count is {self.pass_count}: expected 0 to {self.hand_size}, the hand size"
            )
        if not self.pass_cycle:
            raise RulesError("pass_cycle is empty: expected at least one direction, such as hold")
        if PassDirection.ACROSS in self.pass_cycle and self.num_players % 2:
            raise RulesError(
                f"nobody sits across with {self.num_players} players: expected no across in pass_cycle"
            )

    def _check_points(self) -> None:
        cards = [card for card, _ in self.card_points]
        if cards != sorted(set(cards)):
            raise RulesError("card_points must name each card once, in ascending order")
        if any(not 0 < points <= _MAX_POINTS for _, points in self.card_points):
            raise RulesError(f"card_points must be 1 to {_MAX_POINTS} for each card named")
        if self.bonus_card is None and self.bonus_points:
            raise RulesError("bonus_points without a bonus_card: expected both or neither")
        if abs(self.bonus_points) > _MAX_POINTS or not 0 <= self.moon_points <= _MAX_POINTS:
            raise RulesError(f"bonus_points and moon_points go up to {_MAX_POINTS}")
        if not -_MAX_POINTS <= self.no_trick_bonus <= 0:
            raise RulesError(f"no_trick_bonus is {self.no_trick_bonus}: expected 0 or less")
        if (self.moon is Moon.OFF) != (self.moon_points == 0):
            raise RulesError("moon_points must be 0 where moon is off, and at least 1 elsewhere")
        if self.moon is not Moon.OFF and not self.pack_points:
            raise RulesError("a moon needs penalty cards: expected moon off where no card has points")

    # What follows from the parameters. Computed once: the engine asks for each of these at every card.

    @cached_property
    def deck(self) -> CardMask:
        """All cards that are dealt, kitty included."""
        pack = PACK if self.num_decks == 1 else PACK | PACK << TWIN_SHIFT
        return without_cards(pack, mask_of(self.removed_cards))

    @cached_property
    def deck_size(self) -> int:
        """The number of cards that are dealt, kitty included."""
        return count_cards(self.deck)

    @cached_property
    def hand_size(self) -> int:
        """Cards each seat is dealt: also the number of tricks."""
        return self.deck_size // self.num_players

    @cached_property
    def kitty_size(self) -> int:
        """Cards that nobody is dealt."""
        return self.deck_size % self.num_players

    @cached_property
    def point_table(self) -> tuple[int, ...]:
        """Penalty points by card number, 256 entries: 0 for what is no card."""
        points = dict(self.card_points)
        return tuple(points.get(Card(number), 0) for number in range(256))

    @cached_property
    def penalty_cards(self) -> CardMask:
        """The cards with points, once each."""
        return mask_of(card for card, _ in self.card_points)

    @cached_property
    def pack_points(self) -> int:
        """All penalty points in the deck; whoever takes them all shoots the moon."""
        twins = self.deck >> TWIN_SHIFT
        return sum(
            points * ((self.deck >> card & 1) + (twins >> card & 1)) for card, points in self.card_points
        )

    @cached_property
    def bonus_copies(self) -> int:
        """How many copies of the bonus card are in the deck."""
        if self.bonus_card is None:
            return 0
        return (self.deck >> self.bonus_card & 1) + (self.deck >> (self.bonus_card + TWIN_SHIFT) & 1)

    @cached_property
    def banned_cards(self) -> CardMask:
        """Cards that `first_trick_ban` covers, once each."""
        match self.first_trick_ban:
            case FirstTrickBan.NONE:
                return EMPTY
            case FirstTrickBan.QUEEN_ONLY:
                return self.penalty_cards & 1 << QUEEN_OF_SPADES
            case FirstTrickBan.ALL_POINTS:  # pragma: no branch  (the last of all values)
                return self.penalty_cards

    @cached_property
    def breaking_cards(self) -> CardMask:
        """Cards that break hearts, once each."""
        hearts = SUIT_MASKS[Suit.HEARTS]
        return hearts | 1 << QUEEN_OF_SPADES if self.breaks is Breaks.HEARTS_AND_QUEEN else hearts

    @cached_property
    def ban_table(self) -> tuple[bool, ...]:
        """Whether `first_trick_ban` covers a card, by card number, 256 entries."""
        return tuple(bool(self.banned_cards >> number & 1) for number in range(256))

    @cached_property
    def breaking_table(self) -> tuple[bool, ...]:
        """Whether a card breaks hearts, by card number, 256 entries."""
        return tuple(bool(self.breaking_cards >> number & 1) for number in range(256))

    @cached_property
    def lowest_club(self) -> Card | None:
        """The card that must open, none where the dealer's left opens."""
        if self.opening_lead is OpeningLead.DEALER_LEFT:
            return None
        clubs = self.deck & SUIT_MASKS[Suit.CLUBS]
        return CARDS[(clubs & -clubs).bit_length() - 2]
