"""Keeping two entrants of one owner from sharing a table.

Entrants are exchanged between tables until no table has two of one owner, so that everybody keeps the
number of tables; how often pairs meet is kept as even as that allows. Source: docs/fairness.md, "Schedules".
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from kiery.engine import Stream
from kiery.tournament.spec_text import SpecError

__all__ = ["separate"]

_TRIES: Final = 400
"""Exchanges tried for each clash before it is given up."""


def separate(
    tables: Sequence[tuple[int, ...]], owners: Sequence[str], stream: Stream
) -> list[tuple[int, ...]]:
    """Returns tables at which no owner sits twice; everybody sits as often as before.

    Args:
        tables: Who sits at each; numbers from `len(owners)` on are the house's and clash with nobody.
        owners: The owner of each entrant.
        stream: The chance of the exchanges.

    Raises:
        SpecError: An owner has too many entrants for that, or no exchange was found.
    """
    if not tables:
        return []
    size = len(tables[0])
    owner, entries = Counter(owners).most_common(1)[0]
    most = max(1, len(owners) // size)
    if entries > most:
        raise SpecError(
            f"separate_owners: {owner!r} has {entries} of {len(owners)} entrants:"
            f" expected at most {most} at tables of {size}"
        )
    return _Separation(tables, owners, stream).run()


class _Separation:
    """Tables under exchange, and how often each pair meets."""

    def __init__(self, tables: Sequence[tuple[int, ...]], owners: Sequence[str], stream: Stream) -> None:
        self._tables = [list(table) for table in tables]
        self._owners = dict(enumerate(owners))
        self._stream = stream
        self._meetings: Counter[tuple[int, int]] = Counter()
        for table in self._tables:
            for one in table:
                self._meetings.update((one, other) for other in table if other != one)

    def run(self) -> list[tuple[int, ...]]:
        for number, table in enumerate(self._tables):
            while (place := self._clash(table)) is not None:
                self._resolve(number, place)
        return [tuple(table) for table in self._tables]

    def _clash(self, table: Sequence[int]) -> int | None:
        """Returns a place whose owner sits at the table already."""
        seen = set()
        for place, entrant in enumerate(table):
            owner = self._owners.get(entrant)
            if owner is not None and owner in seen:
                return place
            seen.add(owner)
        return None

    def _fits(self, entrant: int, table: Sequence[int], place: int) -> bool:
        """Tells whether an entrant may take a place without a new clash."""
        owner = self._owners.get(entrant)
        return all(
            other != entrant and (owner is None or self._owners.get(other) != owner)
            for index, other in enumerate(table)
            if index != place
        )

    def _resolve(self, number: int, place: int) -> None:
        """Exchanges the entrant at a place for one elsewhere: of those that fit, the least met."""
        table = self._tables[number]
        leaving = table[place]
        best: tuple[int, int, int] | None = None
        found = 0
        for _ in range(_TRIES):
            other_number = self._stream.below(len(self._tables))
            other_place = self._stream.below(len(table))
            other = self._tables[other_number]
            coming = other[other_place]
            if other_number == number or not (
                self._fits(coming, table, place) and self._fits(leaving, other, other_place)
            ):
                continue
            met = sum(self._meetings[coming, mate] for mate in table if mate != leaving)
            met += sum(self._meetings[leaving, mate] for mate in other if mate != coming)
            if best is None or (met, other_number, other_place) < best:
                best = (met, other_number, other_place)
            found += 1
            if found == 20:
                break
        if best is None:
            raise SpecError(
                "separate_owners: no schedule was found that keeps the owners apart:"
                " expected more owners, or fewer entrants of each"
            )
        _, other_number, other_place = best
        other = self._tables[other_number]
        coming = other[other_place]
        self._move(leaving, table, -1)
        self._move(coming, other, -1)
        table[place], other[other_place] = coming, leaving
        self._move(coming, table, 1)
        self._move(leaving, other, 1)

    def _move(self, entrant: int, table: Sequence[int], step: int) -> None:
        for mate in table:
            if mate != entrant:
                self._meetings[entrant, mate] += step
                self._meetings[mate, entrant] += step
