"""The base class of every error that kiery raises on purpose.

A `KieryError` says what was wrong, what was expected, and carries a machine-readable reason:
callers branch on `reason` and `metadata`, never on the text.
"""

from collections.abc import Mapping
from typing import ClassVar

__all__ = ["InputError", "KieryError"]


class KieryError(Exception):
    """Something that the caller can name: a wrong request, a broken record, an impossible table."""

    reason: ClassVar[str] = "KIERY_ERROR"
    """Upper snake case; stable across versions, one for each class."""

    def __init__(self, message: str, /, **metadata: str) -> None:
        """Keeps the text for people and the named facts for programs."""
        super().__init__(message)
        self.metadata: Mapping[str, str] = metadata


class InputError(KieryError):
    """A person's input that cannot be used: an argument, a file, a name."""

    reason = "INVALID_INPUT"
