"""Markup as values: text is escaped when it becomes a child or an attribute, and in no other place."""

import html
from collections.abc import Iterable
from typing import Final

__all__ = ["Child", "Markup", "element", "join", "name_of"]


class Markup(str):
    """Text that is markup already: what `element` returned."""

    __slots__ = ()


Child = str | int | float | Markup | None
"""What may stand in an element; none: nothing."""

_EMPTY: Final = frozenset({"br", "circle", "line", "meta", "path", "polyline", "rect"})
"""Elements that are closed in the same tag."""


def element(tag: str, *children: Child, **attributes: str | float | None) -> Markup:
    """Returns an element; it is well-formed XML too.

    Args:
        tag: Its name, made here and not by people.
        children: Markup as it is, everything else as text.
        attributes: By name, `_` for `-`, one at the end being dropped; none: left out.
    """
    words = [tag]
    for name, value in attributes.items():
        if value is not None:
            words.append(f'{name.rstrip("_").replace("_", "-")}="{_escaped(_text(value))}"')
    inside = join(children)
    if tag in _EMPTY:
        return Markup(f"<{' '.join(words)}/>")
    return Markup(f"<{' '.join(words)}>{inside}</{tag}>")


def join(children: Iterable[Child]) -> Markup:
    """Returns children one after the other."""
    return Markup(
        "".join(
            child if isinstance(child, Markup) else _escaped(_text(child))
            for child in children
            if child is not None
        )
    )


def name_of(text: str) -> Markup:
    """Returns a name that people chose, kept apart from the direction of the text around it."""
    return element("bdi", text)


def _text(value: str | float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _escaped(text: str) -> str:
    # XML has no way to write control characters, so they are shown as missing.
    legal = "".join(char if char in "\n\t" or char.isprintable() else "\ufffd" for char in text)
    return html.escape(legal, quote=True)
