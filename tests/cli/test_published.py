"""`kiery tournament publish` and `audit` as people call them."""

import json
from pathlib import Path

import pytest
from tests.cli.shell import kiery
from tests.end_to_end.evening import NOW_MS, SECRET, play, spec_of, url_of

from kiery.host import enter
from kiery.store import Store


@pytest.fixture
def published(played: Path, tmp_path: Path) -> Path:
    """The published data of the tournament `demo`."""
    out = tmp_path / "demo.jsonl"
    said = kiery("tournament", "publish", "demo", "--out", out, "--store", f"sqlite:///{played}")
    assert said.status == 0
    assert said.err == f"demo: 20 lines in {out}, everything\n"
    return out


def test_audit_of_a_file_prints_every_check(published: Path) -> None:
    said = kiery("tournament", "audit", published)

    assert said.status == 0
    assert said.out.startswith("audit of demo ")
    assert "boards dealt again from the secret, each under its label" in said.out
    assert "everything that was published agrees" in said.out
    assert "NO" not in said.out
    assert not said.err


def test_audit_of_a_store_is_that_of_what_it_would_publish(played: Path, published: Path) -> None:
    words = "tournament", "audit"

    from_file = kiery(*words, published, "--json")
    from_store = kiery(*words, "demo", "--store", f"sqlite:///{played}", "--json")

    assert from_file.status == from_store.status == 0
    assert json.loads(from_file.out) == json.loads(from_store.out)
    counts = {check["check"]: check["count"] for check in json.loads(from_file.out)["checks"]}
    assert (counts["records"], counts["boards"], counts["standings"], counts["pairs"]) == (4, 4, 4, 6)
    assert counts["cards"] == 4 * 52


def test_publishing_twice_gives_the_same_bytes(played: Path, published: Path) -> None:
    said = kiery("tournament", "publish", "demo", "--store", f"sqlite:///{played}")

    assert said.out.encode() == published.read_bytes()


def test_finding_is_named_with_status_1(published: Path) -> None:
    text = published.read_text()
    published.write_text(text.replace('"status":"valid"', '"status":"void"', 1))

    said = kiery("tournament", "audit", published)
    as_json = kiery("tournament", "audit", published, "--json")

    assert said.status == as_json.status == 1
    assert said.out.splitlines()[-1] == "first disagreement, attempts: fixture 0 has no result"
    assert json.loads(as_json.out)["finding"] == {"check": "attempts", "message": "fixture 0 has no result"}
    assert json.loads(as_json.out)["ok"] is False


def test_announcement_is_kept_and_compared(tmp_path: Path) -> None:
    url = url_of(tmp_path)
    spec = spec_of("ala ola ela ula", name="cup", deals=1, deals_per_bot=1)
    with Store.open(url) as store:
        enter(store, spec, SECRET, NOW_MS)
    early, late = tmp_path / "early.jsonl", tmp_path / "late.jsonl"
    assert kiery("tournament", "publish", "cup", "--out", early, "--store", url).status == 0
    assert SECRET.hex() not in early.read_text()
    assert kiery("tournament", "audit", early).refusal.startswith(
        "the announcement of a tournament that is not over"
    )
    play(spec, url)
    kiery("tournament", "publish", "cup", "--out", late, "--store", url)

    said = kiery("tournament", "audit", late, "--announced", early)
    early.write_text(early.read_text().replace('"commitment":"a', '"commitment":"b'))
    other = kiery("tournament", "audit", late, "--announced", early)

    assert said.status == 0
    assert SECRET.hex() in late.read_text()
    assert other.status == 1
    assert "first disagreement, announced: line 1 was another before the first deal" in other.out


def test_what_is_no_file_is_looked_for_in_the_store(played: Path) -> None:
    said = kiery("tournament", "audit", "nothing", "--store", f"sqlite:///{played}")

    assert said.refusal.endswith("has no tournament called nothing")


def test_other_files_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_bytes(b"{}\n")

    assert kiery("tournament", "audit", other).refusal.startswith("not the published data of a tournament")
    missing = kiery("tournament", "audit", other, "--announced", tmp_path / "missing")
    assert missing.refusal.startswith("cannot read ")


def test_folder_cannot_be_written_to(played: Path, tmp_path: Path) -> None:
    said = kiery("tournament", "publish", "demo", "--out", tmp_path, "--store", f"sqlite:///{played}")

    assert said.refusal.startswith(f"cannot write {tmp_path}: ")
