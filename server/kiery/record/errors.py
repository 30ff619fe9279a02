"""What can be wrong with a record or a transcript, and where."""

from collections.abc import Sequence

from kiery.errors import InputError, KieryError

__all__ = ["DisagreementError", "MalformedRecordError", "RecordError"]


class RecordError(KieryError):
    """Something is wrong with a record; names the first place where it shows."""

    reason = "INVALID_RECORD"

    def __init__(
        self, what: str, /, *, deal: int | None = None, trick: int | None = None, seat: int | None = None
    ) -> None:
        """Keeps the place beside the text.

        Args:
            what: What was found and what was expected, without the place.
            deal: The deal, from 1; none: the match as a whole.
            trick: The trick, from 1; none: not a matter of one trick.
            seat: The seat; none: not a matter of one seat.
        """
        place = {"deal": deal, "trick": trick, "seat": seat}
        known = {name: str(number) for name, number in place.items() if number is not None}
        where = ", ".join(f"{name} {number}" for name, number in known.items())
        super().__init__(f"{where}: {what}" if where else what, **known)
        self.what = what
        """The text without the place."""
        self.deal = deal
        """The deal, from 1."""
        self.trick = trick
        """The trick, from 1."""
        self.seat = seat
        """The seat."""


class DisagreementError(RecordError):
    """The rules, the cards or the hash chain say otherwise than a readable record: a finding."""

    reason = "RECORD_DISAGREES"


class MalformedRecordError(RecordError, InputError):
    """A record that cannot be read at all: cut off, corrupt, or of a form that is not known."""

    reason = "MALFORMED_RECORD"


def first_difference(found: Sequence[int], expected: Sequence[int]) -> int | None:
    """Returns the index of the first entry that differs or is missing, none if the two are equal."""
    if len(found) != len(expected):
        return min(len(found), len(expected))
    return next(
        (index for index, pair in enumerate(zip(found, expected, strict=True)) if pair[0] != pair[1]), None
    )
