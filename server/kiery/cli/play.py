"""`kiery play`: connects a Python bot, named as MODULE:CLASS."""

import importlib
import os
import sys
from pathlib import Path

from kiery.errors import InputError

__all__ = ["play_bot"]


def play_bot(
    target: str, *, address: str | None, token: str | None, ca: Path | None, insecure: bool, tables: int
) -> None:
    """Plays with the bot until it is interrupted.

    Raises:
        InputError: There is no such module or class.
    """
    from kiery_client import run

    run(find_bot(target), address, token, ca=ca, insecure=insecure, max_tables=tables)


def find_bot(target: str) -> object:
    """Returns the class, or the bot, that MODULE:CLASS names; modules of the current folder count.

    Raises:
        InputError: Says what is missing.
    """
    module_name, colon, name = target.partition(":")
    if not colon or not module_name or not name:
        raise InputError(f"{target!a} names no bot: expected MODULE:CLASS, such as mybot:MyBot")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module_name = module_name.removesuffix(".py").replace(os.sep, ".")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name != module_name:
            raise InputError(f"{module_name} needs {error.name}, which is not installed") from None
        raise InputError(
            f"there is no module {module_name}: expected {module_name}.py in this folder"
        ) from None
    bot = getattr(module, name, None)
    if bot is None:
        raise InputError(f"{module_name} has no {name}: expected the name of a class")
    found: object = bot
    return found
