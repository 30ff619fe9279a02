"""Cards and seats as bytes, checked for range."""

from collections.abc import Sequence
from typing import Final

from kiery.cards import CARDS, EMPTY, PACK, CardMask, mask_of
from kiery.rules import NOBODY
from kiery.wire.errors import WireError

__all__ = [
    "check_plays",
    "check_winners",
    "mask_from_bytes",
    "one_each",
    "ranged_seat",
    "seats_from_bytes",
]

_HIGHEST: Final = len(CARDS)


def mask_from_bytes(numbers: bytes) -> CardMask:
    """Returns the multiset of card numbers, one a byte, in any order.

    Raises:
        WireError: A byte names no card, or a card comes a third time.
    """
    # The hot path: a legal set, each card once.
    mask = EMPTY
    for number in numbers:
        mask |= 1 << number
    if mask & ~PACK == 0 and mask.bit_count() == len(numbers):
        return mask
    try:
        return mask_of(numbers)
    except ValueError as error:
        raise WireError(f"cards: {error}") from None


def ranged_seat(seat: int, players: int) -> int:
    """Returns a seat that exists.

    Raises:
        WireError: There is no such seat.
    """
    if seat >= players:
        raise WireError(f"seat {seat} does not exist: expected 0 to {players - 1}")
    return seat


def seats_from_bytes(numbers: bytes, players: int) -> tuple[int, ...]:
    """Returns the seats in some bytes, each checked."""
    return tuple(ranged_seat(number, players) for number in numbers)


def check_plays(seats: bytes, cards: bytes, players: int) -> None:
    """Checks that plays are pairs of a seat and a card that exist. Once for each update, so no loop.

    Raises:
        WireError: They are not.
    """
    if len(seats) != len(cards):
        raise WireError(f"{len(seats)} seats played {len(cards)} cards: expected as many of both")
    if cards:
        if max(seats) >= players:
            ranged_seat(max(seats), players)
        # A byte of zero is the only one below 1.
        if 0 in cards or max(cards) > _HIGHEST:
            raise WireError("plays: a byte names no card: expected 1 (2C) to 52 (AH)")


def check_winners(winners: bytes, players: int) -> None:
    """Checks that tricks were taken by seats that exist, or by nobody.

    Raises:
        WireError: They were not.
    """
    for winner in winners:
        if winner != NOBODY:
            ranged_seat(winner, players)


def one_each(numbers: Sequence[int], players: int, field: str) -> tuple[int, ...]:
    """Returns numbers of which every seat has one.

    Raises:
        WireError: There are more or fewer.
    """
    if len(numbers) != players:
        raise WireError(f"{field}: {len(numbers)} numbers for {players} seats")
    return tuple(numbers)
