"""Where a bot's plain methods run: on the event loop while they are quick, else in threads.

A thread and back costs some 30 to 60 µs, more than all else that the kit does for a decision; a slow method
on the loop delays every other table. So trust is earned: see docs/decisions/0009.
"""

from typing import Final

__all__ = ["Pace"]

_QUICK_S: Final = 0.001
_SLOW_S: Final = 0.005
_FIRST_TRIAL: Final = 64
_LONGEST_TRIAL: Final = 4_096
_WEIGHT: Final = 1 / 16


class Pace:
    """Whether one method has been quick enough, lately, to run on the loop."""

    __slots__ = ("_average_s", "_streak", "_trial", "inline")

    def __init__(self, trial: int = _FIRST_TRIAL) -> None:
        """Starts without trust, since a first call often loads something; so many quick calls earn it."""
        self.inline = False
        """Whether it runs on the loop."""
        self._streak = 0
        self._trial = trial
        self._average_s = 0.0

    def note(self, seconds: float) -> None:
        """Takes in how long a call took.

        After 64 calls in a row of less than 1 ms (or as many as was said) the method is trusted. One call of
        more than 5 ms, or a moving average of more than 1 ms, ends that. After a call of more than 5 ms the
        next trial is twice as long, up to 4,096, so a method that is slow now and then delays other tables
        ever more rarely.
        """
        if not self.inline:
            self._streak = self._streak + 1 if seconds < _QUICK_S else 0
            if self._streak >= self._trial:
                self.inline = True
                self._average_s = 0.0
            return
        self._average_s += (seconds - self._average_s) * _WEIGHT
        if seconds > _SLOW_S:
            self._trial = min(2 * self._trial, _LONGEST_TRIAL)
        if seconds > _SLOW_S or self._average_s > _QUICK_S:
            self.inline = False
            self._streak = 0
