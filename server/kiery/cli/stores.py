"""Which store a command uses, and how it says so."""

from kiery.cli.console import note
from kiery.store import DEFAULT_URL, Store

__all__ = ["open_store"]


def open_store(url: str | None, *, read_only: bool = False) -> Store:
    """Opens the store that was asked for, or the default one, which is named in the output.

    Raises:
        StoreError: It cannot be opened; says what to do.
    """
    if url is None:
        note(f"store: {DEFAULT_URL}")
    return Store.open(url or DEFAULT_URL, read_only=read_only)
