"""A table that is given its journal again: equal in all that is not told anew, wherever it was cut."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.journal.recorded import Recorded, evening, fresh, opening, state_of, writer
from tests.table.sitting import MS, S, Sitting

from kiery.journal import EntryKind, JournalWriter, ReplayError, read_journal, replay
from kiery.rules import PRESETS
from kiery.table import Table
from kiery.terms import TimeControl
from kiery.view import Action, DecisionKind

TABLES = [(name, players) for name, each in PRESETS.items() for players in each.players]


def rebuilt(journal: JournalWriter, options: Mapping[str, object]) -> Table:
    journal.flush()
    (table,) = read_journal(journal.path).tables.values()
    return replay(fresh(options), table.entries)


@pytest.mark.parametrize(
    ("name", "players", "evil"), [("hearts", 4, 0.0), *((name, players, 0.4) for name, players in TABLES)]
)
def test_table_cut_at_any_entry_is_rebuilt(name: str, players: int, evil: float, tmp_path: Path) -> None:
    journal = writer(tmp_path / "j")
    states: list[Mapping[str, object]] = []

    options = evening(journal, name, players, evil, lambda sitting: states.append(state_of(sitting.table)))

    journal.flush()
    (table,) = read_journal(tmp_path / "j").tables.values()
    assert len(table.entries) == len(states)
    # Every prefix at once: one replay, looked at after each entry, and some from the start.
    again = fresh(options)
    for entry, state in zip(table.entries, states, strict=True):
        replay(again, [entry])
        assert state_of(again) == state, entry
    for cut in range(1, len(states), len(states) // 3):
        assert state_of(replay(fresh(options), table.entries[:cut])) == states[cut - 1]


def recorded(tmp_path: Path, **options: object) -> Recorded:
    sitting = Recorded(writer(tmp_path / "j"), noted=lambda _: None, **options)
    for seat in range(4):
        sitting.connect(seat, sitting.now)
    sitting.flush()
    return sitting


def to_the_first_play(sitting: Recorded) -> int:
    sitting.play_until(lambda: bool(sitting.table.match.deals) and sitting.turn >= 0)
    return sitting.turn


def restarted(sitting: Recorded, now: int, **options: object) -> Table:
    """Returns the table as another process has it after a crash."""
    table = rebuilt(sitting.journal, options)
    table.restart(now)
    return table


def test_open_decision_is_asked_again_under_its_id_with_its_whole_limit(tmp_path: Path) -> None:
    sitting = recorded(tmp_path)
    turn = to_the_first_play(sitting)
    asked = sitting.place(turn)
    sitting.now += 1900 * MS

    table = restarted(sitting, 500 * S)
    table.connect(turn, 501 * S)
    (*_, update) = table.take(turn, 501 * S)

    assert (update.decision_id, update.decision) == (asked.decision_id, asked.decision)
    assert (update.time_ms, update.bank_ms) == (2_000, 60_000)
    assert table.places[turn].written(501 * S) == 501 * S + 62 * S


def test_decision_whose_time_was_nearly_used_has_at_least_the_limit_left(tmp_path: Path) -> None:
    time = TimeControl(bank_ms=1_000)
    sitting = recorded(tmp_path, time=time)
    turn = to_the_first_play(sitting)
    sitting.now += 2_999 * MS
    sitting.answer(turn, Action())

    table = restarted(sitting, 500 * S, time=time)
    table.connect(turn, 501 * S)

    assert table.places[turn].decision_id == sitting.place(turn).decision_id
    assert table.places[turn].written(501 * S) == 503 * S


def test_server_that_was_away_charges_nobody(tmp_path: Path) -> None:
    sitting = recorded(tmp_path)
    turn = to_the_first_play(sitting)
    grace, bank = sitting.place(turn).grace, sitting.place(turn).bank

    table = restarted(sitting, 9_000 * S)
    table.expire(turn, 9_029 * S)
    table.connect(turn, 9_029 * S)

    place = table.places[turn]
    assert (place.grace, place.bank, place.faults, place.held) == (grace, bank, 0, None)


def test_bot_that_stays_away_after_a_restart_spends_its_grace_in_the_end(tmp_path: Path) -> None:
    sitting = recorded(tmp_path)
    turn = to_the_first_play(sitting)

    table = restarted(sitting, 100 * S)
    due_at = table.places[turn].due_at
    table.expire(turn, 150 * S + 1)

    assert due_at == 100 * S + 30 * S + 20 * S
    assert table.places[turn].held is not None


def test_seat_without_grace_is_waited_for_after_a_restart(tmp_path: Path) -> None:
    time = TimeControl(grace_ms=0)
    sitting = recorded(tmp_path, time=time)
    turn = to_the_first_play(sitting)

    table = restarted(sitting, 100 * S, time=time)
    for seat in range(4):
        if seat != (turn + 1) % 4:
            table.connect(seat, 101 * S)
    table.take(turn, 101 * S)
    decision = table.places[turn].decision
    assert decision is not None
    table.answer(
        turn, table.places[turn].decision_id, Action(cards=bytes([decision.legal.bit_length() - 1])), 102 * S
    )

    left = table.places[(turn + 1) % 4]
    assert left.held is None
    assert left.decision is not None
    assert left.decision.kind is DecisionKind.PLAY


def test_bot_goes_on_from_its_position_after_a_restart(tmp_path: Path) -> None:
    sitting = recorded(tmp_path)
    turn = to_the_first_play(sitting)
    fold = sitting.seats[turn].fold
    assert fold is not None

    table = restarted(sitting, 100 * S)
    table.connect(turn, 101 * S, position=fold.sequence)
    for update in table.take(turn, 101 * S):
        assert update.news is None or update.news.deal_started is None
        sitting.seats[turn].read(update)

    seen = fold.observation()
    assert (seen.hand_mask, seen.cards) == (table.observe(turn).hand_mask, table.observe(turn).cards)


def test_restart_is_replayed_like_any_input(tmp_path: Path) -> None:
    sitting = recorded(tmp_path)
    turn = to_the_first_play(sitting)
    sitting.journal.resumed(sitting.number, 100 * S)
    sitting.table.restart(100 * S)
    sitting.now = 101 * S
    sitting.connect(turn, sitting.now)
    sitting.write(turn)
    sitting.now = 104 * S
    sitting.answer(turn)

    table = rebuilt(sitting.journal, {})

    assert state_of(table) == state_of(sitting.table)
    assert table.places[turn].bank == 59 * S


def test_answer_to_another_decision_is_no_replay_of_this_table(tmp_path: Path) -> None:
    journal = writer(tmp_path / "j")
    number = journal.opened(opening(), 0)
    journal.answered(number, 0, 7, Action(), 1, 0)

    with pytest.raises(ReplayError, match="not open"):
        rebuilt(journal, {})


def test_journal_names_no_card_that_nobody_has_played(tmp_path: Path) -> None:
    sitting = recorded(tmp_path)
    sitting.play_to_deal(2)
    sitting.journal.flush()

    data = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    for deal in sitting.table.match.deals:
        for hand in deal.board.hands:
            cards = bytes(card for card in range(1, 53) if hand >> card & 1)
            assert cards not in data
    kinds = {entry.kind for entry in read_journal(tmp_path / "j").tables[1].entries}
    assert kinds == {EntryKind.OPENED, EntryKind.CONNECTED, EntryKind.CARD, EntryKind.ANSWER}


def test_sitting_and_fresh_table_have_the_same_boards() -> None:
    again = fresh({"seed": 5})
    again.match.start_deal()
    sitting = Sitting(seed=5)
    sitting.ready()

    assert again.match.deal.board == sitting.table.match.deal.board
