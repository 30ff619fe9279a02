"""Cards and seats as bytes, checked for range."""

from kiery.cards import CardMask, mask_of
from kiery.wire.errors import WireError

__all__ = ["mask_from_bytes", "ranged_seat", "seats_from_bytes"]


def mask_from_bytes(numbers: bytes) -> CardMask:
    """Returns the multiset of card numbers, one a byte, in any order.

    Raises:
        WireError: A byte names no card, or a card comes a third time.
    """
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
