"""Log lines: one event, one line, JSON-escaped, on standard error."""

import json
import logging
from typing import Final

__all__ = ["set_up_logging"]

_OWN: Final = frozenset(logging.LogRecord("", 0, "", 0, "", None, None).__dict__) | {"message", "asctime"}
_MAX_TEXT: Final = 256


class _LineFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        fields = {key: value for key, value in record.__dict__.items() if key not in _OWN}
        line = " ".join(
            f"{key}={json.dumps(value if isinstance(value, int | float) else str(value)[:_MAX_TEXT])}"
            for key, value in fields.items()
        )
        text = (
            f"{record.levelname.lower()} {record.name} {json.dumps(record.getMessage()[:_MAX_TEXT])} {line}"
        )
        if record.exc_info:
            text += " trace=" + json.dumps(self.formatException(record.exc_info))
        return text.rstrip()


def set_up_logging(level: int = logging.ERROR) -> None:
    """Sends log lines of a level and above to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(_LineFormatter())
    root = logging.getLogger("kiery")
    root.handlers[:] = [handler]
    root.setLevel(level)
    root.propagate = False
