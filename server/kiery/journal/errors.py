"""What can be wrong with a journal: the disk, or what stands on it."""

from kiery.errors import InputError

__all__ = ["DamagedJournalError", "JournalError"]


class JournalError(InputError):
    """The journal cannot be read or written; says why. Nothing half-written is ever taken for valid."""

    reason = "JOURNAL"


class DamagedJournalError(JournalError):
    """Bytes of a journal are not what was written; metadata `position` is where, in bytes of its file."""

    reason = "JOURNAL_DAMAGED"
