"""`kiery replay list` and `show`."""

from kiery.cli.console import print_json, print_table, say
from kiery.cli.selection import select_one
from kiery.cli.stores import open_store
from kiery.record import format_record

__all__ = ["list_replays", "show_replay"]

_COLUMNS = ("replay", "status", "deals", "bytes", "digest")


def list_replays(tournament: str | None, store_url: str | None, *, as_json: bool) -> None:
    """Prints the recorded attempts, void ones included."""
    with open_store(store_url, read_only=True) as store:
        attempts = store.attempts(tournament)
    rows = [
        {
            "replay": f"{attempt.key.tournament}/{attempt.key.fixture}.{attempt.key.attempt}",
            "status": attempt.status.value,
            "deals": attempt.deal_count,
            "bytes": attempt.record_size,
            "digest": attempt.digest.hex(),
        }
        for attempt in attempts
    ]
    if as_json:
        print_json(rows)
    else:
        shown = [{**row, "digest": str(row["digest"])[:16]} for row in rows]
        print_table("replays", _COLUMNS, [[row[column] for column in _COLUMNS] for row in shown])


def show_replay(replay: str, store_url: str | None) -> None:
    """Prints a match, deal by deal."""
    with open_store(store_url, read_only=True) as store:
        record = store.show_record(select_one(store, replay).key)
    for line in format_record(record).splitlines():
        say(line)
