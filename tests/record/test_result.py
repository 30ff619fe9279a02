"""What standings read in a record."""

import pytest
from tests.record.matches import header_of, played_match, record_of, sample_record
from tests.rules.reference import piles

from kiery.cards import CARDS, cards_in
from kiery.record import Substitution, deal_results
from kiery.rules import PRESETS, preset, rules_from
from kiery.terms import ActionCause, MatchCause, SeatCause, SubstitutionScope

VARIANTS = [(preset.name, players) for preset in PRESETS.values() for players in preset.players]


@pytest.mark.parametrize(("name", "players"), VARIANTS)
def test_tricks_and_queens_are_those_of_the_reference_rules(name, players):
    record = sample_record(name, players, deals=3)
    rules = record.header.rules
    for deal, result in zip(record.deals, deal_results(record), strict=True):
        plain = [str(card) for card in (CARDS[number - 1] for number in deal.cards)]
        tricks = [
            (deal.seats[start], plain[start : start + players]) for start in range(0, len(plain), players)
        ]
        taken, counts, _ = piles(rules, tricks, [str(card) for card in cards_in(deal.kitty)])

        assert result.tricks == tuple(counts)
        assert result.queens == tuple(pile.count("QS") for pile in taken)
        assert (result.points, result.totals) == (deal.points, deal.totals)


def test_the_kitty_may_wait_for_the_first_trick_with_points():
    rules = rules_from("cancellation", 7, {"leftover": "kitty_first_point_trick"})
    header = header_of(rules, deal_limit=12)
    record = record_of(header, played_match(header))

    for deal, result in zip(record.deals, deal_results(record), strict=True):
        plain = [str(card) for card in (CARDS[number - 1] for number in deal.cards)]
        tricks = [(deal.seats[start], plain[start : start + 7]) for start in range(0, len(plain), 7)]
        taken, _, _ = piles(rules, tricks, [str(card) for card in cards_in(deal.kitty)])
        assert result.queens == tuple(pile.count("QS") for pile in taken)


def test_forfeits_faults_and_own_think_times_are_told():
    header = header_of(preset("hearts", 4), deal_limit=2)
    match = played_match(header, think_ms=50)
    notes = match.deals[0].notes
    notes.play_causes = [
        ActionCause.SUBSTITUTE if seat == 2 else ActionCause.ANSWERED for seat in match.deals[0].seats
    ]
    notes.substitutions.append(
        Substitution(seat=2, cause=SeatCause.DISCONNECTED, scope=SubstitutionScope.DEAL, after_plays=0)
    )
    notes.faults[2] = 3
    notes.pass_causes[2] = ActionCause.SUBSTITUTE

    first, second = deal_results(record_of(header, match))

    assert (first.forfeited, second.forfeited) == ((2,), ())
    assert (first.faults, second.faults) == ((0, 0, 3, 0), (0, 0, 0, 0))
    assert [len(own) for own in first.think_ms] == [14, 14, 0, 14]
    assert [len(own) for own in second.think_ms] == [14] * 4
    assert sum(first.think_ms[0]) == notes.pass_ms[0] + sum(
        ms for seat, ms in zip(match.deals[0].seats, notes.play_ms, strict=True) if seat == 0
    )


def test_a_deal_that_was_broken_off_has_no_result():
    header = header_of(preset("hearts", 4))
    record = record_of(header, played_match(header, stop_after_plays=60), MatchCause.CANCELLED)

    assert [result.number for result in deal_results(record)] == [1]
