"""What people see: plain lines, tables, JSON. Text from bots and files is printed, never interpreted."""

import json
import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

__all__ = ["clean", "console", "make_table", "note", "print_json", "print_table", "say"]

_PIPE_WIDTH = 140


@lru_cache(maxsize=1)
def console() -> Console:
    """Returns the console of standard output; plain and wide enough when it is not a terminal."""
    width = None if sys.stdout.isatty() else _PIPE_WIDTH
    return Console(highlight=False, width=width)


def clean(text: str) -> str:
    """Returns a text without anything that a terminal would obey."""
    return "".join(char if char.isprintable() else "?" for char in text)


def say(text: str) -> None:
    """Prints a line."""
    console().print(Text(clean(text)), soft_wrap=True)


def note(text: str) -> None:
    """Prints a line beside the output proper, on standard error."""
    sys.stderr.write(clean(text) + "\n")


def print_json(value: Any) -> None:  # noqa: ANN401  (anything that JSON can hold)
    """Prints a value as JSON; what a terminal would obey is escaped, in texts and in names."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    sys.stdout.write("".join(map(_escaped, text)) + "\n")


def _escaped(char: str) -> str:
    return char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1]


def make_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Table:
    """Returns a table; columns whose cells are numbers are set to the right."""
    table = Table(title=Text(title) if title else None, box=SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for index, name in enumerate(columns):
        numeric = bool(rows) and all(_is_number(row[index]) for row in rows)
        table.add_column(name, justify="right" if numeric else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(clean(str(cell))) for cell in row))
    return table


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float) or (isinstance(cell, str) and cell[:1] in "+-0123456789")


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Prints a table, or says that it is empty."""
    if rows:
        console().print(make_table(title, columns, rows))
    else:
        say(f"no {title or 'rows'}")
