"""Stores with tournaments that were played through the engine alone."""

from pathlib import Path

from tests.audit.tournaments import Evening
from tests.record.matches import SECRET, START_MS

from kiery.engine import Derivation
from kiery.store import Store, TournamentStatus
from kiery.tournament import digest, spec_to_json

__all__ = ["Evening", "stored"]


def stored(evening: Evening, folder: Path, *, over: bool = True) -> str:
    """Returns the address of a new store in a folder that has the tournament with its records."""
    url = f"sqlite:///{folder / 'evening.sqlite'}"
    spec = evening.spec
    entropy = spec.entropy.encode()
    with Store.open(url) as store:
        store.add_tournament(
            spec.name,
            spec=spec_to_json(spec),
            spec_digest=digest(spec),
            secret=SECRET,
            entropy=entropy,
            commitment=Derivation(SECRET, entropy).commitment,
            created_ms=START_MS,
        )
        store.set_status(spec.name, TournamentStatus.RUNNING, now_ms=START_MS)
        for attempt in evening.attempts.values():
            if attempt.record is not None:
                store.add_record(attempt.record)
        if over:
            store.set_status(spec.name, TournamentStatus.FINISHED, now_ms=START_MS + 1)
    return url
