"""Seats at a table, numbered clockwise from 0; the seat to the left of s is s + 1."""

__all__ = ["Seat", "left_of", "seat_at"]

Seat = int
"""A seat's number, 0 … players - 1."""


def left_of(seat: Seat, players: int) -> Seat:
    """Returns the seat to the left, the next one clockwise."""
    return seat_at(seat, 1, players)


def seat_at(seat: Seat, offset: int, players: int) -> Seat:
    """Returns the seat an offset further clockwise: 1 is left, -1 right, players / 2 across."""
    return (seat + offset) % players
