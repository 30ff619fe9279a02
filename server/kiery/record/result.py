"""What standings need of a record: the outcome of each deal as plain values."""

from dataclasses import dataclass

from kiery.cards import Seat, card_numbers
from kiery.record.values import DealRecord, MatchRecord
from kiery.rules import NOBODY, QUEEN_OF_SPADES, Leftover, MoonChoice
from kiery.terms import ActionCause

__all__ = ["DealResult", "deal_results"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DealResult:
    """The outcome of one complete deal; every tuple has one entry a seat."""

    number: int
    """The deal's number in the match, from 1."""
    board_number: int
    """The board's number, from 1."""
    points: tuple[int, ...]
    """Points awarded."""
    totals: tuple[int, ...]
    """Scores of the match after the deal."""
    tricks: tuple[int, ...]
    """Tricks taken, those carried to a later one included."""
    queens: tuple[int, ...]
    """Queens of spades taken in tricks and the kitty; 0 or 1 with one pack."""
    shooter: Seat | None
    """Who shot the moon."""
    choice: MoonChoice | None
    """How it was awarded."""
    forfeited: tuple[Seat, ...]
    """Seats that a substitute kept to the end of the deal, ascending; no entry a seat."""
    faults: tuple[int, ...]
    """Faults."""
    rejections: tuple[int, ...]
    """Rejected answers."""
    think_ms: tuple[tuple[int, ...], ...]
    """Think time of each pass and play that the seat's bot answered itself, milliseconds, in order."""


def deal_results(record: MatchRecord) -> tuple[DealResult, ...]:
    """Returns the results of all complete deals of a record, in order. The record is taken at its word."""
    return tuple(_result(record, deal) for deal in record.deals if deal.points)


def _result(record: MatchRecord, deal: DealRecord) -> DealResult:
    players = record.header.rules.num_players
    none = (0,) * players
    tricks, queens = _taken(record, deal)
    return DealResult(
        number=deal.number,
        board_number=deal.board_number,
        points=deal.points,
        totals=deal.totals,
        tricks=tricks,
        queens=queens,
        shooter=deal.shooter,
        choice=deal.choice,
        forfeited=deal.forfeited,
        faults=deal.faults or none,
        rejections=deal.rejections or none,
        think_ms=_think_times(deal, players),
    )


def _taken(record: MatchRecord, deal: DealRecord) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns tricks and queens of spades by seat."""
    rules = record.header.rules
    players = rules.num_players
    tricks, queens = [0] * players, [0] * players
    waiting_tricks = waiting_queens = 0
    kitty_waits = bool(deal.kitty)
    for index, winner in enumerate(deal.winners):
        cards = deal.cards[index * players : (index + 1) * players]
        waiting_tricks += 1
        waiting_queens += cards.count(QUEEN_OF_SPADES)
        if winner == NOBODY:
            continue
        start = (index + 1 - waiting_tricks) * players
        with_points = any(rules.point_table[card] for card in deal.cards[start : (index + 1) * players])
        if kitty_waits and (rules.leftover is not Leftover.KITTY_FIRST_POINT_TRICK or with_points):
            kitty_waits = False
            waiting_queens += card_numbers(deal.kitty).count(QUEEN_OF_SPADES)
        tricks[winner] += waiting_tricks
        queens[winner] += waiting_queens
        waiting_tricks = waiting_queens = 0
    return tuple(tricks), tuple(queens)


def _think_times(deal: DealRecord, players: int) -> tuple[tuple[int, ...], ...]:
    answered = ActionCause.ANSWERED
    times: list[list[int]] = [[] for _ in range(players)]
    if deal.passes:
        for seat in range(players):
            if not deal.pass_causes or deal.pass_causes[seat] == answered:
                times[seat].append(deal.pass_ms[seat] if deal.pass_ms else 0)
    for index, seat in enumerate(deal.seats):
        if not deal.play_causes or deal.play_causes[index] == answered:
            times[seat].append(deal.play_ms[index] if deal.play_ms else 0)
    return tuple(tuple(own) for own in times)
