"""Why things happened, as closed enums.

The numbers are those of the schema (`proto/kiery/v1/terms.proto`).
"""

from enum import IntEnum

__all__ = [
    "ActionCause",
    "CloseCause",
    "DeclineReason",
    "MatchCause",
    "RejectReason",
    "SeatCause",
    "SubstitutionScope",
]


class SeatCause(IntEnum):
    """How a seat's part in a match ended, and why a substitute took it over."""

    COMPLETED = 1
    """The bot acted to the end (faults that cost single decisions included)."""
    ILLEGAL = 2
    """Illegal or malformed answers, beyond the retries."""
    TIMEOUT = 3
    """No answer in time."""
    DISCONNECTED = 4
    """The stream stayed lost until the grace bank was empty."""
    NEVER_READY = 5
    """The bot did not get ready within its limit."""
    RESIGNED = 6
    """The bot left for good."""
    DECLINED = 7
    """The bot refused the table."""


class MatchCause(IntEnum):
    """How a match ended."""

    COMPLETED = 1
    """Played to its end."""
    VOID_SERVER = 2
    """A fault of the server; the fixture is played again."""
    VOID_ORGANISER = 3
    """Voided by the organiser; the fixture is played again."""
    CANCELLED = 4
    """Given up with its tournament."""


class ActionCause(IntEnum):
    """Who decided an action."""

    ANSWERED = 1
    """The bot."""
    FORCED = 2
    """Nobody: there was one legal card and the match plays forced cards itself."""
    SUBSTITUTE = 3
    """The substitute, or the rule's own default for a moon."""


class SubstitutionScope(IntEnum):
    """For how long a substitute keeps a seat.

    A substitute for a single decision is no event of the match.
    """

    DEAL = 1
    """The rest of the deal."""
    MATCH = 2
    """The rest of the match."""


class RejectReason(IntEnum):
    """Why an answer was not taken."""

    ILLEGAL_CARD = 1
    """The card is held but may not be played now."""
    NOT_HELD = 2
    """A card is not in the hand, or not so often."""
    WRONG_COUNT = 3
    """More or fewer cards than asked for."""
    MALFORMED = 4
    """The answer cannot be read: a byte that is no card, an unknown choice, cards where none belong."""
    DUPLICATE = 5
    """The decision was answered before; harmless."""
    LATE = 6
    """The decision was closed before the answer arrived; harmless."""
    UNKNOWN_DECISION = 7
    """The seat was never asked that decision."""
    WRONG_KIND = 8
    """An answer to another kind of decision."""


class CloseCause(IntEnum):
    """Why a decision was closed without an accepted answer."""

    TIMEOUT = 1
    """Its limit and the bank ran out."""
    CEILING = 2
    """The absolute limit of a decision ran out."""
    REJECTED = 3
    """The last retry was rejected."""
    DISCONNECTED = 4
    """The grace bank ran out."""
    MATCH_ENDED = 5
    """The match ended."""


class DeclineReason(IntEnum):
    """Why a bot refuses a table."""

    RULES = 1
    """It does not play these rules."""
    TIME_CONTROL = 2
    """It cannot keep these limits."""
    CAPACITY = 3
    """It has no room."""
    OTHER = 4
    """Anything else."""
