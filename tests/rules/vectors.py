"""Reads the rule vectors; another folder of the same files may be named by `KIERY_VECTORS`."""

import json
import os
from pathlib import Path
from typing import Any

OWN_FOLDER = Path(__file__).parents[1] / "vectors"


def folder() -> Path:
    """Returns the folder of the vectors that are run."""
    named = os.environ.get("KIERY_VECTORS")
    return Path(named) if named else OWN_FOLDER


def read_text(name: str) -> str:
    """Returns the text of a vector file.

    Raises:
        FileNotFoundError: The folder has no such file; says which folder and where it was named.
    """
    path = folder() / name
    if not path.is_file():
        raise FileNotFoundError(
            f"no {name} in {folder()}: KIERY_VECTORS must name a folder with the files of tests/vectors"
        )
    return path.read_text(encoding="utf-8")


def cases(name: str) -> list[dict[str, Any]]:
    """Returns the cases of one of the `.json` files."""
    found: list[dict[str, Any]] = json.loads(read_text(name))
    return found


def matches() -> list[dict[str, Any]]:
    """Returns the whole matches."""
    return [json.loads(line) for line in read_text("matches.jsonl").splitlines()]
