"""Every exported figure but par and badges follows from the records, says a program of its own."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.cli.shell import kiery
from tests.referee.evenings import Evening, stored
from tests.referee.referee import differences, recompute

FIVE = "ala ola:x ela ula:x iza"
FORFEITS = {fixture: fixture % 4 for fixture in range(0, 60, 4)}

EVENINGS: dict[str, Callable[[], Evening]] = {
    "independent, with forfeits": lambda: Evening(
        FIVE, deals_per_bot=1, deals=4, forfeits=FORFEITS, rules={"preset": "klasyk"}
    ),
    "laps, with forfeits": lambda: Evening(FIVE, deals_per_bot=1, deals=1, sharing="laps", forfeits=FORFEITS),
    "three with a bonus card": lambda: Evening(
        "ala ola ela", deals_per_bot=1, deals=3, rules={"preset": "omnibus", "players": 3}
    ),
    "a house bot": lambda: Evening("ala ola ela", deals_per_bot=1, deals=4),
    "a match A A B B": lambda: Evening("ala ola", format="match", deals_per_bot=24),
    "a ladder": lambda: Evening(FIVE, format="ladder", tables_budget=3),
    "a final": lambda: Evening(FIVE, format="final", deals_per_bot=1, final_length=1),
    "to a target": lambda: Evening("ala ola ela ula", deals_per_bot=1, deals=None, target=40),
}


_Export = tuple[dict[str, Any], list[dict[str, Any]]]
"""Results and transcripts."""


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], _Export]:
    """Returns what `kiery` exports of a kind of tournament, each of them played once."""

    @cache
    def of(kind: str) -> tuple[Path, Path]:
        evening, folder = EVENINGS[kind](), tmp_path_factory.mktemp("evening")
        store, name = ("--store", stored(evening, folder)), evening.spec.name
        results, transcripts = folder / "results.json", folder / "transcripts.jsonl"
        assert kiery("tournament", "export", name, "--format", "json", "--out", results, *store).status == 0
        assert kiery("replay", "export", name, "--out", transcripts, *store).status == 0
        return results, transcripts

    def read(kind: str) -> _Export:
        results, transcripts = (path.read_text(encoding="utf-8") for path in of(kind))
        return json.loads(results), [json.loads(line) for line in transcripts.splitlines()]

    return read


@pytest.mark.parametrize("kind", EVENINGS)
def test_referee_agrees_on_every_exported_figure(kind: str, exported: Callable[[str], _Export]) -> None:
    results, transcripts = exported(kind)

    found = recompute(results, transcripts)

    assert list(differences(results, found)) == []
    # Nothing is left out: every table that was exported was computed.
    tables = {name for name, value in results.items() if isinstance(value, list)}
    assert tables - {"entrants", "house", "schedule"} <= found.keys()
    figures = {name for row in results["standings"] for name in row}
    assert figures - {"version", "owner", "luck_per_deal", "badge"} == {
        name for row in found["standings"] for name in row
    }


def test_tournaments_of_these_tests_hold_forfeits_moons_and_boards_met_again(
    exported: Callable[[str], _Export],
) -> None:
    independent, laps = (exported(kind)[0] for kind in ("independent, with forfeits", "laps, with forfeits"))

    assert "leak" not in independent
    assert len(laps["leak"]) == 5
    assert sum(row["moons_for"] for row in independent["standings"]) > 0
    for results in (independent, laps):
        assert sum(row["forfeits"] for row in results["standings"]) >= 5


@pytest.mark.parametrize(
    ("table", "field"),
    [
        ("standings", "net_per_deal"),
        ("standings", "half_width_95"),
        ("standings", "points_per_deal"),
        ("standings", "moons_against"),
        ("standings", "forfeits"),
        ("cross", "net_difference"),
        ("seats", "points_per_deal"),
        ("think", "p99_ms"),
        ("history", "net_per_deal"),
    ],
)
def test_referee_sees_a_figure_that_is_off(
    table: str, field: str, exported: Callable[[str], _Export]
) -> None:
    results, transcripts = exported("a house bot")
    found = recompute(results, transcripts)

    results[table][-1][field] += 0.001

    (difference,) = differences(results, found)
    assert difference.startswith(f"/{table}/{len(results[table]) - 1}/{field}: ")
