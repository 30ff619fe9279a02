"""Entrants: a bot's entry in one tournament, and the house bots that fill empty seats.

What is not here: how a command line becomes a process, and who may use a token (`host`, `access`).
"""

import unicodedata
from collections.abc import Sequence
from enum import Enum
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from kiery.policy import POLICIES, SUBSTITUTE

__all__ = ["DisplayText", "Entrant", "EntrantKind", "house_entrants", "name_key", "refuse"]

MAX_NAME: Final = 64
"""Characters of a name, owner or version."""

_HOUSE_PREFIX: Final = "house-"

# Letters and marks that show nothing, so that two names with and without one look the same:
# Hangul fillers, the braille blank, the grapheme joiner, Khmer inherent vowels, variation selectors.
_INVISIBLE: Final = frozenset(
    "\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5"
    + "".join(map(chr, range(0xFE00, 0xFE10)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
# Control and format characters (bidi overrides, zero width), surrogates, private use, unassigned,
# line and paragraph separators.
_REFUSED_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def refuse(message: str) -> PydanticCustomError:
    """Returns the error that makes pydantic say exactly `message` about the field at hand."""
    return PydanticCustomError("kiery", "{message}", {"message": message})


def _displayable(text: str) -> str:
    """Refuses text that cannot be shown to people beside other text without deceiving them."""
    for character in text:
        if character in _INVISIBLE or unicodedata.category(character) in _REFUSED_CATEGORIES:
            raise refuse(
                f"has the character U+{ord(character):04X}: expected no control, direction or invisible ones"
            )
    if text != text.strip():
        raise refuse("begins or ends with a space: expected none there")
    return text


DisplayText = Annotated[str, Field(max_length=MAX_NAME), AfterValidator(_displayable)]
"""Text that people are shown: at most 64 characters, none of them control, direction or invisible."""


def name_key(name: str) -> str:
    """Returns what two names share that people would confuse: compatibility forms and case are folded."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


class EntrantKind(Enum):
    """Where an entrant runs."""

    REMOTE = "remote"
    """It dials in from elsewhere with a token."""
    LAUNCHED = "launched"
    """The server starts and stops its process."""
    BUILTIN = "builtin"
    """A policy of the house."""


class Entrant(BaseModel):
    """One entry. With neither `builtin` nor `command` the bot is remote."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    name: Annotated[DisplayText, Field(min_length=1)]
    """How it is called; unlike every other name in the tournament, case and look-alike forms folded."""
    owner: DisplayText = ""
    """Who entered it; may be empty."""
    version: DisplayText = ""
    """Its version as the organiser states it; may be empty."""
    builtin: str | None = None
    """The built-in policy that plays for it, such as `cautious`."""
    command: Annotated[str, Field(min_length=1, max_length=4096)] | None = None
    """The command line that starts it. The only part of a spec that its digest leaves out."""
    capacity: Annotated[int, Field(strict=True, ge=1, le=10_000)] | None = None
    """Tables that it may hold at a time; none: what the bot itself says."""

    @model_validator(mode="after")
    def _check(self) -> "Entrant":
        if self.builtin is not None and self.command is not None:
            raise refuse("has both builtin and command: expected one of them, or neither for a remote bot")
        if self.builtin is not None and self.builtin not in POLICIES:
            raise refuse(
                f"no built-in bot is called {self.builtin[:32]!a}: expected one of {', '.join(POLICIES)}"
            )
        if self.command is not None and (not self.command.strip() or "\0" in self.command):
            raise refuse("the command is blank or holds a zero byte: expected a command line")
        return self

    @property
    def kind(self) -> EntrantKind:
        """Where it runs."""
        if self.builtin is not None:
            return EntrantKind.BUILTIN
        return EntrantKind.REMOTE if self.command is None else EntrantKind.LAUNCHED


def house_entrants(count: int) -> tuple[Entrant, ...]:
    """Returns the bots `house-1` … that fill empty seats; they are never ranked."""
    return tuple(
        Entrant(
            name=f"{_HOUSE_PREFIX}{number}",
            owner="house",
            version=str(SUBSTITUTE.version),
            builtin=SUBSTITUTE.name,
        )
        for number in range(1, count + 1)
    )


def check_names(entrants: Sequence[Entrant]) -> None:
    """Refuses names that are equal, look equal, or are kept for house bots.

    Raises:
        PydanticCustomError: Says which entrants.
    """
    seen: dict[str, str] = {}
    for entrant in entrants:
        key = name_key(entrant.name)
        if key.startswith(_HOUSE_PREFIX):
            raise refuse(
                f"{entrant.name!r} begins with {_HOUSE_PREFIX!r}: choose a name that is not the house's"
            )
        if key in seen:
            raise refuse(
                f"two entrants are called {seen[key]!r} and {entrant.name!r}: expected names that differ"
                " in more than case and form"
            )
        seen[key] = entrant.name
