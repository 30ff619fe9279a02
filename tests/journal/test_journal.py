"""The file: what is written is read, torn ends are dropped, damage is found, a full disk loses nothing."""

import errno
import os
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.journal.recorded import BOOT, NOW_MS, opening, writer

from kiery.journal import Entry, EntryKind, JournalError, JournalWriter, Opening, read_journal, segments_of
from kiery.rules import MoonChoice
from kiery.terms import DeclineReason
from kiery.view import Action

TIMES = st.integers(0, 2**62)
RUNS = st.one_of(
    st.none(), st.integers(-(2**62), 2**62), st.sampled_from([0, 2**31 - 1, 2**31, -(2**31) - 1])
)
SEATS = st.integers(0, 10)
ACTIONS = st.builds(
    Action,
    cards=st.binary(max_size=300),
    moon=st.sampled_from([None, *MoonChoice]),
    decline=st.sampled_from([None, *DeclineReason]),
)
STEPS = st.sampled_from([kind for kind in EntryKind if EntryKind.EXPIRED <= kind <= EntryKind.ABANDONED])


def entries_of(path: Path) -> dict[int, Sequence[Entry]]:
    return {number: table.entries for number, table in read_journal(path).tables.items()}


def brief(fixture: int) -> Opening:
    return opening(fixture, tournament="c", versions=(), terms=b"")


def small_journal(path: Path) -> JournalWriter:
    """Writes four batches: two tables opened, two steps each; one of them is settled in the last."""
    journal = writer(path)
    first, second = journal.opened(brief(0), 10), journal.opened(brief(1), 11)
    journal.flush()
    for step in range(2):
        journal.answered(first, step, 1, Action(cards=b"\x05"), 20 + step, 7)
        journal.answered(second, step, 1, Action(cards=b"\x05\x06\x07"), 20 + step, 7)
        journal.flush()
    journal.settled([second], 30)
    journal.flush()
    return journal


