"""CSV: a file a table. No cell can be taken for a formula by a spreadsheet."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Final

from kiery.cli.results.account import Account
from kiery.cli.results.files import folder_at, whole_file
from kiery.cli.results.tables import Plain, Row, deal_rows, fact_rows, match_row, tables
from kiery.store import Store

__all__ = ["safe_text", "write_sheets"]

_FORMULA: Final = "=+-@\t\r\n|%\uff1d\uff0b\uff0d\uff20"
"""What makes a spreadsheet compute a cell, full-width forms included."""


def safe_text(text: str) -> str:
    """Returns a text that a spreadsheet shows as it is: an apostrophe before what could be a formula."""
    return f"'{text}" if text.lstrip()[:1] in _FORMULA and text.strip() else text


class _Sheet:
    """One file of rows; the first row decides the columns, a cell with an entry a seat being several."""

    def __init__(self, file: IO[bytes]) -> None:
        self._text = io.TextIOWrapper(file, "utf-8", newline="", write_through=True)
        self._writer = csv.writer(self._text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        self._columns: list[str] | None = None

    def add(self, row: Mapping[str, Plain], seats: int) -> None:
        flat = dict(_flat(row, seats))
        if self._columns is None:
            self._columns = list(flat)
            self._writer.writerow(self._columns)
        self._writer.writerow([flat[column] for column in self._columns])

    def end(self) -> None:
        self._text.detach()


_BY_SEAT: Final = frozenset(
    "bots points totals tricks queens forfeited faults rejections par scores placements seat_ends".split()
)


def _flat(row: Mapping[str, Plain], seats: int) -> Iterator[tuple[str, str | int | float | None]]:
    for name, value in row.items():
        if name in _BY_SEAT:
            # A cell without a value has as many columns as one with.
            cells: Sequence[Plain] = value if isinstance(value, list) else [None] * seats
            yield from ((f"{name}_seat{seat}", _cell(cell)) for seat, cell in enumerate(cells))
        else:
            yield name, _cell(value)


def _cell(value: Plain) -> str | int | float | None:
    if isinstance(value, bool):
        return int(value)
    return value if isinstance(value, int | float | None) else safe_text(str(value))


def write_sheets(account: Account, store: Store, out: Path) -> list[Path]:
    """Writes all tables into a folder and returns its files.

    Raises:
        InputError: A file cannot be written, or the tournament changed meanwhile.
    """
    folder, seats = folder_at(out), account.rules.num_players
    whole: dict[str, Iterable[Mapping[str, Plain]]] = {
        "tournament": [{"fact": name, "value": value} for name, value in fact_rows(account).items()],
        **tables(account),
    }
    written = []
    for name, rows in whole.items():
        written.append(folder / f"{name}.csv")
        with whole_file(written[-1]) as file:
            sheet = _Sheet(file)
            for row in rows:
                sheet.add(row, seats)
            sheet.end()
    written += _write_matches(account, store, folder, seats)
    return written


def _write_matches(account: Account, store: Store, folder: Path, seats: int) -> list[Path]:
    paths = [folder / "fixtures.csv", folder / "deals.csv"]
    with ExitStack() as stack:
        fixtures, deals = (_Sheet(stack.enter_context(whole_file(path))) for path in paths)
        for fixture, record in account.matches(store):
            row: Row = match_row(account, fixture, record)
            fixtures.add(row, seats)
            for deal in deal_rows(account, fixture, record):
                deals.add(deal, seats)
        fixtures.end()
        deals.end()
    return paths
