"""What standings take from a record: `record` and `tournament` know nothing of each other."""

from kiery.record import DealResult, MatchRecord
from kiery.tournament import DealRow, Fixture

__all__ = ["deal_row"]


def deal_row(fixture: Fixture, record: MatchRecord, result: DealResult, label: str) -> DealRow:
    """Returns one deal of a record as standings want it.

    Args:
        fixture: The fixture played.
        record: Its record.
        result: The deal's outcome.
        label: The board's label.
    """
    return DealRow(
        fixture=fixture.index,
        set_index=fixture.set_index,
        unit=label,
        seats=fixture.seats,
        points=result.points,
        pack_points=record.header.rules.pack_points,
        forfeited=frozenset(result.forfeited),
        shooter=result.shooter,
        queen_seats=frozenset(seat for seat, queens in enumerate(result.queens) if queens),
        think_ms=dict(enumerate(result.think_ms)),
    )
