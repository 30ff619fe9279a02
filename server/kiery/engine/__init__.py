"""The truth: deals and matches as state machines, and where the cards come from.

Everything here is synchronous and deterministic. Who is connected, what time it is and what a
missing answer costs is `table`'s affair.
"""

from kiery.engine.board import Board, BoardError, board_from_hands
from kiery.engine.deal import Deal
from kiery.engine.derivation import (
    SCHEME,
    Derivation,
    Stream,
    commitment_of,
    derive_board,
    key_hash_of,
)
from kiery.engine.errors import IllegalPlayError
from kiery.engine.judge import DealJudge, JudgedDeal, judge_of
from kiery.engine.layout import Layout, LayoutSampler
from kiery.engine.log import DealLog, Event
from kiery.engine.match import Match
from kiery.engine.notes import DealNotes, Substitution
from kiery.engine.playout import Chance, playout, playout_of_board, random_position
from kiery.engine.position import Position

__all__ = [
    "SCHEME",
    "Board",
    "BoardError",
    "Chance",
    "Deal",
    "DealJudge",
    "DealLog",
    "DealNotes",
    "Derivation",
    "Event",
    "IllegalPlayError",
    "JudgedDeal",
    "Layout",
    "LayoutSampler",
    "Match",
    "Position",
    "Stream",
    "Substitution",
    "board_from_hands",
    "commitment_of",
    "derive_board",
    "judge_of",
    "key_hash_of",
    "playout",
    "playout_of_board",
    "random_position",
]
