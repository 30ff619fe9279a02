"""What is played: every variant as one `Rules` value, and the rules as pure functions of it.

Source: docs/rules.md. What is not here: who holds which cards and whose turn it is (`engine`).
"""

from kiery.rules.choices import (
    Breaks,
    FinalCancelledTrick,
    FirstTrickBan,
    HeartLeadException,
    Leftover,
    Moon,
    MoonChoice,
    MoonDefault,
    OpeningLead,
    PassDirection,
    QueenLead,
    TieRule,
)
from kiery.rules.ending import MatchLength, default_moon_choice, is_over, placements, winners
from kiery.rules.legality import breaks_hearts, legal_plays
from kiery.rules.parameters import parameters_of, rules_from
from kiery.rules.passing import exchange, pass_direction, pass_offset
from kiery.rules.presets import PRESETS, Preset, UnknownPresetError, preset
from kiery.rules.rules import QUEEN_OF_SPADES, Rules, RulesError
from kiery.rules.scoring import DealTaken, deal_points, deal_totals, is_settled, moon_shooter
from kiery.rules.trick import NOBODY, trick_winner

__all__ = [
    "NOBODY",
    "PRESETS",
    "QUEEN_OF_SPADES",
    "Breaks",
    "DealTaken",
    "FinalCancelledTrick",
    "FirstTrickBan",
    "HeartLeadException",
    "Leftover",
    "MatchLength",
    "Moon",
    "MoonChoice",
    "MoonDefault",
    "OpeningLead",
    "PassDirection",
    "Preset",
    "QueenLead",
    "Rules",
    "RulesError",
    "TieRule",
    "UnknownPresetError",
    "breaks_hearts",
    "deal_points",
    "deal_totals",
    "default_moon_choice",
    "exchange",
    "is_over",
    "is_settled",
    "legal_plays",
    "moon_shooter",
    "parameters_of",
    "pass_direction",
    "pass_offset",
    "placements",
    "preset",
    "rules_from",
    "trick_winner",
    "winners",
]
