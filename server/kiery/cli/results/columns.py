"""Parquet: one row a decision and one row a deal, written in groups of bounded size.

Needs pyarrow, the extra `data`. Cards are text such as `QS`, so that a reader needs no table of ours.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kiery.cards import Card, format_cards
from kiery.cli.results.account import Account
from kiery.cli.results.files import folder_at, whole_file
from kiery.cli.results.tables import deal_rows
from kiery.errors import InputError
from kiery.record import DealRecord, MatchRecord
from kiery.store import Store
from kiery.terms import ActionCause
from kiery.tournament import Fixture

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["write_columns"]

_ROWS: Final = 50_000
"""Rows of a group: what is in memory at a time."""


def _schemas() -> "Mapping[str, pa.Schema]":
    import pyarrow as pa

    name = pa.dictionary(pa.int32(), pa.string())
    texts, counts = pa.list_(pa.string()), pa.list_(pa.int32())
    place = [("fixture", pa.int32()), ("deal", pa.int32()), ("board", pa.int32())]
    return {
        "decisions": pa.schema(
            [
                *place,
                ("number", pa.int32()),
                ("kind", name),
                ("seat", pa.int8()),
                ("bot", name),
                ("trick", pa.int8()),
                ("cards", pa.string()),
                ("decided_by", name),
                ("think_ms", pa.int32()),
            ]
        ),
        "deals": pa.schema(
            [
                *place,
                ("label", pa.string()),
                ("direction", name),
                ("dealer", pa.int8()),
                ("bots", texts),
                ("hands", texts),
                ("kitty", pa.string()),
                ("passes", texts),
                ("points", counts),
                ("totals", counts),
                ("tricks", counts),
                ("queens", counts),
                ("shooter", pa.int8()),
                ("moon", pa.string()),
                ("forfeited", pa.list_(pa.bool_())),
                ("faults", counts),
                ("rejections", counts),
                ("par", pa.list_(pa.float64())),
            ]
        ),
    }


class _Columns:
    """One Parquet file, filled by rows."""

    def __init__(self, writer: "Any", schema: "pa.Schema") -> None:  # noqa: ANN401  (pyarrow is untyped)
        self._writer = writer
        self._schema = schema
        self._rows: list[Mapping[str, Any]] = []

    def add(self, row: Mapping[str, Any]) -> None:
        self._rows.append(row)
        if len(self._rows) == _ROWS:
            self.flush()

    def flush(self) -> None:
        import pyarrow as pa

        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self._schema))
            self._rows.clear()


def write_columns(account: Account, store: Store, out: Path) -> list[Path]:
    """Writes `decisions.parquet` and `deals.parquet` into a folder and returns them.

    Raises:
        InputError: Boards are still to be played again, pyarrow is missing, or a file cannot be written.
    """
    if account.boards_hidden:
        raise InputError(
            f"the boards of {account.name} are played again until its last lap ends:"
            " expected a tournament that is over for --format parquet"
        )
    try:
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise InputError("pyarrow is not installed: install it with pip install 'kiery[data]'") from None
    folder = folder_at(out)
    paths = []
    with ExitStack() as stack:
        files = {}
        for name, schema in _schemas().items():
            paths.append(folder / f"{name}.parquet")
            file = stack.enter_context(whole_file(paths[-1]))
            writer = stack.enter_context(pq.ParquetWriter(file, schema, compression="zstd"))
            files[name] = _Columns(writer, schema)
        for fixture, record in account.matches(store):
            _add(account, fixture, record, files)
        for columns in files.values():
            columns.flush()
    return paths


def _add(account: Account, fixture: Fixture, record: MatchRecord, files: Mapping[str, _Columns]) -> None:
    deals = {deal.number: deal for deal in record.deals}
    for row in deal_rows(account, fixture, record):
        deal = deals[int(str(row["deal"]))]
        files["deals"].add(
            {
                **row,
                "hands": [format_cards(hand) for hand in deal.hands],
                "kitty": format_cards(deal.kitty),
                "passes": [format_cards(cards) for cards in deal.passes],
            }
        )
        place = {"fixture": fixture.index, "deal": deal.number, "board": deal.board_number}
        for number, decision in enumerate(_decisions(deal, len(fixture.seats)), start=1):
            bot = account.bots[fixture.seats[decision["seat"]]]
            files["decisions"].add({**place, "number": number, "bot": bot, **decision})


def _decisions(deal: DealRecord, players: int) -> Iterator[dict[str, Any]]:
    """Yields the passes by seat, the plays in order, and the moon choice."""
    for seat, cards in enumerate(deal.passes):
        cause, think = _cause(deal.pass_causes, seat), _time(deal.pass_ms, seat)
        yield _decision("pass", seat, None, format_cards(cards), cause, think)
    for index, (seat, card) in enumerate(zip(deal.seats, deal.cards, strict=True)):
        cause, think = _cause(deal.play_causes, index), _time(deal.play_ms, index)
        yield _decision("play", seat, index // players + 1, str(Card(card)), cause, think)
    if deal.shooter is not None and deal.moon_cause is not None:
        choice = deal.choice.value if deal.choice is not None else ""
        yield _decision("moon", deal.shooter, None, choice, deal.moon_cause, deal.moon_ms)


def _cause(causes: bytes, index: int) -> int:
    """Returns who decided: without a column everybody answered; 0: nobody says."""
    return causes[index] if causes else ActionCause.ANSWERED


def _time(times: tuple[int, ...], index: int) -> int:
    return times[index] if times else 0


def _decision(
    kind: str, seat: int, trick: int | None, cards: str, cause: int, think_ms: int
) -> dict[str, Any]:
    return {
        "kind": kind,
        "seat": seat,
        "trick": trick,
        "cards": cards,
        "decided_by": ActionCause(cause).name.lower() if cause else None,
        "think_ms": think_ms,
    }
