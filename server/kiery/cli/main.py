"""`kiery`: the map of all commands, and how errors become one line and an exit status.

Exit status: 0 done, 1 a finding (a record that does not verify), 2 wrong usage or input.
"""

import os
import sys
from typing import Final, NoReturn

from kiery.errors import KieryError

__all__ = ["main"]

_USAGE: Final = 2
_INTERRUPTED: Final = 130


def main() -> None:
    """Runs the command line; ends the process with its status."""
    # What gRPC itself has to say is said by us, in one line; it reads this when it is loaded.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        import typer

        from kiery.cli.commands import app
    except ModuleNotFoundError as error:
        if error.name not in {"typer", "rich"}:
            raise
        _fail(f"{error.name} is not installed: install the command line with pip install 'kiery[all]'")
    # The class above that of a bad value: whatever is wrong with the words on a command line.
    usage_error: type[Exception] = typer.BadParameter.__mro__[1]
    try:
        status = app(prog_name="kiery", standalone_mode=False)
    except usage_error as error:
        _fail(_usage(error))
    except KieryError as error:
        _fail(str(error))
    except ModuleNotFoundError as error:
        if (error.name or "").startswith(("kiery", "__main__")):
            raise
        _fail(f"{error.name} is not installed: install the server with pip install 'kiery[all]'")
    except KeyboardInterrupt:
        status = _INTERRUPTED
    if status == _INTERRUPTED:
        sys.stderr.write("kiery: interrupted\n")
    raise SystemExit(status)


def _usage(error: Exception) -> str:
    """Returns what is wrong with the words of a command line, and where help is."""
    words = getattr(error, "format_message", error.__str__)()
    if not words:
        # A command that needs words had none: its help has been printed.
        raise SystemExit(_USAGE)
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", None) or "kiery"
    return f"{words.rstrip('.')}; see {command} --help"


def _fail(message: str) -> NoReturn:
    # One line, whatever the input held: names and paths are shown, never interpreted by the terminal.
    line = "".join(char if char.isprintable() else " " for char in message)
    sys.stderr.write(f"kiery: {line}\n")
    raise SystemExit(_USAGE)
