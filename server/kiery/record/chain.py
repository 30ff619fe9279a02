"""The hash chain of a record: header, deals one after the other, ending; its head is the digest.

    link 0 = SHA256("kiery-record-1" 00 header)
    link d = SHA256("kiery-record-deal-1" 00 link d-1, deal d)
    digest = SHA256("kiery-record-end-1" 00 last link, ending)

The bytes that are hashed are defined here and nowhere else, so that no other form of a record can
change a digest. Fields stand in the order in which this module names them: a whole number as 8 bytes,
big-endian, two's complement; none as the number -1; bytes and text (UTF-8) as their length in 4 bytes
and then themselves; a list as its length in 4 bytes and then its entries; cards as bytes of card
numbers, ascending; an enum as its number, a moon choice as its text. Rules are the text of a JSON
object with sorted keys and no blanks: the parameters of docs/rules.md that differ from the defaults of
`Rules`, whose values are therefore never changed.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, fields
from functools import lru_cache
from struct import pack
from typing import Final

from kiery.cards import card_numbers
from kiery.engine import Substitution
from kiery.record.values import DealRecord, MatchHeader, MatchRecord
from kiery.rules import Rules, parameters_of

__all__ = ["deal_link", "digest_of", "header_link", "links_of"]

_NONE: Final = -1
_SHORT: Final = tuple(pack(">I", length) for length in range(256))
"""The lengths that nearly everything has."""


def _length(count: int) -> bytes:
    return _SHORT[count] if count < len(_SHORT) else pack(">I", count)


def _number(value: int | None) -> bytes:
    return pack(">q", _NONE if value is None else value)


def _numbers(*values: int | None) -> bytes:
    return b"".join([_number(value) for value in values])


def _bytes(value: bytes) -> bytes:
    length = len(value)
    return (_SHORT[length] if length < len(_SHORT) else pack(">I", length)) + value


def _text(value: str) -> bytes:
    return _bytes(value.encode())


def _list(items: Sequence[bytes]) -> bytes:
    return _length(len(items)) + b"".join(items)


def _number_list(values: Sequence[int]) -> bytes:
    if not values:
        return _SHORT[0]
    length = len(values)
    return pack(f">I{length}q", length, *values)


def _card_lists(masks: Sequence[int]) -> bytes:
    parts = [_length(len(masks))]
    for mask in masks:
        cards = card_numbers(mask)
        parts += _SHORT[len(cards)], cards
    return b"".join(parts)


@lru_cache(maxsize=64)
def _rules(rules: Rules) -> bytes:
    usual = {field.name: field.default for field in fields(rules) if field.default is not MISSING}
    parameters = {
        name: value
        for name, value in parameters_of(rules).items()
        if name not in usual or getattr(rules, name) != usual[name]
    }
    text = json.dumps(parameters, sort_keys=True, separators=(",", ":"))
    return _text(rules.preset) + _numbers(rules.num_players) + _text(text)


def _header(header: MatchHeader) -> bytes:
    clock, policy = header.time_control, header.fault_policy
    return b"".join(
        (
            _text(header.match_id),
            _text(header.tournament),
            _numbers(header.fixture, header.attempt, header.set_index, header.lap),
            _bytes(header.entropy),
            _text(header.scheme),
            _bytes(header.commitment),
            _rules(header.rules),
            _number(header.deal_limit),
            _list(
                [
                    _text(entrant.name)
                    + _text(entrant.version)
                    + _text(entrant.owner)
                    + _numbers(entrant.house)
                    for entrant in header.entrants
                ]
            ),
            _text(header.engine),
            _numbers(clock.ready_ms, clock.decision_ms, clock.bank_ms, clock.ceiling_ms, clock.grace_ms),
            _numbers(policy.retries, policy.faults_per_deal),
            _text(policy.substitute),
            _numbers(header.forced_actions),
        )
    )


def _substitution(substitution: Substitution) -> bytes:
    return _numbers(substitution.seat, substitution.cause, substitution.scope, substitution.after_plays)


def _deal(deal: DealRecord) -> bytes:
    return b"".join(
        (
            pack(">3q", deal.number, deal.board_number, deal.dealer),
            _text(deal.label),
            _card_lists(deal.hands),
            _bytes(card_numbers(deal.kitty)),
            _card_lists(deal.passes),
            _bytes(deal.seats),
            _bytes(deal.cards),
            _bytes(deal.winners),
            _number(deal.shooter),
            _text(deal.choice.value if deal.choice is not None else ""),
            _number_list(deal.points),
            _number_list(deal.totals),
            _bytes(deal.pass_causes),
            _bytes(deal.play_causes),
            _number(deal.moon_cause),
            _number_list(deal.pass_ms),
            _number_list(deal.play_ms),
            _number(deal.moon_ms),
            _number_list(deal.faults),
            _number_list(deal.rejections),
            _list([_substitution(substitution) for substitution in deal.substitutions]),
        )
    )


def header_link(header: MatchHeader) -> bytes:
    """Returns the first link: the hash of all that was settled before the first card, 32 bytes."""
    return hashlib.sha256(b"kiery-record-1\0" + _header(header)).digest()


def deal_link(before: bytes, deal: DealRecord) -> bytes:
    """Returns the link of a deal, 32 bytes: all its fields but `chain`, onto the link before it."""
    return hashlib.sha256(b"kiery-record-deal-1\0" + before + _deal(deal)).digest()


def links_of(header: MatchHeader, deals: Iterable[DealRecord]) -> list[bytes]:
    """Returns every link in order: the header's, then one a deal. Looks at no `chain` field."""
    links = [header_link(header)]
    for deal in deals:
        links.append(deal_link(links[-1], deal))
    return links


def digest_of(last: bytes, record: MatchRecord) -> bytes:
    """Returns the head of the chain, 32 bytes: how the match ended, onto the link of its last deal."""
    ending = (
        _numbers(record.cause)
        + _number_list(record.seat_causes)
        + _number_list(record.placements)
        + _numbers(record.start_ms, record.end_ms)
    )
    return hashlib.sha256(b"kiery-record-end-1\0" + last + ending).digest()
