"""`kiery tournament export`: tables for spreadsheets, programs and research."""

import csv
import json
from pathlib import Path

import pytest
from pyarrow import parquet
from tests.cli.shell import kiery
from tests.referee.evenings import Evening, stored

from kiery.cli.results import columns
from kiery.cli.results.luck import Luck
from kiery.cli.results.sheets import safe_text
from kiery.engine import Derivation, derive_board
from kiery.rules import preset
from kiery.tournament.par import board_par, luck_of, par_label

SHEETS = (
    "cross deals direction_nets directions faults fixtures history schedule seat_nets seats standings think"
    " tournament"
)


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A finished tournament of four, one of whom has a name that a spreadsheet would compute."""
    names = ["=HYPERLINK(1)", "@ola", "-ela", "Żółw 漢字"]
    evening = Evening("", entrants=[{"name": name, "owner": "+x"} for name in names], deals_per_bot=1)
    return stored(evening, tmp_path_factory.mktemp("four"))


@pytest.fixture(scope="module")
def laps(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A running tournament whose boards are shared, as far as its first set."""
    evening = Evening("ala ola ela ula", deals_per_bot=1, sharing="laps")
    return stored(evening, tmp_path_factory.mktemp("laps"), over=False)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_csv_is_a_file_a_table(four: str, tmp_path: Path) -> None:
    said = kiery(
        "tournament", "export", "cup", "--format", "csv", "--out", tmp_path / "a" / "b", "--store", four
    )

    assert said.status == 0
    assert sorted(path.stem for path in (tmp_path / "a" / "b").iterdir()) == SHEETS.split()
    deals = rows_of(tmp_path / "a" / "b" / "deals.csv")
    assert {row["label"] for row in deals} == {f"cup/f{index}/1" for index in range(4)}
    assert all(sum(int(row[f"tricks_seat{seat}"]) for seat in range(4)) == 13 for row in deals)


