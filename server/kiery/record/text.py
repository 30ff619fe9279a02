"""A record as people read it: plain text, deal by deal, no escape codes."""

from collections.abc import Iterable, Iterator

from kiery.cards import CARDS, SUIT_MASKS, CardMask, Seat, Suit, cards_in, format_cards
from kiery.record.values import DealRecord, MatchRecord
from kiery.rules import MoonChoice, pass_offset
from kiery.terms import ActionCause, MatchCause, SeatCause, SubstitutionScope

__all__ = ["format_hand", "format_record"]

_NAME_WIDTH = 24
_COLUMN = 8

_ENDINGS = {
    MatchCause.COMPLETED: "completed",
    MatchCause.VOID_SERVER: "void, by a fault of the server",
    MatchCause.VOID_ORGANISER: "void, by the organiser",
    MatchCause.CANCELLED: "cancelled",
}
_SEAT_ENDINGS = {
    SeatCause.COMPLETED: "played to the end",
    SeatCause.ILLEGAL: "answered illegally",
    SeatCause.TIMEOUT: "did not answer in time",
    SeatCause.DISCONNECTED: "lost its connection",
    SeatCause.NEVER_READY: "never got ready",
    SeatCause.RESIGNED: "resigned",
    SeatCause.DECLINED: "declined the match",
}
_MARKS = {ActionCause.FORCED: "f", ActionCause.SUBSTITUTE: "s"}


def format_hand(hand: CardMask) -> str:
    """Returns a hand by suit as card players write it, high cards first: `S AQ7  H -  D J92  C T8`."""
    suits = []
    for suit in (Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS):
        in_suit = hand & (SUIT_MASKS[suit] | SUIT_MASKS[suit] << 52)
        ranks = "".join(str(card.rank) for card in reversed(cards_in(in_suit)))
        suits.append(f"{suit} {ranks or '-'}")
    return "  ".join(suits)


def format_record(record: MatchRecord) -> str:
    """Returns a whole record as lines of text, the last one without a line break.

    Each trick is a row with a column a seat: `>` before a card leads, `*` after one takes the trick,
    `s` after one was played by the substitute, `f` by the server because it was the only legal one.
    """
    return "\n".join(_lines(record))


def _lines(record: MatchRecord) -> Iterator[str]:
    header = record.header
    rules = header.rules
    parts = [f"Match {header.match_id}"]
    if header.tournament:
        parts.append(f"tournament {header.tournament}")
    if header.fixture is not None:
        parts.append(f"fixture {header.fixture}, attempt {header.attempt}")
    if header.lap is not None:
        parts.append(f"set {header.set_index}, lap {header.lap}")
    yield ", ".join(parts)
    length = f"to {rules.target_score}" if header.deal_limit is None else f"{header.deal_limit} deal(s)"
    yield f"{rules.preset}, {rules.num_players} players, {length}; engine {header.engine}"
    for seat, entrant in enumerate(header.entrants):
        version = f" {_plain(entrant.version)}" if entrant.version else ""
        house = ", house bot" if entrant.house else ""
        yield f"  seat {seat}  {_plain(entrant.name)}{version}{house}"
    for deal in record.deals:
        yield ""
        yield from _deal(record, deal)
    yield ""
    yield from _ending(record)


def _plain(text: str) -> str:
    """Returns a name that a peer chose without anything that could move a terminal's cursor."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)[:_NAME_WIDTH]


def _who(record: MatchRecord, seat: Seat) -> str:
    return f"seat {seat} ({_plain(record.header.entrants[seat].name)})"


def _deal(record: MatchRecord, deal: DealRecord) -> Iterator[str]:
    rules = record.header.rules
    label = f" ({deal.label})" if deal.label else ""
    yield f"Deal {deal.number}, board {deal.board_number}{label}, dealt by seat {deal.dealer}"
    for seat, hand in enumerate(deal.hands):
        yield f"  {seat}  {format_hand(hand)}"
    if deal.kitty:
        yield f"  kitty  {format_hand(deal.kitty)}"
    offset = pass_offset(rules, deal.board_number)
    if not offset:
        yield "  nobody passes"
    for seat, cards in enumerate(deal.passes):
        by = _mark(deal.pass_causes, seat)
        yield f"  {seat} passes {format_cards(cards)} to {(seat + offset) % rules.num_players}{by}"
    yield from _tricks(deal, rules.num_players)
    if deal.shooter is not None:
        award = {MoonChoice.ADD: "the others pay", MoonChoice.SUBTRACT: "its own score is lowered"}
        how = award[deal.choice] if deal.choice is not None else "and nobody chose how it counts"
        by = "" if deal.moon_cause is None else _mark(bytes((deal.moon_cause,)), 0)
        yield f"  {_who(record, deal.shooter)} shoots the moon: {how}{by}"
    yield from _notes(record, deal)
    if deal.points:
        yield f"  points {_row(deal.points)}"
        yield f"  scores {_row(deal.totals)}"
    else:
        yield "  broken off"


def _mark(causes: bytes, index: int) -> str:
    mark = _MARKS.get(ActionCause(causes[index])) if causes and causes[index] else None
    return f" {mark}" if mark else ""


def _row(numbers: Iterable[int]) -> str:
    return "".join(f"{number:>5}".ljust(_COLUMN) for number in numbers).rstrip()


def _tricks(deal: DealRecord, players: int) -> Iterator[str]:
    if not deal.cards:
        return
    yield f"  trick  {_row(range(players))}"
    for start in range(0, len(deal.cards), players):
        trick = start // players
        cells = [" " * _COLUMN] * players
        for index in range(start, min(start + players, len(deal.cards))):
            seat = deal.seats[index]
            lead = ">" if index == start else " "
            takes = "*" if trick < len(deal.winners) and deal.winners[trick] == seat else ""
            by = _mark(deal.play_causes, index).strip()
            cells[seat] = f"  {lead}{CARDS[deal.cards[index] - 1]}{takes}{by}".ljust(_COLUMN)
        yield f"  {trick + 1:>5}  " + "".join(cells).rstrip()


def _notes(record: MatchRecord, deal: DealRecord) -> Iterator[str]:
    for substitution in deal.substitutions:
        until = "match" if substitution.scope is SubstitutionScope.MATCH else "deal"
        yield (
            f"  {record.header.fault_policy.substitute} plays for {_who(record, substitution.seat)}"
            f" from play {substitution.after_plays + 1} to the end of the {until}:"
            f" it {_SEAT_ENDINGS[substitution.cause]}"
        )
    for name, counts in (("faults", deal.faults), ("reject", deal.rejections)):
        if counts:
            yield f"  {name} {_row(counts)}"


def _ending(record: MatchRecord) -> Iterator[str]:
    yield f"Match {_ENDINGS[record.cause]}"
    for seat, cause in enumerate(record.seat_causes):
        place = f"place {record.placements[seat]}" if record.placements else "no place"
        yield f"  {_who(record, seat)}: {record.scores[seat]}, {place}; {_SEAT_ENDINGS[cause]}"
    yield f"Digest {record.digest.hex()}"
