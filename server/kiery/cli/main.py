"""`kiery`: the map of all commands, and how errors become one line and an exit status.

Exit status: 0 done, 1 a finding (a record that does not verify), 2 wrong usage or input.
"""

import sys
from typing import Final, NoReturn

from kiery.errors import KieryError

__all__ = ["main"]

_USAGE: Final = 2
_INTERRUPTED: Final = 130


def main() -> None:
    """Runs the command line; ends the process with its status."""
    try:
        from kiery.cli.commands import app
    except ModuleNotFoundError as error:
        if error.name not in {"typer", "rich"}:
            raise
        _fail(f"{error.name} is not installed: install the command line with pip install 'kiery[all]'")
    try:
        app()
    except KieryError as error:
        _fail(str(error))
    except ModuleNotFoundError as error:
        if (error.name or "").startswith(("kiery", "__main__")):
            raise
        _fail(f"{error.name} is not installed: install the server with pip install 'kiery[all]'")
    except KeyboardInterrupt:
        sys.stderr.write("kiery: interrupted\n")
        raise SystemExit(_INTERRUPTED) from None


def _fail(message: str) -> NoReturn:
    # One line, whatever the input held: names and paths are shown, never interpreted by the terminal.
    line = "".join(char if char.isprintable() else " " for char in message)
    sys.stderr.write(f"kiery: {line}\n")
    raise SystemExit(_USAGE)
