"""The closed choices among the rule parameters; an enum's value is its text in files and records."""

from enum import Enum

__all__ = [
    "Breaks",
    "FinalCancelledTrick",
    "FirstTrickBan",
    "HeartLeadException",
    "Leftover",
    "Moon",
    "MoonChoice",
    "MoonDefault",
    "OpeningLead",
    "PassDirection",
    "QueenLead",
    "TieRule",
]


class PassDirection(Enum):
    """To whom cards are passed in a deal."""

    LEFT = "left"
    RIGHT = "right"
    ACROSS = "across"
    """The seat opposite; only with an even number of seats."""
    HOLD = "hold"
    """Nobody passes."""


class Leftover(Enum):
    """What happens to cards that cannot be dealt evenly."""

    NONE = "none"
    """There are none: the pack must divide evenly."""
    KITTY_FIRST_TRICK = "kitty_first_trick"
    """A kitty, face down until the winner of the first trick takes it."""
    KITTY_FIRST_POINT_TRICK = "kitty_first_point_trick"
    """A kitty, taken by the winner of the first trick that holds a penalty card."""


class OpeningLead(Enum):
    """Who leads the first trick, and with what."""

    LOWEST_CLUB_HOLDER = "lowest_club_holder"
    """Whoever holds the lowest club after the exchange must lead it."""
    LOWEST_CLUB_HOLDER_ANY_CLUB = "lowest_club_holder_any_club"
    """The same seat leads, with any club."""
    DEALER_LEFT = "dealer_left"
    """The seat to the dealer's left leads any card that the ban allows."""


class FirstTrickBan(Enum):
    """Which penalty cards may not be played to the first trick, led or followed."""

    NONE = "none"
    QUEEN_ONLY = "queen_only"
    ALL_POINTS = "all_points"


class Breaks(Enum):
    """Which cards, once played, break hearts."""

    HEARTS = "hearts"
    HEARTS_AND_QUEEN = "hearts_qs"


class HeartLeadException(Enum):
    """When hearts may be led although they are unbroken."""

    ONLY_HEARTS = "only_hearts"
    """The hand holds nothing but hearts."""
    ONLY_POINTS = "only_points"
    """Every card of the hand that is no heart is a penalty card."""


class QueenLead(Enum):
    """When the queen of spades may be led."""

    ANY_TIME = "any_time"
    AFTER_BROKEN = "after_broken"


class FinalCancelledTrick(Enum):
    """Who takes the last trick of a deal when all cards of the suit led cancelled."""

    LEADER = "leader"
    VOID = "void"
    """Nobody: its cards, and what it carries, count for no one."""
    LAST_WINNER = "last_winner"
    """The winner of the last trick that had one; its leader when there was none."""


class Moon(Enum):
    """What taking every penalty card earns."""

    OFF = "off"
    """Nothing special: the cards count as usual."""
    OTHERS_PLUS = "others_plus"
    SHOOTER_MINUS = "shooter_minus"
    CHOICE = "choice"
    """The shooter chooses one of the two after the last trick."""


class MoonChoice(Enum):
    """How a moon is awarded."""

    ADD = "add"
    """Every other seat scores `moon_points`, the shooter nothing."""
    SUBTRACT = "subtract"
    """The shooter scores minus `moon_points`, the others nothing."""


class MoonDefault(Enum):
    """What counts when the shooter makes no choice."""

    SAFETY = "safety"
    """Add, unless that ends the match without the shooter among its winners: then subtract."""
    OTHERS_PLUS = "others_plus"
    SHOOTER_MINUS = "shooter_minus"


class TieRule(Enum):
    """What happens when the match could end and the lowest total is shared."""

    SHARED = "shared"
    """All seats with the lowest total win."""
    PLAY_ON = "play_on"
    """Another deal follows until one seat has the lowest total alone."""
