"""Records to and from `kiery.v1.MatchRecord`, the form in which clients read them."""

from enum import IntEnum
from typing import Final, TypeVar

from google.protobuf.timestamp_pb2 import Timestamp

from kiery.cards import CardMask, card_numbers, mask_of
from kiery.record import (
    DealRecord,
    MalformedRecordError,
    MatchHeader,
    MatchRecord,
    RecordEntrant,
    Substitution,
    seats_round,
)
from kiery.rules import NOBODY, MoonChoice, Rules, pass_offset
from kiery.terms import (
    ActionCause,
    FaultPolicy,
    ForcedActions,
    MatchCause,
    SeatCause,
    SubstitutionScope,
    TimeControl,
)
from kiery.v1 import record_pb2, terms_pb2
from kiery.wire import WireError, rules_from_message, rules_to_message

__all__ = ["record_from_message", "record_to_message"]

FORMAT: Final = 1
"""The only form of a record so far."""

_MOON: Final = {
    MoonChoice.ADD: terms_pb2.MOON_CHOICE_ADD,
    MoonChoice.SUBTRACT: terms_pb2.MOON_CHOICE_SUBTRACT,
}
_MOON_CHOICE: Final = {number: choice for choice, number in _MOON.items()}
_MS: Final = 1_000_000
_LAST_SECOND: Final = 253_402_300_799  # the end of the year 9999, the bound of a Timestamp

_Closed = TypeVar("_Closed", bound=IntEnum)


def record_to_message(record: MatchRecord) -> record_pb2.MatchRecord:
    """Returns the message of a record."""
    message = header_to_message(record)
    for deal in record.deals:
        filled = message.deals.add()
        fill_notes(filled, deal)
        fill_cards(filled, deal, record.header.rules)
    return message


def header_to_message(record: MatchRecord) -> record_pb2.MatchRecord:
    """Returns the message of a record without its deals."""
    header = record.header
    clock, policy = header.time_control, header.fault_policy
    return record_pb2.MatchRecord(
        format=FORMAT,
        match_id=header.match_id,
        tournament_id=header.tournament,
        fixture=header.fixture,
        attempt=header.attempt,
        set_index=header.set_index,
        lap=header.lap,
        rules=rules_to_message(header.rules),
        deal_limit=header.deal_limit or 0,
        time_control=terms_pb2.TimeControl(
            ready_ms=clock.ready_ms,
            decision_ms=clock.decision_ms,
            bank_ms=clock.bank_ms,
            ceiling_ms=clock.ceiling_ms,
            grace_ms=clock.grace_ms,
        ),
        fault_policy=terms_pb2.FaultPolicy(
            retries=policy.retries, faults_per_deal=policy.faults_per_deal, substitute=policy.substitute
        ),
        forced_actions=terms_pb2.ForcedActions.ValueType(header.forced_actions),
        entrants=[
            record_pb2.RecordEntrant(
                name=entrant.name, version=entrant.version, owner=entrant.owner, house=entrant.house
            )
            for entrant in header.entrants
        ],
        engine=header.engine,
        scheme=header.scheme,
        commitment=header.commitment,
        entropy=header.entropy,
        cause=terms_pb2.MatchEndCause.ValueType(record.cause),
        placements=bytes(record.placements),
        seat_causes=[terms_pb2.SeatEndCause.ValueType(cause) for cause in record.seat_causes],
        digest=record.digest,
        start_time=_timestamp(record.start_ms),
        end_time=_timestamp(record.end_ms),
    )


def fill_notes(message: record_pb2.DealRecord, deal: DealRecord) -> None:
    """Writes a deal into an empty message: all but what `fill_cards` writes."""
    message.board_number = deal.board_number
    message.dealer = deal.dealer
    if deal.shooter is not None:
        message.moon_seat = deal.shooter
    if deal.choice is not None:
        message.moon_choice = _MOON[deal.choice]
    message.points.extend(deal.points)
    message.scores.extend(deal.totals)
    message.pass_causes = deal.pass_causes
    message.play_causes = deal.play_causes
    message.moon_cause = terms_pb2.ActionCause.ValueType(deal.moon_cause or 0)
    message.pass_think_ms.extend(deal.pass_ms)
    message.play_think_ms.extend(deal.play_ms)
    message.moon_think_ms = deal.moon_ms
    message.faults.extend(deal.faults)
    message.rejections.extend(deal.rejections)
    for substitution in deal.substitutions:
        message.substitutions.add(
            seat=substitution.seat,
            cause=terms_pb2.SeatEndCause.ValueType(substitution.cause),
            scope=terms_pb2.SubstitutionScope.ValueType(substitution.scope),
            play_count=substitution.after_plays,
        )


