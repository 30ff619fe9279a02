"""Faulty bots as processes: the tournament ends, the others lose nothing, the record says what happened."""

import sys
from pathlib import Path

import pytest
from tests.cli.shell import Said, kiery

from kiery.record import MatchRecord, deal_results
from kiery.store import Store
from kiery.terms import ActionCause, MatchCause, SeatCause, SubstitutionScope

FAULTY = Path(__file__).parent / "faulty"
CLOCKS = "[time_control]\nready_ms = 1500\ndecision_ms = 1000\nbank_ms = 0\ngrace_ms = 3000\n"


def play(folder: Path, players: int, entrants: str, deals: int = 1) -> tuple[Said, str]:
    """Plays a tournament of words like `a=low b=illegal`; what is no built-in bot is a faulty one."""
    text = f'name = "cup"\ndeals = {deals}\ndeals_per_bot = {deals}\n[rules]\nplayers = {players}\n{CLOCKS}'
    for word in entrants.split():
        name, _, what = word.partition("=")
        is_faulty = (FAULTY / f"{what}.py").exists()
        how = f"command = '{sys.executable} {FAULTY / what}.py'" if is_faulty else f'builtin = "{what}"'
        text += f'[[entrants]]\nname = "{name}"\n{how}\n'
    file = folder / "cup.toml"
    file.write_text(text)
    url = f"sqlite:///{folder / 'cup.sqlite'}"
    return kiery("run", file, "--store", url, "--connect-s", "10"), url


def records(url: str) -> list[MatchRecord]:
    with Store.open(url, read_only=True) as store:
        return [each.record for each in store.records("cup")]


def seat_of(record: MatchRecord, name: str) -> int:
    return [entrant.name for entrant in record.header.entrants].index(name)


def assert_clean(record: MatchRecord, honest: str) -> None:
    """Checks that a match was played whole, and that honest bots have no fault in it."""
    assert record.cause is MatchCause.COMPLETED
    for name in honest.split():
        seat = seat_of(record, name)
        assert record.seat_causes[seat] is SeatCause.COMPLETED
        for deal, result in zip(record.deals, deal_results(record), strict=True):
            assert not result.faults[seat]
            assert not result.rejections[seat]
            assert seat not in result.forfeited
            assert len(deal.cards) == sum(hand.bit_count() for hand in deal.hands)


@pytest.mark.slow
def test_all_at_one_table_leave_the_honest_bot_alone(tmp_path: Path) -> None:
    said, url = play(tmp_path, 7, "ala=low ill=illegal lat=late twi=twice die=dies nev=never gar=garbage")

    assert said.status == 0, said
    played = records(url)
    assert len(played) == 7
    for record in played:
        assert_clean(record, "ala twi")
        assert record.seat_causes[seat_of(record, "nev")] is SeatCause.NEVER_READY
        (result,) = deal_results(record)
        assert result.rejections[seat_of(record, "ill")] > 0
    assert "7 of 7 records verified" in said.out
    assert "7 seats ended with never_ready" in said.out


def test_bot_that_answers_illegally_is_rejected_then_substituted(tmp_path: Path) -> None:
    said, url = play(tmp_path, 4, "ala=low ola=cautious ela=random bad=illegal", deals=2)

    assert said.status == 0, said
    for record in records(url):
        assert_clean(record, "ala ola ela")
        seat = seat_of(record, "bad")
        for deal, result in zip(record.deals, deal_results(record), strict=True):
            assert result.faults[seat] == 3
            assert result.rejections[seat] == 3 * 3
            (kept,) = [each for each in deal.substitutions if each.seat == seat]
            assert kept.scope is SubstitutionScope.DEAL
            assert kept.cause is SeatCause.ILLEGAL
    assert "bad: " in said.out
    assert "rejected answers" in said.out


@pytest.mark.slow
def test_bot_that_answers_late_has_a_fault_for_each_late_answer(tmp_path: Path) -> None:
    said, url = play(tmp_path, 4, "ala=low ola=cautious ela=random bad=late")

    assert said.status == 0, said
    for record in records(url):
        assert_clean(record, "ala ola ela")
        seat = seat_of(record, "bad")
        (deal,) = record.deals
        faults = deal_results(record)[0].faults[seat]
        assert faults > 0
        causes = [cause for who, cause in zip(deal.seats, deal.play_causes, strict=True) if who == seat]
        assert causes.count(ActionCause.SUBSTITUTE) >= faults


@pytest.mark.slow
def test_bot_that_answers_twice_has_no_fault(tmp_path: Path) -> None:
    said, url = play(tmp_path, 4, "ala=low ola=cautious ela=random bad=twice")

    assert said.status == 0, said
    for record in records(url):
        assert_clean(record, "ala ola ela")
        seat = seat_of(record, "bad")
        assert record.seat_causes[seat] is SeatCause.COMPLETED
        assert not deal_results(record)[0].faults[seat]


def test_bot_that_dies_in_every_deal_is_started_again_and_then_given_up(tmp_path: Path) -> None:
    said, url = play(tmp_path, 4, "ala=low ola=cautious ela=random bad=dies")

    assert said.status == 0, said
    for record in records(url):
        assert_clean(record, "ala ola ela")
    ends = {record.seat_causes[seat_of(record, "bad")] for record in records(url)}
    assert SeatCause.DISCONNECTED in ends
    assert "bad printed: out of memory" in said.out or "seats ended with disconnected" in said.out


@pytest.mark.slow
def test_bot_that_never_gets_ready_is_substituted_for_the_match(tmp_path: Path) -> None:
    said, url = play(tmp_path, 4, "ala=low ola=cautious ela=random bad=never", deals=2)

    assert said.status == 0, said
    for record in records(url):
        assert_clean(record, "ala ola ela")
        seat = seat_of(record, "bad")
        assert record.seat_causes[seat] is SeatCause.NEVER_READY
        assert all(seat in result.forfeited for result in deal_results(record))


@pytest.mark.slow
def test_bot_that_sends_garbage_loses_its_stream_and_nobody_else_does(tmp_path: Path) -> None:
    said, url = play(tmp_path, 4, "ala=low ola=cautious ela=random bad=garbage")

    assert said.status == 0, said
    for record in records(url):
        assert_clean(record, "ala ola ela")
        assert seat_of(record, "bad") in deal_results(record)[0].forfeited


def test_bot_with_a_wrong_token_never_gets_in(tmp_path: Path) -> None:
    said, url = play(tmp_path, 4, "ala=low ola=cautious ela=random bad=stranger")

    assert "bot bad: " in said.refusal
    assert "ended with status 1 without connecting" in said.refusal
    assert "no valid token" in said.refusal
    assert not records(url)
