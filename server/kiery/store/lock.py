"""One process writes to a store: a lock on a file beside it, held until the process ends or lets go.

The lock is the operating system's (`flock`), so a crash cannot leave it behind. The file stays; it
holds the number of the process that has, or last had, the lock.
"""

import fcntl
import os
from pathlib import Path

from kiery.store.errors import StoreInUseError

__all__ = ["WriterLock"]


class WriterLock:
    """The right to write to one store."""

    def __init__(self, store: Path) -> None:
        """Takes the lock.

        Raises:
            StoreInUseError: Another process has it, or this one already.
            OSError: The lock file cannot be made.
        """
        path = store.with_name(f"{store.name}.lock")
        self._descriptor: int | None = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(self._descriptor, 20).decode("ascii", "replace").strip()
            self.release()
            raise StoreInUseError(
                f"{store} is in use by another kiery process{f' ({owner})' if owner else ''}:"
                " stop it, or name another file with --store"
            ) from None
        os.ftruncate(self._descriptor, 0)
        os.write(self._descriptor, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Lets go of the lock; again does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
