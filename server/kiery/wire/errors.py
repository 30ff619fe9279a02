"""What a message cannot say."""

from kiery.errors import KieryError

__all__ = ["WireError"]


class WireError(KieryError):
    """A message that was decoded but means nothing here: a value out of range, a part that is missing."""

    reason = "INVALID_MESSAGE"
