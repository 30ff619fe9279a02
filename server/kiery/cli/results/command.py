"""`kiery tournament export`: everything about a tournament in files for people and for programs."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from kiery.cli.console import note
from kiery.cli.report import write_report
from kiery.cli.results.account import Account, take_account
from kiery.cli.results.columns import write_columns
from kiery.cli.results.document import write_document
from kiery.cli.results.sheets import write_sheets
from kiery.cli.stores import open_store
from kiery.errors import InputError
from kiery.host import read_plan
from kiery.store import Store

__all__ = ["export_tournament"]

_Write = Callable[[Account, Store, Path], list[Path]]

FOLDERS: Final[Mapping[str, _Write]] = {"csv": write_sheets, "parquet": write_columns}
"""Forms of several files; `--out` is their folder."""

FILES: Final[Mapping[str, tuple[str, _Write]]] = {
    "json": ("results.json", write_document),
    "html": ("report.html", write_report),
}
"""Forms of one file, with its usual name: no name that people chose gets into a path."""


def export_tournament(
    name: str, form: str, out: Path | None, store_url: str | None, *, with_luck: bool
) -> None:
    """Writes a tournament's tables in one form.

    Raises:
        InputError: There is no such form, or a file cannot be written.
    """
    if form not in {*FOLDERS, *FILES}:
        raise InputError(f"{form[:32]!a} is no format: expected one of csv, json, parquet, html")
    with open_store(store_url, read_only=True) as store:
        account = take_account(store, read_plan(store, name), with_luck=with_luck)
        if form in FOLDERS:
            written = FOLDERS[form](account, store, out or Path())
        else:
            usual, write = FILES[form]
            path = out or Path(usual)
            written = write(account, store, path / usual if path.is_dir() else path)
    for path in written:
        note(f"written: {path}")
