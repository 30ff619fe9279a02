"""The address of a store: `sqlite:///FILE`."""

from pathlib import Path
from typing import Final

from kiery.store.errors import StoreUrlError

__all__ = ["DEFAULT_URL", "parse_url"]

DEFAULT_URL: Final = "sqlite:///kiery.sqlite"
"""A file in the current folder."""

_SCHEME: Final = "sqlite:///"
_SHOWN: Final = 80


def parse_url(url: str) -> Path:
    """Returns the file that an address names; relative to the current folder unless it begins with a slash.

    Raises:
        StoreUrlError: The address is of another kind, or names no file.
    """
    # An address may hold a password; only its scheme is shown.
    if not url.startswith(_SCHEME):
        scheme, found, _ = url.partition("://")
        shown = f"{scheme[:_SHOWN]}://…" if found else f"{url[:_SHOWN]}"
        raise StoreUrlError(f"{shown} is no store: expected sqlite:///FILE")
    name = url.removeprefix(_SCHEME)
    if not name or name.startswith(":") or "?" in name or "\0" in name:
        raise StoreUrlError(f"{url[:_SHOWN]!a} names no file: expected sqlite:///FILE")
    return Path(name)
