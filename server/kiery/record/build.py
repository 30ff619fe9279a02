"""Builds the record of a match that the engine has played."""

from collections.abc import Sequence
from dataclasses import replace

from kiery.engine import Deal, Match
from kiery.record.chain import deal_link, digest_of, header_link
from kiery.record.values import DealRecord, MatchHeader, MatchRecord
from kiery.rules import deal_totals, placements
from kiery.terms import ActionCause, MatchCause, SeatCause
from kiery.view import Phase

__all__ = ["build_record"]


def _causes(causes: Sequence[ActionCause | None]) -> bytes:
    """Returns one byte a cause; nothing when all were answered, which is the rule."""
    if all(cause is ActionCause.ANSWERED for cause in causes):
        return b""
    return bytes(cause or 0 for cause in causes)


def _unless_zero(values: Sequence[int]) -> tuple[int, ...]:
    return tuple(values) if any(values) else ()


def _deal_record(deal: Deal, totals: tuple[int, ...]) -> DealRecord:
    notes = deal.notes
    passing = deal.pass_offset and deal.phase is not Phase.PASSING
    return DealRecord(
        number=deal.number,
        board_number=deal.board.number,
        dealer=deal.dealer,
        label=deal.board.label,
        hands=deal.board.hands,
        kitty=deal.board.kitty,
        passes=tuple(cards or 0 for cards in deal.passes) if passing else (),
        seats=bytes(deal.seats),
        cards=bytes(deal.cards),
        winners=bytes(deal.winners),
        shooter=deal.shooter,
        choice=deal.choice,
        points=deal.awarded or (),
        totals=totals if deal.awarded is not None else (),
        pass_causes=_causes(notes.pass_causes) if passing and any(notes.pass_causes) else b"",
        play_causes=_causes(notes.play_causes),
        moon_cause=notes.moon_cause,
        pass_ms=_unless_zero(notes.pass_ms) if passing else (),
        play_ms=_unless_zero(notes.play_ms),
        moon_ms=notes.moon_ms,
        faults=_unless_zero(notes.faults),
        rejections=_unless_zero(notes.rejections),
        substitutions=tuple(notes.substitutions),
    )


def build_record(
    match: Match,
    header: MatchHeader,
    *,
    cause: MatchCause,
    seat_causes: tuple[SeatCause, ...],
    start_ms: int,
    end_ms: int,
) -> MatchRecord:
    """Returns the record of a match as it stands, hashed.

    Call it when the last card has been played and before `Match.end`, which wants the digest.

    Args:
        match: What was played.
        header: What was settled before; its rules and length are the match's.
        cause: How the match ended.
        seat_causes: How each seat's part ended.
        start_ms: When the table was opened, milliseconds since 1970 UTC.
        end_ms: When the match ended, milliseconds since 1970 UTC.

    Raises:
        ValueError: The header belongs to other rules or another length, or has not one entrant a seat.
    """
    rules = match.rules
    if header.rules != rules or header.deal_limit != match.length.deal_limit:
        raise ValueError("the header is not that of this match: rules and length must be the same")
    if len(header.entrants) != rules.num_players or len(seat_causes) != rules.num_players:
        raise ValueError(f"expected one entrant and one cause for each of {rules.num_players} seats")
    totals: tuple[int, ...] = (0,) * rules.num_players
    link = header_link(header)
    deals = []
    for deal in match.deals:
        if deal.awarded is not None:
            totals = deal_totals(rules, totals, deal.awarded)
        unlinked = _deal_record(deal, totals)
        link = deal_link(link, unlinked)
        deals.append(replace(unlinked, chain=link))
    record = MatchRecord(
        header=header,
        deals=tuple(deals),
        cause=cause,
        seat_causes=seat_causes,
        placements=placements(totals) if cause is MatchCause.COMPLETED else (),
        start_ms=start_ms,
        end_ms=end_ms,
    )
    return replace(record, digest=digest_of(link, record))
