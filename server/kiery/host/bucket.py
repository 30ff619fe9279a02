"""A token bucket: a rate with a burst of twice as much."""

from typing import Final

__all__ = ["Bucket"]

_NS: Final = 1_000_000_000


class Bucket:
    """Tokens that grow back with time."""

    __slots__ = ("_at", "_per_second", "_tokens", "_told")

    def __init__(self, per_second: int, now: int) -> None:
        """Starts full: twice the rate."""
        self._per_second = per_second
        self._tokens = float(2 * per_second)
        self._at = now
        self._told = False

    def take(self, now: int) -> bool:
        """Takes a token; false if there is none."""
        self._tokens = min(2.0 * self._per_second, self._tokens + (now - self._at) * self._per_second / _NS)
        self._at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        self._told = False
        return True

    def overdrawn_once(self) -> bool:
        """Tells whether this is the first refusal since a token was last taken."""
        told, self._told = self._told, True
        return not told
