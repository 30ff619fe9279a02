"""What a token is for. The numbers are those of the schema (`proto/kiery/v1/access.proto`)."""

from enum import IntEnum

__all__ = ["Role"]


class Role(IntEnum):
    """A token has one role."""

    BOT = 1
    """Plays, and reads replays."""
    ORGANISER = 2
    """Runs tournaments, gives out tokens, watches, and reads replays."""
    SPECTATOR = 3
    """Watches, and reads replays."""

    @property
    def word(self) -> str:
        """The role as people write it, and as it stands in the store."""
        return self.name.lower()
