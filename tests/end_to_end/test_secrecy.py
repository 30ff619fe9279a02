"""What leaves a server before a tournament is over tells nothing of the secret, in any spelling."""

import base64
import functools
import hashlib
import hmac
import json
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import zstandard
from tests.cli.shell import Said, kiery
from tests.end_to_end.evening import url_of

from kiery.cli import run as run_module
from kiery.cli.logs import set_up_logging
from kiery.engine import Derivation, key_hash_of
from kiery.errors import KieryError
from kiery.host import Session
from kiery.journal import JournalWriter
from kiery.store import Store, TournamentStatus

SECRET = hashlib.sha256(b"the seed of a test").digest()
BOARDS = 4


def spellings(value: bytes) -> Iterator[bytes]:
    """Yields every way in which 32 bytes might be written."""
    yield value
    yield value[::-1]
    for text in (value.hex(), value.hex().upper(), value.hex(":"), value.hex(" ")):
        yield text.encode()
    for shift in range(3):
        # In the middle of other bytes base64 looks one of three ways, the ends aside.
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield encode(bytes(shift) + value)[4:40]
    yield base64.b32encode(value)[:48]
    for order in ("big", "little"):
        yield str(int.from_bytes(value, order)).encode()
    for joint in (", ", ",", " "):
        yield joint.join(map(str, value)).encode()
    yield repr(value)[2:-1].encode()
    yield json.dumps(value.decode("latin-1"))[1:-1].encode()


def found_in(secrets: Mapping[str, bytes], seen: Mapping[str, bytes]) -> list[tuple[str, str]]:
    """Returns which secret stands in what was seen."""
    return [
        (secret, place)
        for secret, value in secrets.items()
        for spelling in spellings(value)
        for place, data in seen.items()
        if spelling in data
    ]


class StoppedError(KieryError):
    """The tournament is stopped after its last match and before its end."""


class Watch:
    """Everything that left while a tournament was played and looked at, by the way it took."""

    def __init__(self) -> None:
        self.seen: dict[str, bytes] = {}

    def add(self, way: str, data: bytes) -> None:
        self.seen[way] = self.seen.get(way, b"") + data + b"\n"

    def add_said(self, way: str, said: Said) -> None:
        self.add(f"{way}: output", said.out.encode(errors="surrogateescape"))
        self.add(f"{way}: errors", said.err.encode())


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    """Sees every message to a bot, every byte of the journal, and logs at their most talkative."""
    watched = Watch()
    next_message, write = Session.next_message, JournalWriter._write_whole
    set_status = Store.set_status

    def seen_message(self: Session) -> bytes | None:
        message = next_message(self)
        if message is not None:
            watched.add("messages to bots", message)
        return message

    def seen_write(self: JournalWriter, descriptor: int, data: bytes, offset: int) -> None:
        watched.add("journal", bytes(data))
        write(self, descriptor, data, offset)

    def stopping(self: Store, name: str, status: TournamentStatus, *, now_ms: int) -> None:
        if status is TournamentStatus.FINISHED:
            raise StoppedError("stopped")
        set_status(self, name, status, now_ms=now_ms)

    monkeypatch.setattr(Session, "next_message", seen_message)
    monkeypatch.setattr(JournalWriter, "_write_whole", seen_write)
    monkeypatch.setattr(Store, "set_status", stopping)
    monkeypatch.setattr(run_module, "set_up_logging", functools.partial(set_up_logging, logging.DEBUG))
    return watched


def keys(sharing: str) -> dict[str, bytes]:
    """Returns S, M and the key of every board and every stream of chance."""
    streams = [f"f{index}" for index in range(BOARDS)] if sharing == "independent" else ["s0"]
    labels = [f"cup/{stream}/1" for stream in streams]
    labels += [f"cup/{name}/{number}" for name in ("schedule", "seats", "laps") for number in range(1, 5)]
    derivation = Derivation(SECRET)
    master = hmac.digest(SECRET, b"kiery-master-1\0" + hashlib.sha256(b"").digest(), "sha256")
    assert hmac.digest(master, b"kiery-deal-1\0" + labels[0].encode(), "sha256") == derivation.key(labels[0])
    return {"S": SECRET, "M": master, **{f"K of {label}": derivation.key(label) for label in labels}}


def play(tmp_path: Path, sharing: str) -> Said:
    seed = tmp_path / "seed"
    seed.write_bytes(SECRET)
    bots = [word for name in ("ala", "ola", "ela", "ula") for word in ("--bot", f"{name}=low")]
    options = ["--name", "cup", "--deals", "1", "--deals-per-bot", "1", "--sharing", sharing]
    return kiery("run", *bots, *options, "--seed-file", seed, "--store", url_of(tmp_path))


