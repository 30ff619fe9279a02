"""Records to and from the bytes of the store: `kiery.v1.StoredRecord`, compressed with zstd.

The cards of a deal are packed into one number, since card numbers hardly compress. What follows from
the rules is left out and computed on reading; the hash chain is computed too, and compared with the
first bytes of each link and with the digest, so that a changed bit is found and placed.
"""

from dataclasses import replace
from typing import Final

import zstandard
from google.protobuf.message import DecodeError

from kiery.record import DealRecord, MalformedRecordError, MatchHeader, MatchRecord
from kiery.record.chain import deal_link, digest_of, header_link
from kiery.record.packing import PackedCards, pack_cards, unpack_cards
from kiery.rules import deal_totals, pass_offset
from kiery.v1 import record_pb2
from kiery.wire_service.record import (
    deal_from_message,
    ending_from_message,
    fill_notes,
    header_from_message,
    header_to_message,
)

__all__ = ["MAX_RECORD_BYTES", "record_from_bytes", "record_to_bytes"]

MAX_RECORD_BYTES: Final = 16 << 20
"""Bound of an uncompressed record: thousands of deals with all their times."""

_LEVEL: Final = 12
_CHECK_BYTES: Final = 4


def record_to_bytes(record: MatchRecord) -> bytes:
    """Returns the bytes of a record for the store; the same record always gives the same bytes.

    Raises:
        MalformedRecordError: A seat passed or played what it did not hold, or the plays do not go round
            the table. (No record of a match of the engine does.)
    """
    rules = record.header.rules
    stored = record_pb2.StoredRecord(match=header_to_message(record))
    stored.label_prefix = _label_prefix(record)
    for deal in record.deals:
        message = stored.match.deals.add()
        fill_notes(message, deal)
        message.ClearField("scores")
        if not stored.label_prefix:
            message.label = deal.label
        offset = pass_offset(rules, deal.board_number)
        try:
            stored.cards.append(pack_cards(rules, offset, _cards_of(deal)))
        except MalformedRecordError as error:
            raise MalformedRecordError(error.what, deal=deal.number) from None
    stored.checks = b"".join([deal.chain[:_CHECK_BYTES] for deal in record.deals])
    plain = stored.SerializeToString(deterministic=True)
    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(plain)


def _cards_of(deal: DealRecord) -> PackedCards:
    return PackedCards(
        hands=deal.hands,
        kitty=deal.kitty,
        passes=deal.passes,
        seats=deal.seats,
        cards=deal.cards,
        winners=deal.winners,
    )


def _label_prefix(record: MatchRecord) -> str:
    prefixes = {deal.label.removesuffix(str(deal.board_number)) for deal in record.deals}
    if len(prefixes) != 1:
        return ""
    prefix = prefixes.pop()
    same = all(deal.label == f"{prefix}{deal.board_number}" for deal in record.deals)
    return prefix if same else ""


def record_from_bytes(data: bytes) -> MatchRecord:
    """Returns the record in the bytes of the store.

    Raises:
        MalformedRecordError: The bytes are cut off, corrupt, too large, or of an unknown form; names the
            deal where it can.
    """
    stored = _decode(_decompress(data))
    header = header_from_message(stored.match)
    count = len(stored.match.deals)
    if len(stored.cards) != count or len(stored.checks) != count * _CHECK_BYTES:
        raise MalformedRecordError("the columns of the deals differ in length")
    link = header_link(header)
    totals: tuple[int, ...] = (0,) * header.rules.num_players
    deals = []
    for index in range(count):
        try:
            deal = _unpack_deal(stored, index, header, totals)
        except MalformedRecordError as error:
            raise MalformedRecordError(error.what, deal=index + 1) from None
        link = deal_link(link, deal)
        if link[:_CHECK_BYTES] != stored.checks[index * _CHECK_BYTES : (index + 1) * _CHECK_BYTES]:
            raise MalformedRecordError("the hash chain breaks here", deal=index + 1)
        deals.append(replace(deal, chain=link))
        totals = deal.totals or totals
    record = ending_from_message(stored.match, header, tuple(deals))
    if record.digest != digest_of(link, record):
        raise MalformedRecordError("the digest is not that of the contents")
    return record


def _unpack_deal(
    stored: record_pb2.StoredRecord, index: int, header: MatchHeader, totals: tuple[int, ...]
) -> DealRecord:
    message, rules = stored.match.deals[index], header.rules
    cards = unpack_cards(rules, pass_offset(rules, message.board_number), stored.cards[index])
    prefix = stored.label_prefix
    points = tuple(message.points)
    if len(points) not in {0, rules.num_players}:
        raise MalformedRecordError(f"points has {len(points)} entries: expected {rules.num_players}")
    if points:
        message.scores.extend(deal_totals(rules, totals, points))
    return deal_from_message(
        message,
        rules,
        number=index + 1,
        label=f"{prefix}{message.board_number}" if prefix else message.label,
        hands=cards.hands,
        kitty=cards.kitty,
        passes=cards.passes,
        seats=cards.seats,
        cards=cards.cards,
        winners=cards.winners,
        chain=b"",
    )


def _decompress(data: bytes) -> bytes:
    try:
        size = zstandard.get_frame_parameters(data).content_size
        if size > MAX_RECORD_BYTES:
            raise MalformedRecordError(
                f"the record is too large: {size} bytes, expected at most {MAX_RECORD_BYTES}"
            )
        return zstandard.ZstdDecompressor().decompress(data, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise MalformedRecordError(f"{len(data)} bytes are no compressed record: {error}") from None


def _decode(plain: bytes) -> record_pb2.StoredRecord:
    try:
        return record_pb2.StoredRecord.FromString(plain)
    except DecodeError as error:
        raise MalformedRecordError(f"the record cannot be decoded: {error}") from None
