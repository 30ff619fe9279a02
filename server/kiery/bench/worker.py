"""A process of the bench, seen from the bench: started, asked, stopped and gone on with, ended by its id."""

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from typing import IO, Any, Final

from kiery.errors import KieryError

__all__ = ["Worker", "WorkerError"]

_PATIENCE_S: Final = 120.0
_END_S: Final = 5.0
_SHOWN: Final = 400


class WorkerError(KieryError):
    """A process of the bench failed; the figure that it served for cannot be measured."""

    reason = "BENCH_PROCESS_FAILED"


class Worker:
    """A module of this room that runs as a process of its own."""

    def __init__(
        self, module: str, arguments: Sequence[str] = (), environment: Mapping[str, str] | None = None
    ) -> None:
        """Starts it.

        Args:
            module: The module's name below `kiery.bench`.
            arguments: Its arguments.
            environment: Variables beside those of this process.
        """
        self.name = module
        # Its log is formatted and written as in earnest, and thrown away unless the process fails.
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the process)
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"kiery.bench.{module}", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, **(environment or {})},
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, name=f"read {module}", daemon=True)
        self._reader.start()
        self._stopped = False

    def _read(self) -> None:
        if self._process.stdout is not None:
            for line in self._process.stdout:
                self._lines.put(line)
        self._lines.put(b"")

    def ask(self, command: str, *, patience_s: float = _PATIENCE_S, **arguments: object) -> dict[str, Any]:
        """Returns the reply to a command.

        Raises:
            WorkerError: The process failed, ended, or did not answer in time.
        """
        line = json.dumps({"command": command, **arguments}).encode() + b"\n"
        if self._process.stdin is not None:
            try:
                self._process.stdin.write(line)
                self._process.stdin.flush()
            except BrokenPipeError:
                raise self._failure(f"was to {command}, but has ended") from None
        return self.hear(patience_s=patience_s)

    def hear(self, *, patience_s: float = _PATIENCE_S) -> dict[str, Any]:
        """Returns what the process says next, unasked.

        Raises:
            WorkerError: The process ended, or said nothing in time.
        """
        try:
            line = self._lines.get(timeout=patience_s)
        except queue.Empty:
            raise self._failure(f"said nothing for {patience_s:g} s") from None
        if not line:
            raise self._failure("ended too early")
        found: dict[str, Any] = json.loads(line)
        if "error" in found:
            raise WorkerError(f"the bench's process {self.name} failed: {found['error']}")
        return found

    def _failure(self, what: str) -> WorkerError:
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - _SHOWN))
        said = self._errors.read().decode(errors="replace").strip()
        return WorkerError(f"the bench's process {self.name} {what}; its last words: {said or 'none'}")

    def pause(self) -> None:
        """Stops the process where it is: it costs nothing until `resume`."""
        if not self._stopped:
            self._process.send_signal(signal.SIGSTOP)
            self._stopped = True

    def resume(self) -> None:
        """Lets a stopped process go on."""
        if self._stopped:
            self._process.send_signal(signal.SIGCONT)
            self._stopped = False

    def end(self) -> None:
        """Ends the process and waits for it."""
        self.resume()
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.terminate()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._errors.close()
