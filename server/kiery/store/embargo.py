"""When the cards of a match may be shown: not while others still play the same boards."""

from kiery.store.errors import RecordHiddenError
from kiery.store.values import StoredTournament
from kiery.tournament import Sharing, spec_from_json

__all__ = ["refuse_hidden"]


def refuse_hidden(tournament: StoredTournament) -> None:
    """Refuses to show cards of a tournament whose matches share boards before its last lap is over.

    With boards of its own a match may be shown as soon as it has ended. Points and standings always may.

    Raises:
        RecordHiddenError: It is so.
    """
    if tournament.status.is_over or spec_from_json(tournament.spec).sharing is not Sharing.LAPS:
        return
    raise RecordHiddenError(
        f"the matches of {tournament.name} are shown when it is over, since others may still play the same"
        f" boards: it is {tournament.status}; its standings are shown at any time",
        tournament=tournament.name,
    )