def fill_cards(message: record_pb2.DealRecord, deal: DealRecord, rules: Rules) -> None:
    """Writes the rest of a deal into its message: cards, label, chain, and what follows from the rules."""
    message.deal_number = deal.number
    message.label = deal.label
    message.chain = deal.chain
    message.pass_offset = pass_offset(rules, deal.board_number)
    message.hands = b"".join([card_numbers(hand) for hand in deal.hands])
    message.kitty = card_numbers(deal.kitty)
    message.passes = b"".join([card_numbers(cards) for cards in deal.passes])
    if deal.seats:
        message.leader = deal.seats[0]
    message.plays = deal.cards
    message.winners = deal.winners


def record_from_message(message: record_pb2.MatchRecord) -> MatchRecord:
    """Returns the record in a message.

    Raises:
        MalformedRecordError: It is of an unknown form, or a part has an impossible size or value; names
            the deal.
    """
    header = header_from_message(message)
    deals = []
    for number, deal in enumerate(message.deals, start=1):
        try:
            deals.append(_deal_from_message(deal, header.rules))
        except MalformedRecordError as error:
            raise MalformedRecordError(error.what, deal=number) from None
    return ending_from_message(message, header, tuple(deals))


def header_from_message(message: record_pb2.MatchRecord) -> MatchHeader:
    """Returns the header in a message; see `record_from_message`."""
    if message.format != FORMAT:
        raise MalformedRecordError(
            f"the record has form {message.format}: this program knows form {FORMAT}, a newer one may know it"
        )
    try:
        rules = rules_from_message(message.rules)
    except WireError as error:
        raise MalformedRecordError(str(error)) from None
    if len(message.entrants) != rules.num_players:
        raise MalformedRecordError(f"{len(message.entrants)} entrants: expected {rules.num_players}")
    clock, policy = message.time_control, message.fault_policy
    return MatchHeader(
        match_id=message.match_id,
        tournament=message.tournament_id,
        fixture=message.fixture if message.HasField("fixture") else None,
        attempt=message.attempt,
        set_index=message.set_index if message.HasField("set_index") else None,
        lap=message.lap if message.HasField("lap") else None,
        entropy=message.entropy,
        scheme=message.scheme,
        commitment=message.commitment,
        rules=rules,
        deal_limit=message.deal_limit or None,
        entrants=tuple(
            RecordEntrant(
                name=entrant.name, version=entrant.version, owner=entrant.owner, house=entrant.house
            )
            for entrant in message.entrants
        ),
        engine=message.engine,
        time_control=TimeControl(
            ready_ms=clock.ready_ms,
            decision_ms=clock.decision_ms,
            bank_ms=clock.bank_ms,
            ceiling_ms=clock.ceiling_ms,
            grace_ms=clock.grace_ms,
        ),
        fault_policy=FaultPolicy(
            retries=policy.retries, faults_per_deal=policy.faults_per_deal, substitute=policy.substitute
        ),
        forced_actions=_known(ForcedActions, message.forced_actions),
    )


def ending_from_message(
    message: record_pb2.MatchRecord, header: MatchHeader, deals: tuple[DealRecord, ...]
) -> MatchRecord:
    """Returns the record of a header, deals, and the ending in a message."""
    return MatchRecord(
        header=header,
        deals=deals,
        cause=_known(MatchCause, message.cause),
        seat_causes=tuple(_known(SeatCause, cause) for cause in message.seat_causes),
        placements=tuple(message.placements),
        start_ms=_milliseconds(message.start_time),
        end_ms=_milliseconds(message.end_time),
        digest=message.digest,
    )


