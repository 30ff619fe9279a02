"""`Rules` to and from `kiery.v1.Rules`."""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache
from typing import Final, TypeVar

from kiery.cards import CARDS, Card
from kiery.rules import (
    Breaks,
    FinalCancelledTrick,
    FirstTrickBan,
    HeartLeadException,
    Leftover,
    Moon,
    MoonDefault,
    OpeningLead,
    PassDirection,
    QueenLead,
    Rules,
    RulesError,
    TieRule,
)
from kiery.v1 import card_pb2, rules_pb2
from kiery.wire.errors import WireError

__all__ = ["rules_from_message", "rules_to_message"]

_E = TypeVar("_E", bound=Enum)
_N = TypeVar("_N", bound=int)

_CACHED_RULES: Final = 64


def _numbers(kind: type[_E], number_of: Callable[[int], _N]) -> Mapping[_E, _N]:
    # The schema lists every closed choice in the order of `kiery.rules.choices`, from 1.
    return {member: number_of(number) for number, member in enumerate(kind, start=1)}


_LEFTOVER: Final = _numbers(Leftover, rules_pb2.Leftover.ValueType)
_DIRECTION: Final = _numbers(PassDirection, rules_pb2.PassDirection.ValueType)
_OPENING: Final = _numbers(OpeningLead, rules_pb2.OpeningLead.ValueType)
_BAN: Final = _numbers(FirstTrickBan, rules_pb2.FirstTrickBan.ValueType)
_BREAKS: Final = _numbers(Breaks, rules_pb2.Breaks.ValueType)
_EXCEPTION: Final = _numbers(HeartLeadException, rules_pb2.HeartLeadException.ValueType)
_QUEEN: Final = _numbers(QueenLead, rules_pb2.QueenLead.ValueType)
_FINAL: Final = _numbers(FinalCancelledTrick, rules_pb2.FinalCancelledTrick.ValueType)
_MOON: Final = _numbers(Moon, rules_pb2.MoonAward.ValueType)
_MOON_DEFAULT: Final = _numbers(MoonDefault, rules_pb2.MoonDefault.ValueType)
_TIE: Final = _numbers(TieRule, rules_pb2.TieRule.ValueType)


def _member(numbers: Mapping[_E, int], number: int, field: str) -> _E:
    for member, own in numbers.items():
        if own == number:
            return member
    raise WireError(
        f"rules: {field} has the unknown value {number}: the server plays rules newer than this client"
    )


def _card(number: int, field: str) -> Card:
    if not 1 <= number <= len(CARDS):
        raise WireError(f"rules: {field} names no card ({number})")
    return CARDS[number - 1]


@lru_cache(maxsize=_CACHED_RULES)
def rules_to_message(rules: Rules) -> rules_pb2.Rules:
    """Returns the message of some rules, the same object for equal rules: copy it, do not change it."""
    return rules_pb2.Rules(
        preset=rules.preset,
        seat_count=rules.num_players,
        deck_count=rules.num_decks,
        removed_cards=bytes(rules.removed_cards),
        leftover=_LEFTOVER[rules.leftover],
        pass_count=rules.pass_count,
        pass_cycle=[_DIRECTION[direction] for direction in rules.pass_cycle],
        opening_lead=_OPENING[rules.opening_lead],
        first_dealer=rules.first_dealer,
        first_trick_ban=_BAN[rules.first_trick_ban],
        must_break_hearts=rules.must_break_hearts,
        breaks=_BREAKS[rules.breaks],
        heart_lead_exception=_EXCEPTION[rules.heart_lead_exception],
        queen_lead=_QUEEN[rules.queen_lead],
        cancellation=rules.cancellation,
        cancelled_trick=rules_pb2.CANCELLED_TRICK_CARRY_SAME_LEADER,
        final_cancelled_trick=_FINAL[rules.final_cancelled_trick],
        point_cards=bytes(card for card, _ in rules.card_points),
        card_points=[points for _, points in rules.card_points],
        bonus_card=None if rules.bonus_card is None else card_pb2.Card.ValueType(rules.bonus_card),
        bonus_points=rules.bonus_points,
        bonus_required_for_moon=rules.bonus_required_for_moon,
        moon=_MOON[rules.moon],
        moon_points=rules.moon_points,
        moon_default_choice=_MOON_DEFAULT[rules.moon_default_choice],
        no_trick_bonus=rules.no_trick_bonus,
        allow_negative=rules.allow_negative,
        target_score=rules.target_score,
        tie_rule=_TIE[rules.tie_rule],
        perfect_round=rules.perfect_round,
        max_deals=rules.max_deals,
        early_end=rules.early_end,
    )


def rules_from_message(message: rules_pb2.Rules) -> Rules:
    """Returns the rules that a message describes.

    Raises:
        WireError: A choice is unknown, a card is none, or the parameters make no game.
    """
    if len(message.point_cards) != len(message.card_points):
        raise WireError("rules: point_cards and card_points differ in length")
    points = zip(message.point_cards, message.card_points, strict=True)
    try:
        return Rules(
            preset=message.preset,
            num_players=message.seat_count,
            num_decks=message.deck_count,
            removed_cards=tuple(_card(number, "removed_cards") for number in message.removed_cards),
            leftover=_member(_LEFTOVER, message.leftover, "leftover"),
            pass_count=message.pass_count,
            pass_cycle=tuple(_member(_DIRECTION, number, "pass_cycle") for number in message.pass_cycle),
            opening_lead=_member(_OPENING, message.opening_lead, "opening_lead"),
            first_dealer=message.first_dealer,
            first_trick_ban=_member(_BAN, message.first_trick_ban, "first_trick_ban"),
            must_break_hearts=message.must_break_hearts,
            breaks=_member(_BREAKS, message.breaks, "breaks"),
            heart_lead_exception=_member(_EXCEPTION, message.heart_lead_exception, "heart_lead_exception"),
            queen_lead=_member(_QUEEN, message.queen_lead, "queen_lead"),
            cancellation=message.cancellation,
            final_cancelled_trick=_member(_FINAL, message.final_cancelled_trick, "final_cancelled_trick"),
            card_points=tuple((_card(number, "point_cards"), each) for number, each in points),
            bonus_card=_card(message.bonus_card, "bonus_card") if message.HasField("bonus_card") else None,
            bonus_points=message.bonus_points,
            bonus_required_for_moon=message.bonus_required_for_moon,
            moon=_member(_MOON, message.moon, "moon"),
            moon_points=message.moon_points,
            moon_default_choice=_member(_MOON_DEFAULT, message.moon_default_choice, "moon_default_choice"),
            no_trick_bonus=message.no_trick_bonus,
            allow_negative=message.allow_negative,
            target_score=message.target_score,
            tie_rule=_member(_TIE, message.tie_rule, "tie_rule"),
            perfect_round=message.perfect_round,
            max_deals=message.max_deals if message.HasField("max_deals") else None,
            early_end=message.early_end,
        )
    except RulesError as error:
        raise WireError(f"rules: {error}") from None
