"""The named variants: parameters by number of players. Source: docs/rules.md, "The variants"."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from kiery.cards import CARDS, SUIT_MASKS, Card, Suit, cards_in, parse_card, parse_cards
from kiery.rules.choices import Breaks, FirstTrickBan, Leftover, Moon, OpeningLead, PassDirection, TieRule
from kiery.rules.rules import Rules, RulesError

__all__ = ["PRESETS", "Preset", "UnknownPresetError", "preset"]

CardPoints = tuple[tuple[Card, int], ...]

_LEFT, _RIGHT, _ACROSS, _HOLD = (
    PassDirection.LEFT,
    PassDirection.RIGHT,
    PassDirection.ACROSS,
    PassDirection.HOLD,
)


class UnknownPresetError(RulesError):
    """A name that no preset has."""

    reason = "UNKNOWN_PRESET"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A named variant before the number of players is known."""

    name: str
    """The name used in files and arguments."""
    summary: str
    """One line for people."""
    players: range
    """Numbers of players that it allows."""
    removed_cards: Mapping[int, str]
    """Cards taken out, as text, by number of players; none where not named."""
    pass_cycle: Mapping[int, tuple[PassDirection, ...]]
    """Directions by number of players."""
    parameters: Mapping[str, Any]
    """Everything else, by parameter name."""

    def rules(self, players: int, overrides: Mapping[str, Any] = MappingProxyType({})) -> Rules:
        """Returns the rules at a number of players.

        Args:
            players: One of `players`.
            overrides: Values of `Rules` fields that differ from the preset.

        Raises:
            RulesError: The preset does not allow that number, or the parameters make no game.
        """
        if players not in self.players:
            few, many = self.players[0], self.players[-1]
            allowed = str(few) if few == many else f"{few} to {many}"
            raise RulesError(f"{self.name} cannot be played by {players}: expected {allowed} players")
        parameters = {
            "removed_cards": cards_in(parse_cards(self.removed_cards.get(players, ""))),
            "pass_cycle": self.pass_cycle.get(players, (_HOLD,)),
            **self.parameters,
            **overrides,
        }
        return Rules(preset=self.name, num_players=players, **parameters)


_HEARTS_REMOVED: Final = {3: "2D", 5: "2D 2C", 6: "2D 3D 3C 4C", 7: "2D 3D 3C"}
_HEARTS_CYCLE: Final = {
    3: (_LEFT, _RIGHT, _HOLD),
    4: (_LEFT, _RIGHT, _ACROSS, _HOLD),
    **dict.fromkeys((5, 6, 7), (_LEFT, _RIGHT)),
}


def _points(extra: Mapping[str, int], *, by_rank: bool = False) -> CardPoints:
    """Points of every heart (1, or its face value with the ace 14) and of the cards named."""
    hearts = {card: card.rank + 2 if by_rank else 1 for card in cards_in(SUIT_MASKS[Suit.HEARTS])}
    points = hearts | {parse_card(text): value for text, value in extra.items()}
    return tuple((card, points[card]) for card in CARDS if card in points)


_HEARTS: Final[Mapping[str, Any]] = {
    "card_points": _points({"QS": 13}),
    "first_trick_ban": FirstTrickBan.ALL_POINTS,
    "breaks": Breaks.HEARTS_AND_QUEEN,
    "moon": Moon.CHOICE,
    "moon_points": 26,
}
_KLASYK: Final[Mapping[str, Any]] = {
    "card_points": _points({"QS": 13}),
    "first_trick_ban": FirstTrickBan.QUEEN_ONLY,
    "breaks": Breaks.HEARTS,
    "moon": Moon.OTHERS_PLUS,
    "moon_points": 13,
}

_ALL: Final = (
    Preset(
        name="klasyk",
        summary="Polish Kiery: the first trick bans the queen only, a moon costs the others 13",
        players=range(4, 5),
        removed_cards={},
        pass_cycle=_HEARTS_CYCLE,
        parameters=_KLASYK,
    ),
    Preset(
        name="specjalny",
        summary="Klasyk with two additions: a perfect round or a tie for first prolongs the match",
        players=range(4, 5),
        removed_cards={},
        pass_cycle=_HEARTS_CYCLE,
        parameters={**_KLASYK, "tie_rule": TieRule.PLAY_ON, "perfect_round": True},
    ),
    Preset(
        name="hearts",
        summary="Hearts for three to seven: the shooter of the moon chooses who pays",
        players=range(3, 8),
        removed_cards=_HEARTS_REMOVED,
        pass_cycle=_HEARTS_CYCLE,
        parameters=_HEARTS,
    ),
    Preset(
        name="omnibus",
        summary="Hearts with the jack of diamonds worth minus ten",
        players=range(3, 8),
        removed_cards=_HEARTS_REMOVED,
        pass_cycle=_HEARTS_CYCLE,
        parameters={**_HEARTS, "bonus_card": parse_card("JD"), "bonus_points": -10},
    ),
    Preset(
        name="cancellation",
        summary="Two packs for five to eleven: identical cards in a trick cancel each other",
        players=range(5, 12),
        removed_cards={},
        pass_cycle={},
        parameters={
            **_HEARTS,
            "num_decks": 2,
            "leftover": Leftover.KITTY_FIRST_TRICK,
            "pass_count": 0,
            "opening_lead": OpeningLead.DEALER_LEFT,
            "cancellation": True,
            "moon_points": 52,
        },
    ),
    Preset(
        name="black_maria",
        summary="British: king and ace of spades count too, three cards go right in every deal",
        players=range(3, 6),
        removed_cards={3: "2C", 5: "2C 2D"},
        pass_cycle=dict.fromkeys((3, 4, 5), (_RIGHT,)),
        parameters={
            "card_points": _points({"QS": 13, "KS": 10, "AS": 7}),
            "opening_lead": OpeningLead.DEALER_LEFT,
            "first_trick_ban": FirstTrickBan.NONE,
            "must_break_hearts": False,
            "moon": Moon.OFF,
        },
    ),
    Preset(
        name="spot_hearts",
        summary="Hearts at face value, the queen 25, to 500",
        players=range(3, 8),
        removed_cards=_HEARTS_REMOVED,
        pass_cycle=_HEARTS_CYCLE,
        parameters={
            **_HEARTS,
            "card_points": _points({"QS": 25}, by_rank=True),
            "moon_points": 129,
            "target_score": 500,
        },
    ),
)

PRESETS: Final[Mapping[str, Preset]] = MappingProxyType({preset.name: preset for preset in _ALL})
"""Every preset by name, in the order in which people are shown them."""


def preset(name: str, players: int, **overrides: Any) -> Rules:  # noqa: ANN401  (values of Rules fields)
    """Returns the rules of a preset at a number of players, with `Rules` fields overridden by name.

    Raises:
        UnknownPresetError: No preset has that name.
        RulesError: The preset does not allow that number of players, or the parameters make no game.
    """
    found = PRESETS.get(name)
    if found is None:
        raise UnknownPresetError(f"no preset is called {name[:32]!a}: expected one of {', '.join(PRESETS)}")
    return found.rules(players, overrides)
