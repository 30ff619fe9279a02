"""The matches and tables that the bench plays: `hearts` for four, boards from a fixed secret."""

from typing import Final

from kiery.engine import Board, Derivation, Match, derive_board
from kiery.record import MatchHeader, RecordEntrant
from kiery.rules import MatchLength, Rules, preset
from kiery.table import Table
from kiery.terms import FaultPolicy, TimeControl

__all__ = ["PLAYERS", "UNHURRIED", "header_of", "new_match", "new_table"]

PLAYERS: Final = 4
UNHURRIED: Final = TimeControl(decision_ms=3_600_000, ceiling_ms=7_200_000, ready_ms=3_600_000)
"""Clocks that run and never run out, however long the bench stops the bots."""

_RULES: Final[Rules] = preset("hearts", PLAYERS)
_DERIVATION: Final = Derivation(bytes(32))
_NAMES: Final = tuple(f"bot-{seat}" for seat in range(PLAYERS))


def new_match(number: int, *, deals: int) -> Match:
    """Returns a match that has not begun; the same number, the same boards."""

    def board_of(deal: int) -> Board:
        label = f"bench/f{number}/{deal}"
        return derive_board(_RULES, deal, label, _DERIVATION.key(label))

    return Match(_RULES, MatchLength(deal_limit=deals), board_of)


def new_table(match: Match, match_id: str) -> Table:
    """Returns a table for a match, with clocks that run and never run out."""
    return Table(
        match,
        match_id=match_id,
        names=_NAMES,
        time_control=UNHURRIED,
        fault_policy=FaultPolicy(),
        tournament_id="bench",
        commitment=_DERIVATION.commitment,
    )


def header_of(number: int, *, deals: int) -> MatchHeader:
    """Returns the header of the record of a match."""
    return MatchHeader(
        match_id=f"m{number}",
        tournament="bench",
        fixture=number,
        commitment=_DERIVATION.commitment,
        rules=_RULES,
        deal_limit=deals,
        entrants=tuple(RecordEntrant(name=name, version="1") for name in _NAMES),
        engine="kiery/bench",
        time_control=UNHURRIED,
        fault_policy=FaultPolicy(),
    )
