"""Where exports go: names made here, files that appear whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from kiery.errors import InputError

__all__ = ["folder_at", "whole_file"]


def folder_at(out: Path) -> Path:
    """Returns the folder, made now if there is none.

    Raises:
        InputError: It cannot be made, or is a file.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot use the folder {out}: {error.strerror}") from None
    return out


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Opens a file that takes the place of `path` once the block ends well; until then `path` is untouched.

    Raises:
        InputError: It cannot be written.
    """
    try:
        handle, name = tempfile.mkstemp(prefix=".kiery-", suffix=".part", dir=path.parent)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        # What mkstemp makes is for its owner alone; an export is for everybody that the umask lets in.
        mask = os.umask(0)
        os.umask(mask)
        part.chmod(0o666 & ~mask)
        part.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)
