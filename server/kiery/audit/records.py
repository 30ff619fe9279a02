"""A match record as a plain value: all that its hash chain covers and the spec does not say already.

The header follows from the spec, the schedule and the number of the attempt, so only what the match
itself added stands here. `read_record(record_to_plain(r), …) == r` for every record.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from kiery.audit.course import Course
from kiery.audit.form import FormError, fields, items, name, number, text
from kiery.cards import CARDS, CardMask, CardTextError, cards_in, mask_of, parse_card
from kiery.errors import KieryError
from kiery.record import DealRecord, MatchHeader, MatchRecord, RecordEntrant, Substitution
from kiery.record.chain import deal_link, digest_of, header_link
from kiery.rules import NOBODY, MoonChoice
from kiery.terms import ActionCause, MatchCause, SeatCause, SubstitutionScope
from kiery.tournament import Fixture, Sharing

__all__ = ["header_of", "read_record", "record_to_plain"]

Plain = Any

_LETTERS: Final = {0: "-", ActionCause.ANSWERED: "a", ActionCause.FORCED: "f", ActionCause.SUBSTITUTE: "s"}
_CAUSE_OF_LETTER: Final = {letter: int(cause) for cause, letter in _LETTERS.items()}
_ACTION: Final = {cause.name.lower(): cause for cause in ActionCause}
_ENDING: Final = {cause.name.lower(): cause for cause in MatchCause}
_SEAT: Final = {cause.name.lower(): cause for cause in SeatCause}
_SCOPE: Final = {scope.name.lower(): scope for scope in SubstitutionScope}
_CHOICE: Final = {choice.value: choice for choice in MoonChoice}


def header_of(
    course: Course, fixture: Fixture, *, attempt: int, match_id: str, engine: str, versions: Sequence[str]
) -> MatchHeader:
    """Returns the header that the record of an attempt has.

    Args:
        course: The tournament.
        fixture: The fixture.
        attempt: From 1.
        match_id: The lasting name of the match.
        engine: The rules engine with its version.
        versions: What each seat's bot called its version.
    """
    spec, schedule = course.spec, course.schedule
    shared = schedule.sharing is Sharing.LAPS
    seated = spec.seated_entrants
    return MatchHeader(
        match_id=match_id,
        tournament=spec.name,
        fixture=fixture.index,
        attempt=attempt,
        set_index=fixture.set_index if shared else None,
        lap=fixture.arrangement + 1 if shared else None,
        entropy=spec.entropy.encode(),
        commitment=course.derivation.commitment,
        rules=spec.played_rules,
        deal_limit=fixture.deal_count,
        entrants=tuple(
            RecordEntrant(
                name=seated[index].name,
                version=version,
                owner=seated[index].owner,
                house=index >= schedule.entrant_count,
            )
            for index, version in zip(fixture.seats, versions, strict=True)
        ),
        engine=engine,
        time_control=spec.time_control.terms,
        fault_policy=spec.fault_policy.terms,
        forced_actions=spec.forced_actions,
    )


# Writing


def record_to_plain(record: MatchRecord) -> Plain:
    """Returns a record as a plain value, ready for JSON."""
    header = record.header
    return {
        "match": header.match_id,
        "engine": header.engine,
        "versions": [entrant.version for entrant in header.entrants],
        "deals": [_deal_to_plain(deal) for deal in record.deals],
        "cause": record.cause.name.lower(),
        "seat_causes": [cause.name.lower() for cause in record.seat_causes],
        "placements": list(record.placements),
        "start_ms": record.start_ms,
        "end_ms": record.end_ms,
    }


def _mask_text(mask: CardMask) -> str:
    return " ".join([str(card) for card in cards_in(mask)])


def _deal_to_plain(deal: DealRecord) -> Plain:
    return {
        "number": deal.number,
        "board": deal.board_number,
        "label": deal.label,
        "dealer": deal.dealer,
        "hands": [_mask_text(hand) for hand in deal.hands],
        "kitty": _mask_text(deal.kitty),
        "passes": [_mask_text(cards) for cards in deal.passes],
        "seats": list(deal.seats),
        "cards": " ".join([str(CARDS[card - 1]) for card in deal.cards]),
        "winners": [None if winner == NOBODY else winner for winner in deal.winners],
        "moon": _moon_to_plain(deal),
        "points": list(deal.points),
        "totals": list(deal.totals),
        "pass_causes": "".join([_LETTERS[cause] for cause in deal.pass_causes]),
        "play_causes": "".join([_LETTERS[cause] for cause in deal.play_causes]),
        "pass_ms": list(deal.pass_ms),
        "play_ms": list(deal.play_ms),
        "faults": list(deal.faults),
        "rejections": list(deal.rejections),
        "substitutions": [
            {
                "seat": each.seat,
                "cause": each.cause.name.lower(),
                "scope": each.scope.name.lower(),
                "after_plays": each.after_plays,
            }
            for each in deal.substitutions
        ],
    }


def _moon_to_plain(deal: DealRecord) -> Plain:
    if deal.shooter is None:
        return None
    return {
        "seat": deal.shooter,
        "choice": None if deal.choice is None else deal.choice.value,
        "cause": None if deal.moon_cause is None else deal.moon_cause.name.lower(),
        "ms": deal.moon_ms,
    }


# Reading


def _cards(value: Plain) -> bytes:
    words = text(value).split()
    try:
        return bytes([parse_card(word) for word in words])
    except CardTextError as error:
        raise FormError(str(error)) from None


def _mask(value: Plain) -> CardMask:
    try:
        return mask_of(_cards(value))
    except ValueError as error:
        raise FormError(str(error)) from None


def _seat(value: Plain) -> int:
    seat = number(value)
    if not 0 <= seat < NOBODY:
        raise FormError(f"expected a seat, found {seat}")
    return seat


def _causes(value: Plain) -> bytes:
    return bytes([name(letter, _CAUSE_OF_LETTER) for letter in text(value)])


def _substitution(value: Plain) -> Substitution:
    seat, cause, scope, after = fields(value, "seat", "cause", "scope", "after_plays")
    return Substitution(
        seat=_seat(seat), cause=name(cause, _SEAT), scope=name(scope, _SCOPE), after_plays=number(after)
    )


_DEAL_FIELDS: Final = (
    "number board label dealer hands kitty passes seats cards winners moon points totals pass_causes"
    " play_causes pass_ms play_ms faults rejections substitutions"
).split()


def _deal(value: Plain) -> DealRecord:
    plain = dict(zip(_DEAL_FIELDS, fields(value, *_DEAL_FIELDS), strict=True))
    moon = plain["moon"]
    seat, choice, cause, ms = (
        (None, None, None, 0) if moon is None else fields(moon, "seat", "choice", "cause", "ms")
    )
    return DealRecord(
        number=number(plain["number"]),
        board_number=number(plain["board"]),
        label=text(plain["label"]),
        dealer=_seat(plain["dealer"]),
        hands=items(plain["hands"], _mask),
        kitty=_mask(plain["kitty"]),
        passes=items(plain["passes"], _mask),
        seats=bytes(items(plain["seats"], _seat)),
        cards=_cards(plain["cards"]),
        winners=bytes(items(plain["winners"], lambda one: NOBODY if one is None else _seat(one))),
        shooter=None if seat is None else _seat(seat),
        choice=None if choice is None else name(choice, _CHOICE),
        moon_cause=None if cause is None else name(cause, _ACTION),
        moon_ms=number(ms),
        points=items(plain["points"], number),
        totals=items(plain["totals"], number),
        pass_causes=_causes(plain["pass_causes"]),
        play_causes=_causes(plain["play_causes"]),
        pass_ms=items(plain["pass_ms"], number),
        play_ms=items(plain["play_ms"], number),
        faults=items(plain["faults"], number),
        rejections=items(plain["rejections"], number),
        substitutions=items(plain["substitutions"], _substitution),
    )


_RECORD_FIELDS: Final = "match engine versions deals cause seat_causes placements start_ms end_ms".split()


def read_record(value: Plain, course: Course, fixture: Fixture, attempt: int) -> MatchRecord:
    """Returns the record of a plain value, with the chain and the digest that its contents have.

    Raises:
        FormError: A part is missing, or cannot be read.
    """
    plain = dict(zip(_RECORD_FIELDS, fields(value, *_RECORD_FIELDS), strict=True))
    versions = items(plain["versions"], text)
    if len(versions) != len(fixture.seats):
        raise FormError(f"{len(versions)} versions: expected {len(fixture.seats)}")
    header = header_of(
        course,
        fixture,
        attempt=attempt,
        match_id=text(plain["match"]),
        engine=text(plain["engine"]),
        versions=versions,
    )
    link = header_link(header)
    deals = []
    for index, value_of_deal in enumerate(items(plain["deals"], lambda each: each), start=1):
        try:
            deal = _deal(value_of_deal)
        except KieryError as error:
            raise FormError(f"deal {index}: {error}") from None
        link = deal_link(link, deal)
        deals.append(replace(deal, chain=link))
    record = MatchRecord(
        header=header,
        deals=tuple(deals),
        cause=name(plain["cause"], _ENDING),
        seat_causes=items(plain["seat_causes"], lambda each: name(each, _SEAT)),
        placements=items(plain["placements"], number),
        start_ms=number(plain["start_ms"]),
        end_ms=number(plain["end_ms"]),
    )
    return replace(record, digest=digest_of(link, record))
