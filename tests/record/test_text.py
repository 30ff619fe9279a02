"""A record as text: what a card player reads, without anything that could move a cursor."""

import re

from tests.record.matches import header_of, played_match, record_of, sample_record

from kiery.cards import parse_cards
from kiery.record import RecordEntrant, Substitution, format_record
from kiery.record.text import format_hand
from kiery.rules import NOBODY, MoonChoice, preset
from kiery.terms import ActionCause, MatchCause, SeatCause, SubstitutionScope

HEADER = header_of(preset("hearts", 4), deal_limit=2)


def test_a_hand_is_written_by_suit_from_spades_and_from_high_to_low():
    assert format_hand(parse_cards("2C TC AD QS AS KS")) == "S AKQ  H -  D A  C T2"
    assert format_hand(parse_cards("2C 2C AD")) == "S -  H -  D A  C 22"


def test_a_record_shows_hands_passes_tricks_and_points():
    record = record_of(HEADER, played_match(HEADER))
    deal = record.deals[0]
    text = format_record(record)
    lines = text.splitlines()

    assert lines[0] == "Match m3.1, tournament t1, fixture 3, attempt 1"
    assert "Deal 1, board 1 (t1/f3/1), dealt by seat 0" in lines
    assert f"  2  {format_hand(deal.hands[2])}" in lines
    assert sum(" passes " in line for line in lines) == 8
    assert sum(bool(re.match(r" +\d+  .*>", line)) for line in lines) == 26
    rows = [line.split() for line in lines if line.startswith("  points")]
    assert [tuple(map(int, row[1:])) for row in rows] == [deal.points for deal in record.deals]
    assert f"Digest {record.digest.hex()}" in lines


def test_the_leader_and_the_taker_of_each_trick_are_marked():
    record = record_of(HEADER, played_match(HEADER))
    deal = record.deals[0]
    first = next(line for line in format_record(record).splitlines() if line.startswith("      1  "))

    assert first.count(">2C") == 1
    assert first.count("*") == 1
    columns = [first[9 + 8 * seat : 17 + 8 * seat].strip() for seat in range(4)]
    assert columns[deal.seats[0]].startswith(">2C")
    assert columns[deal.winners[0]].rstrip("sf").endswith("*")


def test_substitutes_faults_and_causes_are_told():
    match = played_match(HEADER)
    notes = match.deals[0].notes
    notes.play_causes[40:] = [ActionCause.SUBSTITUTE] * 12
    notes.faults[1], notes.rejections[1] = 3, 5
    notes.substitutions.append(
        Substitution(seat=1, cause=SeatCause.TIMEOUT, scope=SubstitutionScope.DEAL, after_plays=40)
    )

    text = format_record(record_of(HEADER, match))

    assert (
        "cautious-1 plays for seat 1 (bot-1) from play 41 to the end of the deal: it did not answer in time"
        in text
    )
    assert re.search(r"faults +0 +3 +0 +0", text)
    assert re.search(r"reject +0 +5 +0 +0", text)
    assert len(re.findall(r"[2-9TJQKA][CDSH]\*?s", text)) == 12


def test_a_broken_off_match_says_so():
    text = format_record(record_of(HEADER, played_match(HEADER, stop_after_plays=6), MatchCause.VOID_SERVER))

    assert "  broken off" in text
    assert "Match void, by a fault of the server" in text
    assert "no place" in text


def test_a_kitty_and_a_cancelled_trick_are_shown():
    found = [sample_record("cancellation", 5, deals=1, seed=seed) for seed in range(40)]
    record = next(record for record in found if NOBODY in record.deals[0].winners)
    trick = record.deals[0].winners.index(NOBODY) + 1
    lines = format_record(record).splitlines()

    assert any(line.startswith("  kitty  S ") for line in lines)
    assert "*" not in next(line for line in lines if line.startswith(f"  {trick:>5}  "))
    assert "  nobody passes" in lines


def test_a_name_cannot_move_the_cursor_or_break_a_line():
    header = header_of(
        HEADER.rules,
        deal_limit=1,
        entrants=tuple(RecordEntrant(name=f"\x1b[2J\n{seat}" + "x" * 90, version="\r1") for seat in range(4)),
    )
    text = format_record(record_of(header, played_match(header)))

    assert "?[2J?0xxx" in text
    assert all(letter.isprintable() or letter == "\n" for letter in text)
    assert max(map(len, text.splitlines())) < 110


def test_a_moon_is_told_with_its_award():
    found = (sample_record("hearts", 3, deals=None, seed=seed) for seed in range(60))
    record = next(record for record in found if any(deal.shooter is not None for deal in record.deals))
    deal = next(deal for deal in record.deals if deal.shooter is not None)
    text = format_record(record)

    award = "the others pay" if deal.choice is MoonChoice.ADD else "its own score is lowered"
    assert f"  seat {deal.shooter} (bot-{deal.shooter}) shoots the moon: {award}" in text.splitlines()


def test_set_and_lap_stand_in_the_first_line():
    header = header_of(HEADER.rules, deal_limit=1, set_index=4, lap=2)
    match = played_match(header, stop_after_plays=0)

    text = format_record(record_of(header, match, MatchCause.CANCELLED))

    assert text.startswith("Match m3.1, tournament t1, fixture 3, attempt 1, set 4, lap 2\n")
    assert "  trick" not in text


def test_a_match_of_its_own_names_no_tournament():
    header = header_of(HEADER.rules, deal_limit=1, tournament="", fixture=None)

    assert format_record(record_of(header, played_match(header))).startswith("Match m3.1\n")
