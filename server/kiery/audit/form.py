"""Lines of published data: one JSON object each, in exactly one way of writing it.

The canonical text is ASCII, without blanks, keys sorted, and ends in a line feed. A line that says the
same in another way is refused: then every byte of a file is one that the audit has compared.
"""

import json
from collections.abc import Callable
from typing import Any, Final, TypeVar

from kiery.errors import InputError

__all__ = [
    "FORM",
    "MAX_LINE_BYTES",
    "FormError",
    "fields",
    "items",
    "line_of",
    "name",
    "number",
    "text",
    "value_of",
]

Plain = Any
"""A value as `json.loads` returns it."""

FORM: Final = "kiery-published-1"
"""The name of the form, in the first line."""

MAX_LINE_BYTES: Final = 64 << 20
"""Bound of one line."""

_MAX_NUMBER: Final = 1 << 62
_SHOWN: Final = 60

_T = TypeVar("_T")


class FormError(InputError):
    """Published data that cannot be read; says what stands where something else was expected."""

    reason = "MALFORMED_PUBLICATION"


def line_of(value: Plain) -> bytes:
    """Returns the canonical line of a value."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("ascii") + b"\n"


def value_of(line: bytes) -> Plain:
    """Returns the value of a line.

    Raises:
        FormError: It is no JSON, or not its canonical text.
    """
    if len(line) > MAX_LINE_BYTES:
        raise FormError(f"the line is longer than {MAX_LINE_BYTES} bytes")
    try:
        value = json.loads(line)
        canonical = line_of(value)
    except (ValueError, RecursionError):
        raise FormError("the line is no JSON object") from None
    if canonical != line:
        raise FormError(
            "the line is not in the canonical form: keys sorted, no blanks, a line feed at its end"
        )
    return value


def _refuse(expected: str, found: Plain) -> FormError:
    shown = ascii(found) if isinstance(found, str | float | bool | None) else f"a {type(found).__name__}"
    return FormError(f"expected {expected}, found {shown[:_SHOWN]}")


def fields(value: Plain, *names: str) -> tuple[Plain, ...]:
    """Returns the fields of an object that has exactly these, in this order.

    Raises:
        FormError: It is no object, or has others.
    """
    if not isinstance(value, dict):
        raise _refuse("an object", value)
    if value.keys() != set(names):
        odd = min(value.keys() ^ set(names))
        raise FormError(f"the field {odd[:_SHOWN]!a} is {'unknown' if odd in value else 'missing'}")
    return tuple(value[name] for name in names)


def number(value: Plain) -> int:
    """Returns a whole number.

    Raises:
        FormError: It is none, or a huge one.
    """
    if type(value) is not int or abs(value) > _MAX_NUMBER:
        raise _refuse("a whole number", value)
    return value


def text(value: Plain) -> str:
    """Returns a text.

    Raises:
        FormError: It is none, or cannot be written as UTF-8.
    """
    if not isinstance(value, str):
        raise _refuse("a text", value)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _refuse("a text", value) from None
    return value


def items(value: Plain, read: Callable[[Plain], _T]) -> tuple[_T, ...]:
    """Returns the entries of a list.

    Raises:
        FormError: It is none, or an entry cannot be read.
    """
    if not isinstance(value, list):
        raise _refuse("a list", value)
    return tuple([read(item) for item in value])


def name(value: Plain, known: dict[str, _T]) -> _T:
    """Returns what one of some names means.

    Raises:
        FormError: It is none of them.
    """
    if not isinstance(value, str) or value not in known:
        raise _refuse(f"one of {', '.join(known)}", value)
    return known[value]
