"""How long to wait before the next try to connect. Knows no clock; chance comes in as an argument."""

from random import Random
from typing import Final

__all__ = ["Backoff"]

_FIRST_S: Final = 0.1
_EARLY_CAP_S: Final = 2.0
"""For the first minute. The grace bank of a match is 20 s, so a server that is back must be found soon."""
_LATE_CAP_S: Final = 30.0
_EARLY_S: Final = 60.0


class Backoff:
    """Growing pauses with full jitter: uniform from zero to a bound that doubles from 0.1 s.

    The bound stops at 2 s in the first minute of an outage, later at 30 s. Without jitter all bots of
    a server that comes back would dial in at the same moment.
    """

    def __init__(self, chance: Random) -> None:
        """Starts without a failure; `chance` spreads the pauses."""
        self._chance = chance
        self._failures = 0

    @property
    def failures(self) -> int:
        """Tries that failed since the last success."""
        return self._failures

    def succeeded(self) -> None:
        """Starts again with the shortest pause."""
        self._failures = 0

    def pause_s(self, outage_s: float) -> float:
        """Returns the next pause in seconds.

        Args:
            outage_s: How long the server has been away so far, seconds.
        """
        cap = _EARLY_CAP_S if outage_s < _EARLY_S else _LATE_CAP_S
        bound = min(cap, _FIRST_S * 2 ** min(self._failures, 16))
        self._failures += 1
        return self._chance.uniform(0.0, bound)
