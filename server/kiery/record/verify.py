"""Proves a record: plays it again, checks the hash chain, and deals its boards again from the secret."""

import re
from dataclasses import dataclass
from typing import Final

from kiery.cards import format_cards
from kiery.engine import SCHEME, Derivation, commitment_of, derive_board
from kiery.record.chain import deal_link, digest_of, header_link
from kiery.record.errors import DisagreementError, first_difference
from kiery.record.replay import Replay
from kiery.record.values import DealRecord, MatchHeader, MatchRecord
from kiery.rules import MatchLength, placements
from kiery.terms import ActionCause, ForcedActions, MatchCause

__all__ = ["VerifiedRecord", "expected_label", "verify_record"]

_LABEL: Final = re.compile(r"[A-Za-z0-9._-]+/[A-Za-z0-9._-]+/[1-9][0-9]*")
_CAUSES: Final = frozenset(ActionCause)
_CAUSES_OR_NONE: Final = _CAUSES | {0}


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedRecord:
    """A record that has been proved."""

    record: MatchRecord
    """The record."""
    boards_derived: bool
    """Whether its boards were dealt again from the secret; else they were taken as they stand."""
    deal_count: int
    """Deals played again, a broken-off one included."""
    play_count: int
    """Cards played again."""


def verify_record(record: MatchRecord, secret: bytes | None = None) -> VerifiedRecord:
    """Plays a record again and checks everything that it says.

    Args:
        record: The record.
        secret: The secret S of the boards, 32 bytes, once it is published; none: the boards are taken as
            they stand.

    Returns:
        The record with what was checked.

    Raises:
        DisagreementError: Something in it is not as the rules, the hash chain or the secret have it; names
            the first deal, trick and seat.
    """
    header = record.header
    derivation = _derivation(header, secret)
    completed = record.cause is MatchCause.COMPLETED
    length = MatchLength(deal_limit=header.deal_limit)
    replay = Replay(header.rules, length, judge_every_dealer=True)
    link = header_link(header)
    for deal in record.deals:
        if derivation is not None:
            _judge_board(header, deal, derivation)
        _judge_notes(header, deal)
        last = deal is record.deals[-1]
        winners = replay.deal(deal, causes=deal.play_causes, may_break_off=last and not completed)
        if deal.winners != winners:
            trick = first_difference(deal.winners, winners) or 0
            raise DisagreementError("the winner of the trick is another", deal=deal.number, trick=trick + 1)
        link = deal_link(link, deal)
        if deal.chain != link:
            raise DisagreementError(
                "the hash chain breaks: the deal, or something before it, was changed", deal=deal.number
            )
    _judge_ending(record, replay, link)
    return VerifiedRecord(
        record=record,
        boards_derived=derivation is not None,
        deal_count=len(record.deals),
        play_count=sum(len(deal.cards) for deal in record.deals),
    )


def _derivation(header: MatchHeader, secret: bytes | None) -> Derivation | None:
    if secret is None:
        return None
    if header.scheme != SCHEME:
        raise DisagreementError(f"the boards follow {header.scheme[:40]!a}: expected {SCHEME}")
    try:
        committed = commitment_of(secret)
    except ValueError as error:
        raise DisagreementError(str(error)) from None
    if committed != header.commitment:
        raise DisagreementError("the commitment is not that of the secret")
    return Derivation(secret, header.entropy)


def expected_label(header: MatchHeader, board_number: int) -> str | None:
    """Returns the label that a board of a tournament has, none for a match of its own.

    Source: docs/fairness.md: the set where boards are shared, else the fixture, with the attempt
    from the second on.
    """
    if header.fixture is None or not header.tournament:
        return None
    stream = f"f{header.fixture}" if header.set_index is None else f"s{header.set_index}"
    again = f".{header.attempt}" if header.attempt > 1 else ""
    return f"{header.tournament}/{stream}{again}/{board_number}"


def _judge_board(header: MatchHeader, deal: DealRecord, derivation: Derivation) -> None:
    number = deal.number
    label = expected_label(header, deal.board_number)
    if label is not None and deal.label != label:
        raise DisagreementError(f"the board is called {deal.label[:80]!a}: expected {label}", deal=number)
    if not _LABEL.fullmatch(deal.label) or not deal.label.endswith(f"/{deal.board_number}"):
        raise DisagreementError(
            f"the board is called {deal.label[:80]!a}: expected a label that ends in /{deal.board_number}",
            deal=number,
        )
    board = derive_board(header.rules, deal.board_number, deal.label, derivation.key(deal.label))
    for seat, hand in enumerate(board.hands):
        if seat >= len(deal.hands) or deal.hands[seat] != hand:
            raise DisagreementError(f"the secret deals {format_cards(hand)} here", deal=number, seat=seat)
    # The kitty is what is left of the pack; the replay checks that.


def _judge_notes(header: MatchHeader, deal: DealRecord) -> None:
    """Checks the shape of the columns beside the cards; what they say nobody can prove."""
    players, plays = header.rules.num_players, len(deal.cards)
    if len(deal.seats) != plays:
        raise DisagreementError(f"{len(deal.seats)} seats for {plays} plays", deal=deal.number)
    for name, column, expected in (
        ("pass_causes", deal.pass_causes, players),
        ("pass_ms", deal.pass_ms, players),
        ("play_causes", deal.play_causes, plays),
        ("play_ms", deal.play_ms, plays),
        ("faults", deal.faults, players),
        ("rejections", deal.rejections, players),
    ):
        if column and len(column) != expected:
            raise DisagreementError(
                f"{name} has {len(column)} entries: expected {expected}", deal=deal.number
            )
    if not _CAUSES.issuperset(deal.play_causes) or not _CAUSES_OR_NONE.issuperset(deal.pass_causes):
        raise DisagreementError("an action has an unknown cause", deal=deal.number)
    if ActionCause.FORCED in deal.play_causes and header.forced_actions is not ForcedActions.AUTO:
        raise DisagreementError("a play is called forced, but the seats were asked", deal=deal.number)
    for column in (deal.pass_ms, deal.play_ms, deal.faults, deal.rejections):
        if column and min(column) < 0:
            raise DisagreementError("a think time or a count is negative", deal=deal.number)
    for substitution in deal.substitutions:
        if not (0 <= substitution.seat < players and 0 <= substitution.after_plays <= plays):
            raise DisagreementError("a substitution is at no seat or no play of this deal", deal=deal.number)


def _judge_ending(record: MatchRecord, replay: Replay, link: bytes) -> None:
    last = len(record.deals)
    completed = record.cause is MatchCause.COMPLETED
    if completed and not replay.over:
        raise DisagreementError("the match is called completed, but it was not over", deal=last or None)
    expected = placements(replay.scores) if completed else ()
    seat = first_difference(record.placements, expected)
    if seat is not None:
        raise DisagreementError(f"placements are {record.placements}: expected {expected}", seat=seat)
    players = record.header.rules.num_players
    if len(record.seat_causes) != players or len(record.header.entrants) != players:
        raise DisagreementError(f"expected an entrant and an end cause for each of {players} seats")
    if record.digest != digest_of(link, record):
        raise DisagreementError("the digest is not the head of the hash chain: the ending was changed")