def look_at_everything(watch: Watch, tmp_path: Path) -> None:
    """Calls every command that reads."""
    store = ("--store", url_of(tmp_path))
    for words in (
        "tournament list",
        "tournament list --json",
        "tournament show cup --schedule",
        "tournament show cup --json",
        "tournament standings cup",
        "tournament standings cup --json",
        "tournament publish cup",
        "tournament audit cup",
        "replay list",
        "replay list --json",
        "replay show cup/0",
        "replay verify cup --json",
        "replay export cup --format transcript",
        "replay export cup --format text",
        "bot list --json",
    ):
        watch.add_said(words, kiery(*words.split(), *store))
    framed = tmp_path / "records"
    watch.add_said("export", kiery("replay", "export", "cup", "--format", "record", "--out", framed, *store))
    data = framed.read_bytes() if framed.exists() else b""
    watch.add("records as stored", data)
    while data:
        size = int.from_bytes(data[:4], "big")
        watch.add("records unpacked", zstandard.ZstdDecompressor().decompress(data[4 : 4 + size]))
        data = data[4 + size :]
    for form in ("csv", "json", "html", "parquet"):
        folder = tmp_path / form
        folder.mkdir(exist_ok=True)
        exported = kiery("tournament", "export", "cup", "--format", form, "--out", folder, *store)
        watch.add_said(f"export as {form}", exported)
        for path in sorted(folder.iterdir()):
            watch.add(f"export as {form}: {path.name}", path.read_bytes())
    for path in tmp_path.rglob("*journal*"):
        if path.is_file():
            watch.add("journal file", path.read_bytes())


def test_every_spelling_is_looked_for() -> None:
    value = Derivation(SECRET).key("cup/f0/1")

    for spelling in spellings(value):
        assert found_in({"K": value}, {"place": b"before" + spelling + b"after"})
    assert not found_in({"K": value}, {"place": bytes(1000)})


@pytest.mark.slow
@pytest.mark.parametrize("sharing", ["independent", "laps"])
def test_nothing_tells_a_seed_or_key_before_the_end(
    tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch, sharing: str
) -> None:
    said = play(tmp_path, sharing)
    watch.add_said("run", said)
    look_at_everything(watch, tmp_path)

    assert said.status == 2
    assert "stopped" in said.err
    with Store.open(url_of(tmp_path), read_only=True) as store:
        assert len(store.attempts("cup")) == BOARDS
        assert store.tournament("cup").status is TournamentStatus.RUNNING
    assert found_in(keys(sharing), watch.seen) == []
    assert "info kiery.transport.server" in said.err
    assert b"cup" in watch.seen["journal"]
    assert b"ala" in watch.seen["export as json: results.json"]

    monkeypatch.undo()
    assert play(tmp_path, sharing).status == 0
    after = Watch()
    look_at_everything(after, tmp_path)
    told = {place for secret, place in found_in({"S": SECRET}, after.seen)}
    assert told == {
        "tournament show cup --schedule: output",
        "tournament show cup --json: output",
        "tournament publish cup: output",
        "export as csv: tournament.csv",
        "export as html: report.html",
        "export as json: results.json",
    }


@pytest.mark.slow
def test_commitment_and_key_hashes_are_there_from_the_start(tmp_path: Path, watch: Watch) -> None:
    said = play(tmp_path, "independent")

    commitment = Derivation(SECRET).commitment
    sent = watch.seen["messages to bots"]
    assert commitment.hex() in said.out
    assert commitment in sent
    for fixture in range(BOARDS):
        assert key_hash_of(Derivation(SECRET).key(f"cup/f{fixture}/1")) in sent


@pytest.mark.slow
def test_match_on_boards_of_its_own_is_shown_once_it_has_ended(tmp_path: Path, watch: Watch) -> None:
    play(tmp_path, "independent")
    look_at_everything(watch, tmp_path)

    assert watch.seen["replay show cup/0: output"].startswith(b"Match ")
    assert b"cup/f0/" in watch.seen["records unpacked"]


@pytest.mark.slow
def test_laps_show_neither_key_hashes_nor_labels_nor_cards_before_the_last_is_over(
    tmp_path: Path, watch: Watch
) -> None:
    watch.add_said("run", play(tmp_path, "laps"))
    look_at_everything(watch, tmp_path)

    hidden = key_hash_of(Derivation(SECRET).key("cup/s0/1"))
    assert found_in({"H": hidden}, watch.seen) == []
    assert [way for way, data in watch.seen.items() if b"cup/s0" in data] == []
    for words in ("show cup/0", "export cup --format text", "export cup --format transcript"):
        assert b"are shown when it is over" in watch.seen[f"replay {words}: errors"]
        assert watch.seen[f"replay {words}: output"] == b"\n"
    assert watch.seen["records as stored"] == b"\n"
    assert b"ala" in watch.seen["tournament standings cup: output"]
