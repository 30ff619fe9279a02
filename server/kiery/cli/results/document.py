"""JSON: one object with every table, the spec, and every match on a line of its own.

What a program needs to compute each figure again, together with the transcripts of `kiery replay export`.
"""

import json
from pathlib import Path
from typing import IO, Any, Final

from kiery.cli.results.account import Account
from kiery.cli.results.files import whole_file
from kiery.cli.results.tables import deal_rows, fact_rows, match_row, tables
from kiery.record import deal_results
from kiery.store import Store
from kiery.tournament.spec_text import canonical_spec

__all__ = ["FORM", "write_document"]

FORM: Final = "kiery-results-1"
"""Names the form of the document; a change that breaks readers raises the number."""


def _bytes(value: Any) -> bytes:  # noqa: ANN401  (anything that JSON can hold)
    # ASCII only, so that no reader's encoding and no bidirectional text can change what is seen.
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def write_document(account: Account, store: Store, path: Path) -> list[Path]:
    """Writes the document and returns its path, as a list of one.

    Raises:
        InputError: It cannot be written, or the tournament changed meanwhile.
    """
    with whole_file(path) as file:
        _write(account, store, file)
    return [path]


def _write(account: Account, store: Store, file: IO[bytes]) -> None:
    spec = account.plan.spec
    head = {
        "form": FORM,
        **fact_rows(account),
        "spec": canonical_spec(spec),
        "planned": {} if account.plan.planner is None else dict(account.plan.planner.facts),
        "pack_points": account.rules.pack_points,
        "entrants": account.bots[: len(spec.entrants)],
        "house": account.bots[len(spec.entrants) :],
    }
    file.write(b"{\n")
    for name, value in head.items():
        file.write(_bytes(name) + b":" + _bytes(value) + b",\n")
    for name, rows in tables(account).items():
        lines = b",\n".join(_bytes(row) for row in rows)
        file.write(_bytes(name) + b":[\n" + lines + b"],\n")
    file.write(b'"matches":[')
    for index, (fixture, record) in enumerate(account.matches(store)):
        deals = [
            {**deal, "think_ms": result.think_ms}
            for deal, result in zip(deal_rows(account, fixture, record), deal_results(record), strict=True)
        ]
        file.write(b",\n" if index else b"\n")
        file.write(_bytes({**match_row(account, fixture, record), "deals": deals}))
    file.write(b"]\n}\n")
