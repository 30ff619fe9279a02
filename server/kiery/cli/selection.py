"""Which records a command means: TOURNAMENT, TOURNAMENT/FIXTURE or TOURNAMENT/FIXTURE.ATTEMPT."""

from collections.abc import Iterator, Sequence

from kiery.errors import InputError
from kiery.store import AttemptStatus, Store, StoredAttempt

__all__ = ["select_attempts", "select_one"]


def select_attempts(store: Store, names: Sequence[str]) -> Iterator[StoredAttempt]:
    """Yields the recorded attempts that are meant: the valid ones, or any that is named whole.

    Raises:
        InputError: A name is malformed or nothing has it.
    """
    if not names:
        yield from (attempt for attempt in store.attempts() if _counts(attempt))
        return
    for name in names:
        tournament, fixture, attempt_number = _parse(name)
        found = [
            attempt
            for attempt in store.attempts(tournament)
            if fixture in {None, attempt.key.fixture}
            and (attempt.key.attempt == attempt_number if attempt_number else _counts(attempt))
            and attempt.record_size
        ]
        if not found and fixture is not None:
            raise InputError(f"{store.path} has no record {name[:100]}")
        yield from found


def select_one(store: Store, name: str) -> StoredAttempt:
    """Returns the one attempt that is meant.

    Raises:
        InputError: The name means a whole tournament, is malformed, or nothing has it.
    """
    if "/" not in name:
        raise InputError(f"{name[:100]!a} names no match: expected TOURNAMENT/FIXTURE, such as demo/0")
    return next(select_attempts(store, [name]))


def _counts(attempt: StoredAttempt) -> bool:
    return attempt.status is AttemptStatus.VALID


def _parse(name: str) -> tuple[str, int | None, int | None]:
    tournament, slash, rest = name.partition("/")
    if not slash:
        return tournament, None, None
    fixture, dot, attempt = rest.partition(".")
    if not fixture.isdigit() or (dot and not attempt.isdigit()):
        raise InputError(
            f"{name[:100]!a} names no match: expected TOURNAMENT/FIXTURE or TOURNAMENT/FIXTURE.ATTEMPT"
        )
    return tournament, int(fixture), int(attempt) if dot else None