@given(
    steps=st.lists(
        st.one_of(
            st.tuples(st.just(None), SEATS, st.integers(1, 999), ACTIONS, TIMES, RUNS),
            st.tuples(STEPS, SEATS, st.just(0), st.none(), TIMES, RUNS),
        ),
        max_size=12,
    ),
    every=st.integers(1, 5),
    versions=st.lists(st.text(max_size=9), min_size=2, max_size=4),
)
def test_whatever_is_written_is_read_in_order(
    steps: Sequence[tuple[EntryKind | None, int, int, Action | None, int, int | None]],
    every: int,
    versions: Sequence[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("j") / "j"
    journal = writer(path)
    opened = opening(versions=tuple(versions))
    number = journal.opened(opened, 5)
    expected = [Entry(kind=EntryKind.OPENED, table=number, now=5, opening=opened)]
    for index, (kind, seat, decision, action, now, ran) in enumerate(steps):
        if kind is not None:
            journal.stepped(kind, number, seat, now, ran)
            expected.append(Entry(kind=kind, table=number, now=now, seat=seat, ran=ran))
        elif action is not None:
            journal.answered(number, seat, decision, action, now, ran)
            plain = len(action.cards) == 1 and not action.moon and not action.decline
            short = plain and ran is not None and -(2**31) <= ran < 2**31
            expected.append(
                Entry(
                    kind=EntryKind.CARD if short else EntryKind.ANSWER,
                    table=number,
                    now=now,
                    seat=seat,
                    ran=ran,
                    decision=decision % 256,
                    action=Action(cards=action.cards[:255], moon=action.moon, decline=action.decline),
                )
            )
        if not index % every:
            journal.flush()
    journal.flush()

    found = read_journal(path)

    assert found.tables[number].entries == expected
    assert found.tables[number].opening == opened
    assert (found.torn_bytes, found.damage) == (0, None)


def test_header_names_boot_node_and_date(tmp_path: Path) -> None:
    writer(tmp_path / "j", node_id="north").close()
    journal = writer(tmp_path / "j", node_id="north")
    journal.opened(opening(), 0)
    journal.flush()

    (header,) = read_journal(tmp_path / "j").headers

    assert (header.boot_id, header.node_id, header.created_ms) == (BOOT, "north", NOW_MS)


def test_nobody_else_may_read_the_file(tmp_path: Path) -> None:
    writer(tmp_path / "j")

    (segment,) = tmp_path.iterdir()

    assert stat.S_IMODE(segment.stat().st_mode) == 0o600


def test_no_journal_is_an_empty_one(tmp_path: Path) -> None:
    found = read_journal(tmp_path / "j")

    assert (found.tables, found.damage, found.next_batch) == ({}, None, 0)


def test_nothing_is_in_the_file_before_the_flush_and_one_batch_after_it(tmp_path: Path) -> None:
    sizes: list[int] = []

    def count(descriptor: int, data: bytes, offset: int) -> int:
        sizes.append(len(data))
        return os.pwrite(descriptor, data, offset)

    journal = writer(tmp_path / "j", write=count)
    number = journal.opened(opening(), 0)
    for seat in range(4):
        journal.answered(number, seat, 1, Action(cards=b"\x05"), 1, 1)
    before = len(sizes)
    assert journal.pending
    journal.flush()
    journal.flush()

    assert not journal.pending
    assert (before, len(sizes)) == (1, 2)
    assert len(entries_of(tmp_path / "j")[number]) == 5


def test_file_that_ends_anywhere_is_read_up_to_its_last_whole_batch(tmp_path: Path) -> None:
    small_journal(tmp_path / "j")
    (segment,) = tmp_path.iterdir()
    data = segment.read_bytes()
    seen: list[int] = []

    for size in range(len(data) + 1):
        segment.write_bytes(data[:size])
        found = read_journal(tmp_path / "j")
        assert found.damage is None, size
        known = sum(len(table.entries) for table in found.tables.values())
        if not seen or seen[-1] != known:
            seen.append(known)
        whole = size - found.torn_bytes
        segment.write_bytes(data[:whole])
        again = read_journal(tmp_path / "j")
        assert (again.tables, again.torn_bytes) == (found.tables, 0)

    assert seen == [0, 2, 4, 6, 3]


def test_every_changed_byte_is_found_and_nothing_after_it_is_believed(tmp_path: Path) -> None:
    small_journal(tmp_path / "j")
    (segment,) = tmp_path.iterdir()
    data = bytearray(segment.read_bytes())
    whole = entries_of(tmp_path / "j")
    assert whole

    for position in range(len(data)):
        for bit in (0x01, 0x80):
            data[position] ^= bit
            segment.write_bytes(data)
            data[position] ^= bit
            found = read_journal(tmp_path / "j")
            torn_header = found.headers == () and found.torn_bytes > 0
            assert found.damage is not None or torn_header, position
            if found.damage is not None:
                assert found.damage.position <= position
                assert found.damage.segment == segment
            for number, table in found.tables.items():
                assert all(entry.table == number for entry in table.entries)


def test_swapped_doubled_and_missing_batches_are_found(tmp_path: Path) -> None:
    journal = writer(tmp_path / "j")
    (segment,) = tmp_path.iterdir()
    cuts = [segment.stat().st_size]
    number = journal.opened(opening(), 0)
    for step in range(3):
        journal.answered(number, step, 1, Action(cards=b"\x05"), 1, 1)
        journal.flush()
        cuts.append(segment.stat().st_size)
    data = segment.read_bytes()
    head, *batches = (data[a:b] for a, b in zip([0, *cuts], cuts, strict=False))
    first, second, third = batches

    for order in ((first, third), (first, third, second), (first, second, second), (second, first)):
        segment.write_bytes(head + b"".join(order))
        found = read_journal(tmp_path / "j")
        assert found.damage is not None
        assert "expected" in str(found.damage)


def test_hole_of_zeros_is_damage_and_no_end(tmp_path: Path) -> None:
    small_journal(tmp_path / "j")
    (segment,) = tmp_path.iterdir()
    segment.write_bytes(segment.read_bytes() + bytes(64))

    assert read_journal(tmp_path / "j").damage is not None


def test_another_file_is_not_taken_for_a_journal(tmp_path: Path) -> None:
    (tmp_path / "j.000001").write_text("Dear diary, today nothing was dealt at all.")

    assert "no journal" in str(read_journal(tmp_path / "j").damage)


class Disk:
    """A disk on which one write fails, whole or in the middle."""

    def __init__(self, fails_at: int, code: int, *, halfway: bool) -> None:
        self.left = fails_at
        self.code = code
        self.halfway = halfway

    def __call__(self, descriptor: int, data: bytes, offset: int) -> int:
        self.left -= 1
        if self.left:
            return os.pwrite(descriptor, data, offset)
        if self.halfway:
            return os.pwrite(descriptor, data[: len(data) // 2], offset)
        raise OSError(self.code, os.strerror(self.code))


def failure_of(journal: JournalWriter) -> JournalError | None:
    try:
        journal.flush()
    except JournalError as error:
        return error
    return None


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS])
@pytest.mark.parametrize("halfway", [False, True])
def test_write_that_fails_loses_nothing_and_may_be_tried_again(
    tmp_path: Path, code: int, *, halfway: bool
) -> None:
    for fails_at in range(2, 9):
        path = tmp_path / str(fails_at)
        journal = writer(path, write=Disk(fails_at, code, halfway=halfway))
        number = journal.opened(opening(), 0)
        failures = 0
        for step in range(6):
            journal.answered(number, step, 1, Action(cards=b"\x05"), step, 1)
            error = failure_of(journal)
            if error is not None:
                failures += 1
                assert error.metadata["errno"] == ("ENOSPC" if halfway else errno.errorcode[code])
                found = read_journal(path)
                assert (found.damage, found.torn_bytes) == (None, 0)
                assert sum(len(table.entries) for table in found.tables.values()) == (step + 1 if step else 0)
        journal.flush()

        assert failures == (1 if fails_at < 8 else 0)
        assert [entry.seat for entry in entries_of(path)[number]] == [0, *range(6)]
        assert read_journal(path).damage is None


def test_journal_that_cannot_be_begun_says_why_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match=r"j\.000001 cannot be written \(No such file or directory\)"):
        writer(tmp_path / "missing" / "j")
    with pytest.raises(JournalError, match="No space left"):
        writer(tmp_path / "j", write=Disk(1, errno.ENOSPC, halfway=False))
    assert list(tmp_path.iterdir()) == []


def test_synced_batch_is_forced_to_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fdatasync", synced.append)

    for setting in (False, True):
        journal = writer(tmp_path / str(setting), synced=setting)
        journal.opened(opening(), 0)
        journal.flush()

    assert len(synced) == 1


def play_table(journal: JournalWriter, steps: int = 20) -> int:
    number = journal.opened(opening(), 0)
    for step in range(steps):
        journal.answered(number, 0, step, Action(cards=b"\x05"), step, 1)
        journal.flush()
    return number


def test_segments_are_dropped_in_order_once_all_their_tables_are_settled(tmp_path: Path) -> None:
    path = tmp_path / "j"
    journal = writer(path, segment_bytes=600)
    long = play_table(journal)
    sizes = []
    for _ in range(30):
        journal.settled([play_table(journal)], 0)
        sizes.append(len(segments_of(path)))
    journal.flush()
    names = segments_of(path)
    found = read_journal(path)

    assert sizes[-1] > 20
    assert list(found.tables) == [long]
    assert len(found.tables[long].entries) == 21
    journal.settled([long], 0)
    assert len(segments_of(path)) == 1
    for _ in range(30):
        journal.settled([play_table(journal)], 0)
        assert len(segments_of(path)) <= 2
    assert segments_of(path) != names[:1]
    found = read_journal(path)
    assert (found.damage, found.tables) == (None, {})


def test_missing_segment_between_others_is_damage(tmp_path: Path) -> None:
    journal = writer(tmp_path / "j", segment_bytes=600)
    for _ in range(4):
        play_table(journal)
    segments = segments_of(tmp_path / "j")
    assert len(segments) >= 3

    segments[1].unlink()

    found = read_journal(tmp_path / "j")
    assert found.damage is not None
    assert found.damage.segment == segments[2]


def test_next_process_goes_on_behind_a_torn_end_with_new_numbers(tmp_path: Path) -> None:
    path = tmp_path / "j"
    first = play_table(writer(path))
    (segment,) = segments_of(path)
    with segment.open("ab") as torn:
        torn.write(b"\x40\x00\x00")

    before = read_journal(path)
    journal = writer(path, before=before)
    journal.resumed(first, 99)
    second = play_table(journal)

    found = read_journal(path)
    assert before.torn_bytes == 3
    assert (found.damage, found.torn_bytes, sorted(found.tables)) == (None, 3, [first, second])
    assert found.tables[first].entries[-1].kind is EntryKind.RESUMED
    journal.settled([first], 0)
    assert len(segments_of(path)) == 1


def test_segments_with_nothing_in_flight_are_dropped_at_the_next_start(tmp_path: Path) -> None:
    path = tmp_path / "j"
    journal = writer(path)
    journal.settled([play_table(journal)], 0)
    journal.flush()

    again = writer(path, before=read_journal(path))

    assert [each.name for each in segments_of(path)] == ["j.000002"]
    again.close()
    again.close()
    assert segments_of(path) == []


def test_tables_in_flight_survive_the_close(tmp_path: Path) -> None:
    journal = writer(tmp_path / "j")
    number = journal.opened(opening(), 0)

    journal.close()

    assert list(read_journal(tmp_path / "j").tables) == [number]


def test_full_segment_goes_on_when_no_other_can_be_begun(tmp_path: Path) -> None:
    journal = writer(tmp_path / "j", segment_bytes=100)
    (tmp_path / "j.000002").touch()

    number = play_table(journal)

    (tmp_path / "j.000002").unlink()
    assert len(entries_of(tmp_path / "j")[number]) == 21