def test_no_cell_of_a_csv_begins_like_a_formula(four: str, tmp_path: Path) -> None:
    kiery("tournament", "export", "cup", "--format", "csv", "--out", tmp_path, "--store", four)

    for path in tmp_path.iterdir():
        for row in rows_of(path):
            for cell in row.values():
                # Numbers are numbers: a minus begins them and no name.
                assert cell[:1] not in "=+@\t" or not cell, (path.name, cell)
                assert cell[:1] != "-" or float(cell) < 0, (path.name, cell)
    names = {row["bot"] for row in rows_of(tmp_path / "standings.csv")}
    assert names == {"'=HYPERLINK(1)", "'@ola", "'-ela", "Żółw 漢字"}


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", " =1", "\uff1d1", "|x", "%x"])
def test_text_that_could_be_a_formula_gets_an_apostrophe(text: str) -> None:
    assert safe_text(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "ala", "a=1", "f0", "漢字"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert safe_text(text) == text


def test_json_holds_what_is_published_and_no_command_line(tmp_path: Path) -> None:
    entrants = [{"name": name, "command": f"./bot --token hush-{name}"} for name in "abcd"]
    store = stored(Evening("", entrants=entrants, deals_per_bot=1), tmp_path)

    said = kiery("tournament", "export", "cup", "--format", "json", "--out", tmp_path, "--store", store)

    assert said.status == 0
    text = (tmp_path / "results.json").read_text(encoding="utf-8")
    assert "hush" not in text
    results = json.loads(text)
    assert results["form"] == "kiery-results-1"
    assert results["secret"] == bytes(range(32)).hex()
    assert [row["bot"] for row in results["standings"]] != []
    assert len(results["matches"]) == results["fixtures_played"] == 4


def test_export_of_a_running_tournament_has_no_secret(tmp_path: Path) -> None:
    store = stored(Evening("a b c d", deals_per_bot=1), tmp_path, over=False)

    for form in ("json", "html", "csv"):
        kiery("tournament", "export", "cup", "--format", form, "--out", tmp_path / form, "--store", store)

    for path in (path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".sqlite"):
        if "sqlite" not in path.name:
            assert bytes(range(32)).hex() not in path.read_text(encoding="utf-8"), path
    assert json.loads((tmp_path / "json").read_text(encoding="utf-8"))["secret"] is None


def test_shared_boards_stay_unnamed_until_the_last_lap_ends(laps: str, tmp_path: Path) -> None:
    said = kiery("tournament", "export", "cup", "--format", "json", "--out", tmp_path, "--store", laps)

    assert said.status == 0
    matches = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["matches"]
    assert {match["set"] for match in matches} == {None}
    deals = [deal for match in matches for deal in match["deals"]]
    assert {deal[part] for deal in deals for part in ("label", "tricks", "queens")} == {None}
    assert all(sum(deal["points"]) for deal in deals)


@pytest.mark.parametrize("words", [("export", "--format", "parquet"), ("standings", "--luck")])
def test_cards_of_shared_boards_are_refused_until_the_last_lap_ends(
    words: tuple[str, ...], laps: str
) -> None:
    command, *options = words

    said = kiery("tournament", command, "cup", *options, "--store", laps)

    assert "played again until its last lap ends" in said.refusal


def test_parquet_has_a_row_a_decision_and_a_row_a_deal(four: str, tmp_path: Path) -> None:
    said = kiery("tournament", "export", "cup", "--format", "parquet", "--out", tmp_path, "--store", four)

    assert said.status == 0
    decisions = parquet.read_table(tmp_path / "decisions.parquet").to_pylist()
    deals = parquet.read_table(tmp_path / "deals.parquet").to_pylist()
    assert len(deals) == 4
    assert sum(row["kind"] == "play" for row in decisions) == 4 * 52
    for deal in deals:
        played = [row for row in decisions if row["fixture"] == deal["fixture"] and row["kind"] == "play"]
        assert sorted(row["cards"] for row in played) == sorted(" ".join(deal["hands"]).split())
        assert {row["bot"] for row in played} == set(deal["bots"])


def test_parquet_is_written_in_groups_of_bounded_size(
    four: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "_ROWS", 50)

    kiery("tournament", "export", "cup", "--format", "parquet", "--out", tmp_path, "--store", four)

    file = parquet.ParquetFile(tmp_path / "decisions.parquet").metadata
    sizes = [file.row_group(index).num_rows for index in range(file.num_row_groups)]
    assert sum(sizes) >= 4 * 52
    assert max(sizes) == 50


def test_an_unknown_format_is_refused_with_those_there_are(four: str) -> None:
    said = kiery("tournament", "export", "cup", "--format", "xml", "--store", four)

    assert said.refusal == "'xml' is no format: expected one of csv, json, parquet, html"


def test_a_failed_export_leaves_the_file_that_was_there(four: str, tmp_path: Path) -> None:
    (tmp_path / "results.json").mkdir()

    said = kiery("tournament", "export", "cup", "--format", "json", "--out", tmp_path, "--store", four)

    assert said.refusal.startswith("cannot write ")
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_standings_show_cross_table_and_leak_audit(four: str, tmp_path: Path) -> None:
    shared = stored(Evening("ala ola ela ula", deals_per_bot=1, sharing="laps"), tmp_path)

    cross = kiery("tournament", "standings", "cup", "--cross", "--store", four)
    leak = kiery("tournament", "standings", "cup", "--store", shared)
    programs = kiery("tournament", "standings", "cup", "--json", "--store", shared)

    assert "net difference ± 95 %" in cross.out
    assert "leak audit" not in cross.out
    assert "leak audit: boards met again" in leak.out
    assert [row["boards"] for row in json.loads(programs.out)["leak"]] == [1] * 4


def test_bots_of_a_ladder_wear_badges_and_no_others_do(four: str, tmp_path: Path) -> None:
    ladder = stored(Evening("ala ola ela ula iza", format="ladder", tables_budget=2), tmp_path)

    for name, store in (("ladder", ladder), ("four", four)):
        out = tmp_path / f"{name}.json"
        kiery("tournament", "export", "cup", "--format", "json", "--out", out, "--store", store)

    worn, none = (
        [row["badge"] for row in json.loads((tmp_path / f"{name}.json").read_text("utf-8"))["standings"]]
        for name in ("ladder", "four")
    )
    assert len({badge for badge in worn if badge is not None}) > 1
    assert none == [None] * 4


def test_luck_stands_beside_the_standings_and_adds_up_to_nothing(four: str) -> None:
    said = kiery("tournament", "standings", "cup", "--luck", "--json", "--store", four)

    luck = json.loads(said.out)["luck"]
    assert sum(luck.values()) == pytest.approx(0)
    assert any(luck.values())
    assert json.loads(said.out)["luck_method"] == "par-1 (cautious-1, 16 plays, 1 in 10 random)"


@pytest.mark.slow
def test_luck_is_the_same_however_many_processes_compute_it() -> None:
    rules, derivation = preset("hearts", 4), Derivation(bytes(32))
    luck, expected = Luck(rules, derivation, bots=4), [0.0] * 4
    for number in range(1, 21):
        label = f"t1/f0/{number}"
        board = derive_board(rules, number, label, derivation.key(label))
        luck.add(board, (2, 0, 1, 3))
        par = board_par(rules, board, derivation.stream(par_label(label)))
        for seat, bot in enumerate((2, 0, 1, 3)):
            expected[bot] += luck_of(par, seat) / 20

    luck.settle()

    assert [luck.of(bot) for bot in range(4)] == pytest.approx(expected)
