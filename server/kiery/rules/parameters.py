"""Rule parameters as plain values, as they stand in a tournament file, a transcript or a record.

`rules_from` and `parameters_of` are inverses: `rules_from(r.preset, r.num_players, parameters_of(r)) == r`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, TypeVar

from kiery.cards import CARDS, SUIT_MASKS, Card, CardTextError, Suit, cards_in, parse_card
from kiery.rules.choices import (
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
    TieRule,
)
from kiery.rules.presets import preset
from kiery.rules.rules import Rules, RulesError

__all__ = ["parameters_of", "rules_from"]

Plain = Any
"""A value as JSON and TOML have it: bool, int, text, list, table or null."""

_MAX_CARDS: Final = 104

_Choice = TypeVar("_Choice", bound=Enum)


def _integer(value: Plain) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("expected a whole number")  # noqa: TRY004  (one error class for every parameter)
    return value


def _integer_or_none(value: Plain) -> int | None:
    return None if value is None or value == "none" else _integer(value)


def _boolean(value: Plain) -> bool:
    if not isinstance(value, bool):
        raise ValueError("expected true or false")  # noqa: TRY004  (as above)
    return value


def _card(value: Plain) -> Card:
    if not isinstance(value, str):
        raise ValueError("expected a card such as QS")  # noqa: TRY004  (as above)
    return parse_card(value)


def _card_or_none(value: Plain) -> Card | None:
    return None if value is None or value == "none" else _card(value)


def _cards(value: Plain) -> tuple[Card, ...]:
    return tuple(sorted(_card(item) for item in _items(value)))


def _items(value: Plain) -> Sequence[Plain]:
    if not isinstance(value, list | tuple) or len(value) > _MAX_CARDS:
        raise ValueError("expected a list")
    return value


def _choice(kind: type[_Choice]) -> Callable[[Plain], _Choice]:
    def parse(value: Plain) -> _Choice:
        try:
            return kind(value)
        except ValueError:
            allowed = ", ".join(str(member.value) for member in kind)
            raise ValueError(f"expected one of {allowed}") from None

    return parse


def _cycle(value: Plain) -> tuple[PassDirection, ...]:
    direction = _choice(PassDirection)
    return tuple(direction(item) for item in _items(value))


def _card_points(value: Plain) -> tuple[tuple[Card, int], ...]:
    """Reads `{hearts: 1 | "rank", QS: 13, …}`; a card named on its own outranks `hearts`; 0 removes it."""
    if not isinstance(value, Mapping):
        raise ValueError("expected a table such as {hearts = 1, QS = 13}")  # noqa: TRY004  (as above)
    points: dict[Card, int] = {}
    if "hearts" in value:
        each = value["hearts"]
        for card in cards_in(SUIT_MASKS[Suit.HEARTS]):
            points[card] = card.rank + 2 if each == "rank" else _integer(each)
    points.update({_card(text): _integer(each) for text, each in value.items() if text != "hearts"})
    return tuple((card, points[card]) for card in CARDS if points.get(card))


_PARSERS: Final[Mapping[str, Callable[[Plain], Any]]] = {
    "num_decks": _integer,
    "removed_cards": _cards,
    "leftover": _choice(Leftover),
    "pass_count": _integer,
    "pass_cycle": _cycle,
    "opening_lead": _choice(OpeningLead),
    "first_dealer": _integer,
    "first_trick_ban": _choice(FirstTrickBan),
    "must_break_hearts": _boolean,
    "breaks": _choice(Breaks),
    "heart_lead_exception": _choice(HeartLeadException),
    "queen_lead": _choice(QueenLead),
    "cancellation": _boolean,
    "final_cancelled_trick": _choice(FinalCancelledTrick),
    "card_points": _card_points,
    "bonus_card": _card_or_none,
    "bonus_points": _integer,
    "bonus_required_for_moon": _boolean,
    "moon": _choice(Moon),
    "moon_points": _integer,
    "moon_default_choice": _choice(MoonDefault),
    "no_trick_bonus": _integer,
    "allow_negative": _boolean,
    "target_score": _integer,
    "tie_rule": _choice(TieRule),
    "perfect_round": _boolean,
    "max_deals": _integer_or_none,
    "early_end": _boolean,
}

# These three may also be given for several numbers of players: {3 = […], 5 = […]}.
_BY_PLAYERS: Final = frozenset({"removed_cards", "pass_count", "pass_cycle"})


def rules_from(name: str, players: int, parameters: Mapping[str, Plain] = MappingProxyType({})) -> Rules:
    """Returns the rules of a preset with parameters overridden by plain values.

    Args:
        name: The preset.
        players: The number of seats.
        parameters: Values by parameter name. `removed_cards`, `pass_count` and `pass_cycle` may be
            tables by number of players; other numbers' entries are then ignored.

    Raises:
        UnknownPresetError: No preset has that name.
        RulesError: A parameter does not exist or its value cannot be used; says which and what was expected.
    """
    overrides: dict[str, Any] = {}
    for key, value in parameters.items():
        parse = _PARSERS.get(key)
        if parse is None:
            raise RulesError(
                f"no rule parameter is called {key[:40]!a}: expected one of {', '.join(_PARSERS)}"
            )
        if key in _BY_PLAYERS and isinstance(value, Mapping):
            by_players = {str(count): item for count, item in value.items()}
            if str(players) not in by_players:
                continue
            value = by_players[str(players)]  # noqa: PLW2901  (the entry for this table)
        try:
            overrides[key] = parse(value)
        except (ValueError, CardTextError) as error:
            raise RulesError(f"rule parameter {key}: {error}") from None
    return preset(name, players, **overrides)


def _plain(value: object) -> Plain:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Card):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def parameters_of(rules: Rules) -> dict[str, Plain]:
    """Returns every parameter as a plain value, by name, in the order of `Rules`."""
    plain = {field.name: _plain(getattr(rules, field.name)) for field in fields(rules)}
    plain["card_points"] = {str(card): points for card, points in rules.card_points}
    return {key: plain[key] for key in plain if key in _PARSERS}
