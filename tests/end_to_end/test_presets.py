"""Every preset at every player count: played over gRPC, recorded, exported, verified as a stranger would."""

from pathlib import Path

import pytest
from tests.cli.shell import bots, kiery
from tests.end_to_end.evening import play, spec_of, url_of

from kiery.rules import PRESETS

TABLES = [(name, players) for name, preset in PRESETS.items() for players in preset.players]
LETTERS = "abcdefghijk"


def verify(folder: Path, url: str, deals: int) -> None:
    """Checks the records of a store, and their transcripts without it."""
    out = folder / "transcripts.jsonl"
    verified = kiery("replay", "verify", "--store", url)
    assert verified.status == 0, verified
    assert f", {deals} deals derived again from the secret" in verified.out
    assert kiery("replay", "export", "--out", out, "--store", url).status == 0
    foreign = kiery("replay", "verify", "--transcript", out)
    assert foreign.status == 0, foreign
    assert "0 findings" in foreign.out


@pytest.mark.parametrize(
    ("preset", "players"),
    [
        pytest.param(name, players, marks=[] if players == PRESETS[name].players[0] else [pytest.mark.slow])
        for name, players in TABLES
    ],
)
def test_table_is_played_by_bots_that_dial_in(preset: str, players: int, tmp_path: Path) -> None:
    url = url_of(tmp_path)
    spec = spec_of(
        " ".join(LETTERS[:players]),
        rules={"preset": preset, "players": players},
        deals=1,
        deals_per_bot=1,
    )

    board = play(spec, url)

    assert not board.faults.total()
    assert not board.rejections.total()
    assert not board.seat_ends
    verify(tmp_path, url, board.deals)


@pytest.mark.slow
@pytest.mark.parametrize(("preset", "players"), TABLES)
def test_table_is_played_by_the_real_command(preset: str, players: int, tmp_path: Path) -> None:
    url = url_of(tmp_path)
    policies = ("random", "low", "cautious")
    entrants = bots(" ".join(f"{name}={policies[i % 3]}" for i, name in enumerate(LETTERS[:players])))

    said = kiery(
        *("run", "--rules", preset, "--players", players, *entrants),
        *("--deals-per-bot", 1, "--name", "cup", "--store", url),
    )

    assert said.status == 0, said
    assert "cup: final standings" in said.out
    assert "faults" not in said.out
    deals = int(said.out.partition("records verified, ")[2].split()[0])
    assert deals >= 1
    verify(tmp_path, url, deals)
