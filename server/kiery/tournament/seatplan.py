"""The seat plan: who sits where in the fixtures of a set.

A set is the n fixtures of the same n entrants in which everybody holds every seat once (a Latin
square). Passing makes neighbours matter, so sets in a row also balance who sits to whose left.
Source: docs/fairness.md, "Seats".
"""

from collections.abc import Sequence
from typing import Final

from kiery.engine import Stream

__all__ = ["SIX_ORDERS", "default_set_count", "neighbour_cycle", "seat_plan"]

Arrangement = tuple[int, ...]
"""Who holds each seat: a place at the table, 0 to n - 1, by seat."""

_WILLIAMS: Final[tuple[Arrangement, ...]] = ((0, 1, 3, 2), (1, 2, 0, 3), (2, 3, 1, 0), (3, 0, 2, 1))
_RELABELLINGS: Final[tuple[Arrangement, ...]] = ((0, 1, 2, 3), (0, 2, 1, 3), (0, 1, 3, 2))

# With a prime number of seats the circles x -> a·x are each other's neighbours' complement.
_PRIMES: Final = frozenset({3, 5, 7, 11})

# Ten circles of six in which every ordered pair is a neighbour twice. Six places have no five such
# circles with every pair once (Tillson), so these were found by search.
SIX_ORDERS: Final[tuple[Arrangement, ...]] = (
    (0, 1, 3, 4, 2, 5),
    (0, 1, 4, 5, 3, 2),
    (0, 2, 1, 4, 5, 3),
    (0, 2, 3, 1, 5, 4),
    (0, 3, 5, 1, 2, 4),
    (0, 3, 5, 2, 4, 1),
    (0, 4, 2, 5, 1, 3),
    (0, 4, 3, 2, 1, 5),
    (0, 5, 2, 3, 4, 1),
    (0, 5, 4, 3, 1, 2),
)


def neighbour_cycle(seats: int) -> int | None:
    """Returns after how many sets every ordered pair was neighbours equally often; none: by chance only."""
    if seats == 4:
        return len(_RELABELLINGS)
    if seats == 6:
        return len(SIX_ORDERS)
    return seats - 1 if seats in _PRIMES else None


def default_set_count(seats: int) -> int:
    """Returns the sets of a table's default length: what balances neighbours, else 3."""
    return seats - 1 if seats in _PRIMES else 3


def seat_plan(players: Sequence[int], set_count: int, stream: Stream) -> list[list[Arrangement]]:
    """Returns the arrangements of a table's sets.

    The players take the places of the plan by chance, and again at the start of each cycle of sets.

    Args:
        players: Who sits at the table, one number a seat.
        set_count: How many sets.
        stream: The chance of this table.

    Returns:
        For each set its n arrangements, in each of which the players stand by seat.
    """
    seats = len(players)
    cycle = neighbour_cycle(seats)
    places = list(players)
    plan = []
    for number in range(set_count):
        step = number % cycle if cycle else 0
        if not step:
            stream.shuffle(places)
        plan.append([tuple(places[place] for place in row) for row in _square(seats, step)])
    return plan


def _square(seats: int, step: int) -> Sequence[Arrangement]:
    """Returns a Latin square of places: the step-th of the cycle of this number of seats."""
    if seats == 4:
        labels = _RELABELLINGS[step]
        return [tuple(labels[place] for place in row) for row in _WILLIAMS]
    if seats == 6:
        circle: Sequence[int] = SIX_ORDERS[step]
    elif seats in _PRIMES:
        circle = [(step + 1) * place % seats for place in range(seats)]
    else:
        # The places were just shuffled: a fresh circle by chance.
        circle = range(seats)
    return [tuple(circle[(seat + turn) % seats] for seat in range(seats)) for turn in range(seats)]
