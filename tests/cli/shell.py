"""`kiery` as people call it: within this process for speed, or as a process of its own."""

import contextlib
import io
import logging
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from kiery.cli.console import console
from kiery.cli.main import main

ROOT = Path(__file__).parents[2]
KIERY = (sys.executable, "-c", "from kiery.cli.main import main; main()")
"""A command line that is the installed `kiery`, whatever the folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a command said and how it ended."""

    status: int
    out: str
    err: str

    @property
    def refusal(self) -> str:
        """The one line of a refusal."""
        assert self.status == 2, self
        # The store may be named before; nothing else may stand on standard error.
        lines = [line for line in self.err.splitlines() if not line.startswith("store: ")]
        assert len(lines) == 1, self
        assert lines[0].startswith("kiery: ")
        assert lines[0].isprintable()
        return lines[0].removeprefix("kiery: ")


def kiery(*words: object, raw: bool = False) -> Said:
    """Calls `kiery` with some words, within this process; `raw` for output that is no text."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    logger = logging.getLogger("kiery")
    before = logger.handlers[:], logger.level, logger.propagate
    console.cache_clear()
    try:
        with (
            patch.object(sys, "argv", ["kiery", *map(str, words)]),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0
    else:
        raise AssertionError("main returned without a status")
    finally:
        logger.handlers[:], logger.level, logger.propagate = before
        console.cache_clear()
    out.flush()
    buffer = out.buffer
    assert isinstance(buffer, io.BytesIO)
    return Said(
        status=status, out=buffer.getvalue().decode(errors="replace" if raw else "strict"), err=err.getvalue()
    )


def kiery_process(
    *words: object, folder: Path | None = None, more: Mapping[str, str] | None = None, seconds: float = 60
) -> Said:
    """Calls `kiery` as a process of its own."""
    ended = subprocess.run(
        [*KIERY, *map(str, words)],
        cwd=folder,
        env={**os.environ, **(more or {})},
        capture_output=True,
        timeout=seconds,
        check=False,
    )
    return Said(status=ended.returncode, out=ended.stdout.decode(), err=ended.stderr.decode())


def bots(words: str) -> Sequence[str]:
    """Returns the options of some entrants: `a=random b=low`."""
    return [part for word in words.split() for part in ("--bot", word)]
