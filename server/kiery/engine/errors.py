"""What the engine refuses."""

from kiery.errors import KieryError

__all__ = ["IllegalPlayError"]


class IllegalPlayError(KieryError):
    """An action that the rules do not allow now; the deal is unchanged."""

    reason = "ILLEGAL_PLAY"
