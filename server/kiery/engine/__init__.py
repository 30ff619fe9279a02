"""The truth: deals and matches as state machines, and where the cards come from.

Everything here is synchronous and deterministic. Who is connected, what time it is and what a
missing answer costs is `table`'s affair.
"""

from kiery.engine.board import Board, BoardError, board_from_hands
from kiery.engine.deal import Deal, IllegalPlayError
from kiery.engine.derivation import (
    SCHEME,
    Derivation,
    Stream,
    commitment_of,
    derive_board,
    key_hash_of,
)
from kiery.engine.judge import DealJudge, JudgedDeal, judge_of
from kiery.engine.log import DealLog, Event
from kiery.engine.match import Match
from kiery.engine.notes import DealNotes, Substitution

__all__ = [
    "SCHEME",
    "Board",
    "BoardError",
    "Deal",
    "DealJudge",
    "DealLog",
    "DealNotes",
    "Derivation",
    "Event",
    "IllegalPlayError",
    "JudgedDeal",
    "Match",
    "Stream",
    "Substitution",
    "board_from_hands",
    "commitment_of",
    "derive_board",
    "judge_of",
    "key_hash_of",
]
