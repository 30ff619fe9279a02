"""A board: the dealt hands and kitty under one label, before anybody has played."""

from collections.abc import Sequence
from dataclasses import dataclass

from kiery.cards import EMPTY, CardMask, count_cards, join_cards
from kiery.errors import KieryError
from kiery.rules import Rules

__all__ = ["Board", "BoardError", "board_from_hands"]


class BoardError(KieryError):
    """Hands that are not what the rules deal."""

    reason = "INVALID_BOARD"


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The cards of one deal."""

    number: int
    """From 1; the pass direction and the dealer follow from it."""
    hands: tuple[CardMask, ...]
    """One mask a seat, all of the same size."""
    kitty: CardMask = EMPTY
    """The undealt cards."""
    label: str = ""
    """What the cards were derived from; empty if they came from elsewhere."""
    key_hash: bytes = b""
    """The hash of the board's key, 32 bytes; empty where it must not be shown or there is none."""


def board_from_hands(rules: Rules, number: int, hands: Sequence[CardMask], kitty: CardMask = EMPTY) -> Board:
    """Returns a board of given cards.

    Raises:
        BoardError: The cards are not the deck of the rules, or not dealt evenly.
    """
    if len(hands) != rules.num_players:
        raise BoardError(f"{len(hands)} hands: expected {rules.num_players}")
    for seat, hand in enumerate(hands):
        if count_cards(hand) != rules.hand_size:
            raise BoardError(f"seat {seat} has {count_cards(hand)} cards: expected {rules.hand_size}")
    together = kitty
    try:
        for hand in hands:
            together = join_cards(together, hand)
    except ValueError as error:
        raise BoardError(f"the hands are no deck: {error}") from None
    if together != rules.deck:
        raise BoardError("the hands and the kitty are not the deck of these rules")
    return Board(number=number, hands=tuple(hands), kitty=kitty)
