"""A record as values: who played what under which terms, and a column a deal.

How it is built from a match is in `build`, how it is proved in `verify`, how it is hashed in `chain`.
"""

from dataclasses import dataclass

from kiery.cards import EMPTY, CardMask, Seat
from kiery.engine import SCHEME, Substitution
from kiery.rules import MoonChoice, Rules
from kiery.terms import ActionCause, FaultPolicy, ForcedActions, MatchCause, SeatCause, TimeControl

__all__ = ["DealRecord", "MatchHeader", "MatchRecord", "PlayedDeal", "RecordEntrant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordEntrant:
    """Who sat in a seat."""

    name: str
    """The entrant's name."""
    version: str = ""
    """The version that the bot stated; may be empty."""
    owner: str = ""
    """Whose bot it is; may be empty."""
    house: bool = False
    """Whether it is a house bot, which is never ranked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchHeader:
    """All that is settled about a match before its first card."""

    match_id: str
    """The lasting name of the match, at most 16 ASCII characters."""
    tournament: str = ""
    """The tournament's name; empty: a match of its own."""
    fixture: int | None = None
    """Index in the schedule, from 0; none: a match of its own."""
    attempt: int = 1
    """Which try at the fixture, from 1."""
    set_index: int | None = None
    """The set whose boards the fixture shares, from 0; none: it has boards of its own."""
    lap: int | None = None
    """The lap it is played in, from 1; none: boards are not shared."""
    entropy: bytes = b""
    """The public entropy E of the boards; empty if there is none."""
    scheme: str = SCHEME
    """How the boards follow from secret, entropy and label."""
    commitment: bytes = b""
    """The commitment C to the secret, 32 bytes; empty: the boards follow from no secret."""
    rules: Rules
    """What is played."""
    deal_limit: int | None = None
    """The fixed number of deals, from 1; none: to the target of the rules."""
    entrants: tuple[RecordEntrant, ...]
    """Who sits where, by seat."""
    engine: str
    """The rules engine with its version, such as `kiery/0.1.0`."""
    time_control: TimeControl
    """The clocks."""
    fault_policy: FaultPolicy
    """The cost of faults, and the substitute with its version."""
    forced_actions: ForcedActions = ForcedActions.ASK
    """Who plays a single legal card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedDeal:
    """One deal as it was dealt, played and scored: what the rules have a say in."""

    number: int
    """The deal's number in the match, from 1."""
    board_number: int
    """The board's number, from 1, from which the pass direction and the dealer follow."""
    dealer: Seat
    """The seat that dealt."""
    hands: tuple[CardMask, ...]
    """The dealt hands by seat, before passing."""
    kitty: CardMask = EMPTY
    """The undealt cards."""
    passes: tuple[CardMask, ...] = ()
    """What each seat passed; no entries: nobody passed, or the exchange never came."""
    seats: bytes = b""
    """Who played, a seat a byte, in order."""
    cards: bytes = b""
    """What was played, a card number a byte, in order."""
    shooter: Seat | None = None
    """Who shot the moon."""
    choice: MoonChoice | None = None
    """How the moon was awarded; set with `shooter` once the deal is scored."""
    points: tuple[int, ...] = ()
    """Points awarded by seat; no entries: the deal was broken off."""
    totals: tuple[int, ...] = ()
    """Scores of the match by seat after the deal; no entries: the deal was broken off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DealRecord(PlayedDeal):
    """One deal with its proof and what happened around the cards."""

    label: str = ""
    """What the board is derived from, `<tournament>/<stream>/<number>`; empty: from no secret."""
    winners: bytes = b""
    """Who took each complete trick, a seat a byte; 127: nobody."""
    pass_causes: bytes = b""
    """Who decided each seat's pass, an `ActionCause` a byte, 0: nobody says; empty: all answered."""
    play_causes: bytes = b""
    """Who decided each play, an `ActionCause` a byte, in play order; empty: all answered."""
    moon_cause: ActionCause | None = None
    """Who decided the moon choice; none: nobody was asked."""
    pass_ms: tuple[int, ...] = ()
    """Think time of each seat's pass, milliseconds; no entries: all 0."""
    play_ms: tuple[int, ...] = ()
    """Think time of each play, milliseconds, in play order; no entries: all 0."""
    moon_ms: int = 0
    """Think time of the moon choice, milliseconds."""
    faults: tuple[int, ...] = ()
    """Faults of each seat; no entries: none."""
    rejections: tuple[int, ...] = ()
    """Rejected answers of each seat; no entries: none."""
    substitutions: tuple[Substitution, ...] = ()
    """Seats that a substitute kept to the end of the deal, in order, those from earlier deals first."""
    chain: bytes = b""
    """The hash of this deal onto the one before, 32 bytes; see `chain`."""

    @property
    def forfeited(self) -> tuple[Seat, ...]:
        """Seats whose deal is forfeited: a substitute kept them to its end, ascending."""
        return tuple(sorted({substitution.seat for substitution in self.substitutions}))


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRecord:
    """A whole match: enough to play it again and to prove it."""

    header: MatchHeader
    """What was settled before the first card."""
    deals: tuple[DealRecord, ...]
    """In order; only the last may be broken off, and only in a match that was not completed."""
    cause: MatchCause
    """How the match ended."""
    seat_causes: tuple[SeatCause, ...]
    """How each seat's part ended."""
    placements: tuple[int, ...] = ()
    """By seat from 1, ties sharing the better one; no entries unless the match was completed."""
    start_ms: int
    """When the table was opened, milliseconds since 1970 UTC."""
    end_ms: int
    """When the match ended, milliseconds since 1970 UTC."""
    digest: bytes = b""
    """The head of the hash chain, 32 bytes: covers every field above."""

    @property
    def scores(self) -> tuple[int, ...]:
        """The final scores by seat: those after the last complete deal."""
        complete = [deal.totals for deal in self.deals if deal.totals]
        return complete[-1] if complete else (0,) * self.header.rules.num_players
