"""The transcript: the open text form of a match, one JSON object, written and judged.

The form is described in tests/vectors/README.md. A foreign transcript is
first read (`TranscriptError` names the place that cannot be) and then played again (`DisagreementError`
names the first deal, trick and seat). Input may be anything: sizes are bounded, types are checked.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn, TypeVar

from kiery.cards import EMPTY, CardMask, CardTextError, add_card, cards_in, parse_card
from kiery.record.errors import DisagreementError, MalformedRecordError, first_difference
from kiery.record.replay import Replay
from kiery.record.values import MatchRecord, PlayedDeal
from kiery.rules import (
    MatchLength,
    MoonChoice,
    OpeningLead,
    Rules,
    RulesError,
    parameters_of,
    preset,
    rules_from,
)
from kiery.rules import winners as winners_of
from kiery.terms import MatchCause

__all__ = ["TranscriptError", "parse_transcript", "to_transcript", "verify_transcript"]

Plain = Any
"""A value as `json.loads` returns it."""

MAX_TEXT_BYTES: Final = 32 << 20
"""Bound of one transcript as text."""

_MAX_DEALS: Final = 10_000
_MAX_CARDS: Final = 104
_MAX_NUMBER: Final = 1_000_000_000
_SHOWN: Final = 40
_LONGEST: Final = 300

_T = TypeVar("_T")


class TranscriptError(MalformedRecordError):
    """A transcript that cannot be read: not JSON, a part missing, or of another type or size."""

    reason = "MALFORMED_TRANSCRIPT"


# Writing


def to_transcript(record: MatchRecord) -> dict[str, Plain]:
    """Returns the transcript of a record: plain values in the order of the form, ready for `json.dumps`.

    Only complete deals are in it; a deal that was broken off has no place in the form.
    """
    header = record.header
    finished = record.cause is MatchCause.COMPLETED
    transcript: dict[str, Plain] = {
        "preset": header.rules.preset,
        "players": header.rules.num_players,
        "target": None if header.deal_limit is not None else header.rules.target_score,
        "deal_limit": header.deal_limit,
    }
    overrides = _overrides(header.rules)
    if header.deal_limit is None:
        overrides.pop("target_score", None)
    if overrides:
        transcript["rules"] = overrides
    transcript["deals"] = [_deal(deal) for deal in record.deals if deal.points]
    transcript["finished"] = finished
    transcript["winners"] = list(winners_of(record.scores)) if finished else []
    return transcript


def _overrides(rules: Rules) -> dict[str, Plain]:
    usual = parameters_of(preset(rules.preset, rules.num_players))
    own = parameters_of(rules)
    return {name: value for name, value in own.items() if value != usual[name]}


def _card_texts(mask: CardMask) -> list[str]:
    return [str(card) for card in cards_in(mask)]


def _deal(deal: PlayedDeal) -> dict[str, Plain]:
    plain: dict[str, Plain] = {"number": deal.number}
    if deal.board_number != deal.number:
        plain["pass_number"] = deal.board_number
    moon = None
    if deal.shooter is not None and deal.choice is not None:
        moon = {"seat": deal.shooter, "choice": deal.choice.value}
    return plain | {
        "dealer": deal.dealer,
        "hands": [_card_texts(hand) for hand in deal.hands],
        "kitty": _card_texts(deal.kitty),
        "passes": {str(seat): _card_texts(cards) for seat, cards in enumerate(deal.passes)},
        "plays": [
            [seat, str(card)]
            for seat, number in zip(deal.seats, deal.cards, strict=True)
            for card in cards_in(1 << number)
        ],
        "moon": moon,
        "points": list(deal.points),
        "totals": list(deal.totals),
    }


# Judging


def parse_transcript(text: str | bytes) -> Plain:
    """Returns the JSON value of one transcript.

    Raises:
        TranscriptError: The text is too long or is no JSON; says where.
    """
    if len(text) > MAX_TEXT_BYTES:
        raise TranscriptError(f"the transcript has {len(text)} bytes: expected at most {MAX_TEXT_BYTES}")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise TranscriptError(f"no JSON: {error.msg} at character {error.pos + 1}") from None
    except UnicodeDecodeError as error:
        raise TranscriptError(f"no UTF-8 at byte {error.start + 1}") from None
    except RecursionError:
        raise TranscriptError("no transcript: lists in lists without end") from None
    except ValueError:
        raise TranscriptError("no transcript: a number with thousands of digits") from None


def verify_transcript(transcript: Plain) -> None:
    """Plays a transcript again and checks everything that it says.

    Args:
        transcript: The value of one JSON object, as `parse_transcript` returns it.

    Raises:
        TranscriptError: It cannot be read; names the place, such as `deals[2].plays[5]`.
        DisagreementError: The rules say otherwise; names the first deal, trick and seat.
    """
    sheet = _read(transcript)
    replay = Replay(sheet.rules, sheet.length, judge_every_dealer=False)
    for deal in sheet.deals:
        last = deal is sheet.deals[-1]
        replay.deal(deal, may_break_off=last and not sheet.finished)
    number = len(sheet.deals) or None
    if sheet.finished != replay.over:
        said = "finished" if sheet.finished else "not finished"
        raise DisagreementError(f"the match is called {said}, but it is not so", deal=number)
    expected = winners_of(replay.scores) if sheet.finished else ()
    index = first_difference(sheet.winners, expected)
    if index is not None:
        seat = sheet.winners[index] if index < len(sheet.winners) else expected[index]
        shown = ", ".join(map(str, expected)) or "nobody"
        raise DisagreementError(f"winners are said to be others: expected {shown}", deal=number, seat=seat)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sheet:
    """A transcript that could be read."""

    rules: Rules
    length: MatchLength
    deals: tuple[PlayedDeal, ...]
    finished: bool
    winners: tuple[int, ...]


def _fail(place: str, expected: str, found: Plain) -> NoReturn:
    shown = ascii(found) if isinstance(found, str | int | float | None) else f"a {type(found).__name__}"
    if len(shown) > _SHOWN:
        shown = f"{shown[:_SHOWN]}…"
    raise TranscriptError(f"{place}: expected {expected}, found {shown}")


def _number(found: Plain, place: str) -> int:
    if type(found) is not int or not -_MAX_NUMBER <= found <= _MAX_NUMBER:
        # An integer of thousands of digits cannot even be shown.
        _fail(place, "a whole number", "a huge one" if type(found) is int else found)
    return found


def _object(found: Plain, place: str) -> Mapping[str, Plain]:
    if not isinstance(found, dict):
        _fail(place, "an object", found)
    return found


def _list(found: Plain, place: str, parse: Callable[[Plain, str], _T], most: int) -> list[_T]:
    if not isinstance(found, list):
        _fail(place, "a list", found)
    if len(found) > most:
        raise TranscriptError(f"{place}: {len(found)} entries, expected at most {most}")
    return [parse(item, f"{place}[{index}]") for index, item in enumerate(found)]


def _card(found: Plain, place: str) -> int:
    if not isinstance(found, str):
        _fail(place, "a card such as QS", found)
    try:
        return parse_card(found)
    except CardTextError as error:
        raise TranscriptError(f"{place}: {error}") from None


def _mask(found: Plain, place: str) -> CardMask:
    mask = EMPTY
    for index, card in enumerate(_list(found, place, _card, _MAX_CARDS)):
        try:
            mask = add_card(mask, card)
        except ValueError as error:
            raise TranscriptError(f"{place}[{index}]: {error}") from None
    return mask


def _read(transcript: Plain) -> _Sheet:
    whole = _object(transcript, "transcript")
    rules = _read_rules(whole)
    limit = whole.get("deal_limit")
    if limit is not None and not 1 <= _number(limit, "deal_limit") <= _MAX_DEALS:
        _fail("deal_limit", f"1 to {_MAX_DEALS}, or null", limit)
    finished = whole.get("finished")
    if not isinstance(finished, bool):
        _fail("finished", "true or false", finished)
    deals = _list(
        whole.get("deals"), "deals", lambda found, place: _read_deal(found, place, rules), _MAX_DEALS
    )
    winners = _list(whole.get("winners"), "winners", _number, _MAX_CARDS)
    return _Sheet(
        rules=rules,
        length=MatchLength(deal_limit=limit),
        deals=tuple(deals),
        finished=finished,
        winners=tuple(sorted(winners)),
    )


def _read_rules(whole: Mapping[str, Plain]) -> Rules:
    name, players = whole.get("preset"), _number(whole.get("players"), "players")
    if not isinstance(name, str):
        _fail("preset", "a name", name)
    parameters = dict(_object(whole.get("rules", {}), "rules"))
    if whole.get("target") is not None:
        parameters["target_score"] = _number(whole["target"], "target")
    try:
        return rules_from(name, players, parameters)
    except (RulesError, ValueError) as error:
        raise TranscriptError(f"rules: {str(error)[:_LONGEST]}") from None


def _read_deal(found: Plain, place: str, rules: Rules) -> PlayedDeal:
    plain = _object(found, place)

    def part(name: str) -> tuple[Plain, str]:
        return plain.get(name), f"{place}.{name}"

    number, dealer = _number(*part("number")), _number(*part("dealer"))
    pass_number = _number(*part("pass_number")) if plain.get("pass_number") is not None else number
    if pass_number < 1:
        _fail(f"{place}.pass_number", "a number from 1", pass_number)
    plays = _list(*part("plays"), _play, _MAX_CARDS)
    seats, cards = zip(*plays, strict=True) if plays else ((), ())
    shooter, choice = _moon(*part("moon")) if plain.get("moon") is not None else (None, None)
    return PlayedDeal(
        number=number,
        board_number=_board_number(rules, number, pass_number, dealer),
        dealer=dealer,
        hands=tuple(_list(*part("hands"), _mask, _MAX_CARDS)),
        kitty=_mask(plain.get("kitty", []), f"{place}.kitty"),
        passes=_passes(plain.get("passes", {}), f"{place}.passes", rules.num_players),
        seats=bytes(seats),
        cards=bytes(cards),
        shooter=shooter,
        choice=choice,
        points=tuple(_list(*part("points"), _number, _MAX_CARDS)),
        totals=tuple(_list(*part("totals"), _number, _MAX_CARDS)),
    )


def _board_number(rules: Rules, number: int, pass_number: int, dealer: int) -> int:
    """Returns a board number with the direction of `pass_number` and the dealer of `number`, if any has both.

    In a repeated deal the dealer may follow either of the two; what the engine then says is final.
    """
    if rules.opening_lead is not OpeningLead.DEALER_LEFT or pass_number == number:
        return max(pass_number, 1)
    players, cycle = rules.num_players, len(rules.pass_cycle)
    if (rules.first_dealer + number - 1) % players != dealer:
        return pass_number
    boards = range(pass_number % cycle or cycle, players * cycle + 1, cycle)
    return next((board for board in boards if (board - number) % players == 0), pass_number)


def _play(found: Plain, place: str) -> tuple[int, int]:
    if not isinstance(found, list) or len(found) != 2:
        _fail(place, 'a seat and a card such as [0, "QS"]', found)
    return _small_seat(found[0], f"{place}[0]"), _card(found[1], f"{place}[1]")


def _small_seat(found: Plain, place: str) -> int:
    seat = _number(found, place)
    if not 0 <= seat < _MAX_CARDS:
        _fail(place, "a seat from 0", seat)
    return seat


def _passes(found: Plain, place: str, players: int) -> tuple[CardMask, ...]:
    by_seat = _object(found, place)
    if not by_seat:
        return ()
    seats = {str(seat): seat for seat in range(players)}
    passes = [EMPTY] * players
    for key, cards in by_seat.items():
        if key not in seats:
            _fail(place, f"seats 0 to {players - 1}", key)
        passes[seats[key]] = _mask(cards, f"{place}.{key}")
    return tuple(passes)


def _moon(found: Plain, place: str) -> tuple[int, MoonChoice]:
    moon = _object(found, place)
    choice = moon.get("choice")
    if not isinstance(choice, str) or choice not in {"add", "subtract"}:
        _fail(f"{place}.choice", "add or subtract", choice)
    return _small_seat(moon.get("seat"), f"{place}.seat"), MoonChoice(choice)
