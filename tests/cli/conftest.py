"""A store with a finished tournament, made once and copied for each test."""

import shutil
from pathlib import Path

import pytest
from tests.end_to_end.evening import play, spec_of, url_of


@pytest.fixture(scope="session")
def _played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played")
    rules = {"preset": "spot_hearts", "players": 4}
    play(spec_of("ala ola ela ula", name="demo", rules=rules, deals=1, deals_per_bot=1), url_of(folder))
    return folder / "store.sqlite"


@pytest.fixture
def played(_played: Path, tmp_path: Path) -> Path:
    """The file of a store with the tournament `demo`, four matches of one deal, for one test."""
    copy = tmp_path / "played.sqlite"
    shutil.copyfile(_played, copy)
    return copy