def deal_from_message(
    message: record_pb2.DealRecord,
    rules: Rules,
    *,
    number: int,
    label: str,
    hands: tuple[CardMask, ...],
    kitty: CardMask,
    passes: tuple[CardMask, ...],
    seats: bytes,
    cards: bytes,
    winners: bytes,
    chain: bytes,
) -> DealRecord:
    """Returns a deal from its notes in a message, and its cards from elsewhere.

    Raises:
        MalformedRecordError: A part has an impossible size or value.
    """
    players = rules.num_players
    _sized("points", len(message.points), players)
    _sized("scores", len(message.scores), players)
    return DealRecord(
        number=number,
        board_number=message.board_number,
        dealer=_seat(message.dealer, players),
        label=label,
        hands=hands,
        kitty=kitty,
        passes=passes,
        seats=seats,
        cards=cards,
        winners=winners,
        shooter=_seat(message.moon_seat, players) if message.HasField("moon_seat") else None,
        choice=_moon_choice(message.moon_choice),
        points=tuple(message.points),
        totals=tuple(message.scores),
        pass_causes=message.pass_causes,
        play_causes=message.play_causes,
        moon_cause=_known(ActionCause, message.moon_cause) if message.moon_cause else None,
        pass_ms=tuple(message.pass_think_ms),
        play_ms=tuple(message.play_think_ms),
        moon_ms=message.moon_think_ms,
        faults=tuple(message.faults),
        rejections=tuple(message.rejections),
        substitutions=tuple(
            Substitution(
                seat=_seat(substitution.seat, players),
                cause=_known(SeatCause, substitution.cause),
                scope=_known(SubstitutionScope, substitution.scope),
                after_plays=substitution.play_count,
            )
            for substitution in message.substitutions
        ),
        chain=chain,
    )


def _deal_from_message(message: record_pb2.DealRecord, rules: Rules) -> DealRecord:
    players = rules.num_players
    leader = _seat(message.leader, players)
    for winner in message.winners:
        if winner != NOBODY:
            _seat(winner, players)
    return deal_from_message(
        message,
        rules,
        number=message.deal_number,
        label=message.label,
        hands=_masks("hands", message.hands, rules.hand_size, players),
        kitty=_mask("kitty", message.kitty),
        passes=_masks("passes", message.passes, rules.pass_count, players) if message.passes else (),
        seats=seats_round(leader, message.winners, len(message.plays), players),
        cards=message.plays,
        winners=message.winners,
        chain=message.chain,
    )


def _mask(name: str, cards: bytes) -> CardMask:
    try:
        return mask_of(cards)
    except ValueError as error:
        raise MalformedRecordError(f"{name}: {error}") from None


def _masks(name: str, cards: bytes, size: int, players: int) -> tuple[CardMask, ...]:
    if len(cards) != size * players:
        raise MalformedRecordError(f"{name} has {len(cards)} cards: expected {size * players}")
    return tuple(_mask(name, cards[start : start + size]) for start in range(0, len(cards), size))


def _seat(seat: int, players: int) -> int:
    if seat >= players:
        raise MalformedRecordError(f"seat {seat} does not exist: expected 0 to {players - 1}")
    return seat


def _sized(name: str, found: int, expected: int) -> None:
    if found not in {0, expected}:
        raise MalformedRecordError(f"{name} has {found} entries: expected {expected}")


def _known(kind: type[_Closed], number: int) -> _Closed:
    try:
        return kind(number)
    except ValueError:
        raise MalformedRecordError(f"{number} is no {kind.__name__}") from None


def _moon_choice(number: int) -> MoonChoice | None:
    if number == terms_pb2.MOON_CHOICE_UNSPECIFIED:
        return None
    choice = _MOON_CHOICE.get(terms_pb2.MoonChoice.ValueType(number))
    if choice is None:
        raise MalformedRecordError(f"{number} is no way to award a moon")
    return choice


def _timestamp(milliseconds: int) -> Timestamp:
    seconds, rest = divmod(milliseconds, 1000)
    return Timestamp(seconds=seconds, nanos=rest * _MS)


def _milliseconds(timestamp: Timestamp) -> int:
    if not 0 <= timestamp.seconds <= _LAST_SECOND:
        raise MalformedRecordError(f"{timestamp.seconds} seconds are no time of a match")
    return timestamp.seconds * 1000 + timestamp.nanos // _MS
