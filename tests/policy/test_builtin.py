"""The built-in policies: always legal, as strong as they claim, and deterministic where they must be."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.play import asked, random_board
from tests.rules.variants import TABLE_IDS, TABLES, mixtures

from kiery.cards import EMPTY, cards_in, mask_of, parse_card, parse_cards
from kiery.engine import Match, Stream
from kiery.policy import POLICIES, SUBSTITUTE, Policy, act
from kiery.rules import MatchLength, Rules, preset
from kiery.view import Action, Decision, DecisionKind, Observation, Phase, judge_answer

Chooser = Callable[[int], Policy]


class NoChance:
    """Chance that must not be asked."""

    def below(self, bound: int, /) -> int:
        raise AssertionError(bound)


def answer(match: Match, seat: int, policy: Policy, chance: Any) -> Action:
    """Lets a policy answer what its seat is asked; the answer must be one that the server takes."""
    decision = asked(match.deal, seat)
    assert decision is not None
    observation = match.observe(seat, decision=decision)
    action = act(policy, observation, chance)
    illegality = judge_answer(decision, action)
    assert illegality is None, f"{policy} at {observation}: {illegality}"
    return action


def play_match(rules: Rules, policy_of: Chooser, seed: int, deals: int = 1) -> Match:
    """Plays deals of seeded boards with a policy at each seat."""
    match = Match(
        rules,
        MatchLength(deal_limit=deals),
        lambda number: random_board(rules, number, Random(seed * 100 + number)),
    )
    chance = Stream(seed.to_bytes(8, "big"))
    while not match.over:
        match.start_deal()
        while match.deal.phase is not Phase.SCORED:
            if match.deal.phase is Phase.PASSING:
                for seat in range(rules.num_players):
                    match.choose_pass(seat, mask_of(answer(match, seat, policy_of(seat), chance).cards))
                continue
            seat = match.deal.turn
            action = answer(match, seat, policy_of(seat), chance)
            if match.deal.phase is Phase.MOON_CHOICE:
                match.choose_moon(action.moon)
            else:
                match.play(action.cards[0])
    return match


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize(("preset_name", "players"), TABLES, ids=TABLE_IDS)
def test_policy_acts_legally_at_every_table(name: str, preset_name: str, players: int) -> None:
    rules = preset(preset_name, players)
    others = list(POLICIES.values())

    # Against itself, and mixed with the others: the positions differ.
    play_match(rules, lambda _: POLICIES[name], seed=1, deals=2)
    play_match(rules, lambda seat: others[seat % 3], seed=2, deals=2)


@given(mixtures(), st.integers(0, 10_000))
def test_policies_act_legally_under_any_parameters(rules: Rules, seed: int) -> None:
    policies = list(POLICIES.values())

    play_match(rules, lambda seat: policies[(seat + seed) % 3], seed)


def points_by_policy(rules: Rules, first: str, second: str, deals: int) -> tuple[int, int]:
    """Returns the points of two policies that sit in turn, over deals played from both seatings."""
    totals = {first: 0, second: 0}
    for seed in range(deals // 2):
        for seating in ((first, second), (second, first)):
            match = play_match(rules, lambda seat, names=seating: POLICIES[names[seat % 2]], seed)
            for seat, score in enumerate(match.scores):
                totals[seating[seat % 2]] += score
    return totals[first], totals[second]


@pytest.mark.parametrize(("stronger", "weaker"), [("cautious", "low"), ("low", "random")])
def test_stronger_policy_takes_clearly_fewer_points(stronger: str, weaker: str) -> None:
    fewer, more = points_by_policy(preset("klasyk", 4), stronger, weaker, deals=300)

    assert fewer < 0.9 * more, f"{stronger} {fewer}, {weaker} {more} points in 300 deals"


def test_substitute_draws_no_random_numbers_and_repeats_itself() -> None:
    rules = preset("hearts", 4)

    def play(chance: Any) -> list[bytes]:
        match = Match(rules, MatchLength(deal_limit=1), lambda _: random_board(rules, 1, Random(9)))
        match.start_deal()
        given = []
        while match.deal.phase is Phase.PASSING:
            seat = match.deal.passes.index(None)
            given.append(answer(match, seat, SUBSTITUTE, chance).cards)
            match.choose_pass(seat, mask_of(given[-1]))
        while match.deal.phase is Phase.PLAYING:
            given.append(answer(match, match.deal.turn, SUBSTITUTE, chance).cards)
            match.play(given[-1][0])
        return given

    assert play(NoChance()) == play(NoChance())
    assert (str(SUBSTITUTE), SUBSTITUTE.name) == ("cautious-1", "cautious")


@pytest.mark.parametrize("name", ["low", "cautious"])
def test_policy_without_chance_needs_none(name: str) -> None:
    match = Match(
        preset("omnibus", 4), MatchLength(), lambda _: random_board(preset("omnibus", 4), 1, Random(1))
    )
    match.start_deal()

    assert len(answer(match, 0, POLICIES[name], NoChance()).cards) == 3


def test_random_plays_differ_with_the_stream() -> None:
    rules = preset("hearts", 4)
    match = Match(rules, MatchLength(), lambda _: random_board(rules, 1, Random(1)))
    match.start_deal()

    answers = {answer(match, 0, POLICIES["random"], Stream(bytes([seed]))).cards for seed in range(20)}

    assert len(answers) > 10


def test_policies_are_listed_with_name_version_and_summary() -> None:
    assert [str(policy) for policy in POLICIES.values()] == ["random-1", "low-1", "cautious-1"]
    assert all(policy.summary and name == policy.name for name, policy in POLICIES.items())


def test_ready_is_yes_and_the_moon_is_left_to_the_rule() -> None:
    match = Match(
        preset("hearts", 4), MatchLength(), lambda _: random_board(preset("hearts", 4), 1, Random(1))
    )
    match.start_deal()

    for kind in (DecisionKind.READY, DecisionKind.MOON_CHOICE):
        observation = match.observe(0, decision=Decision(kind=kind))
        assert act(SUBSTITUTE, observation, NoChance()) == Action()


def test_nothing_asked_cannot_be_answered() -> None:
    match = Match(
        preset("hearts", 4), MatchLength(), lambda _: random_board(preset("hearts", 4), 1, Random(1))
    )
    match.start_deal()

    with pytest.raises(ValueError, match="the observation holds no decision"):
        act(SUBSTITUTE, match.observe(0), NoChance())


# How the careful one plays


def choice(hand: str, trick: str = "", *, legal: str = "", played: str = "", name: str = "cautious") -> str:
    """Returns a policy's play; `played` are earlier tricks of four cards, `trick` the one on the table."""
    before = [parse_card(word) for word in played.split()]
    table = [parse_card(word) for word in trick.split()]
    observation = Observation(
        rules=preset("omnibus", 4),
        seat=3,
        deal_number=1,
        phase=Phase.PLAYING,
        dealer=0,
        pass_offset=0,
        hand_mask=parse_cards(hand),
        seats=bytes((3 - len(table) + index) % 4 for index in range(len(before) + len(table))),
        cards=bytes([*before, *table]),
        winners=bytes(len(before) // 4),
        trick_size=len(table),
        points=(0,) * 4,
        scores=(0,) * 4,
        kind=DecisionKind.PLAY,
        legal_mask=parse_cards(legal or hand),
        choose_count=1,
    )
    return str(POLICIES[name].choose_play(observation, NoChance()))


FIRST = "2C 3C 4C 5C"


def test_only_legal_card_is_played() -> None:
    assert choice("AH KS", "2C", legal="KS", played=FIRST) == "KS"


def test_follower_ducks_with_the_highest_card_that_cannot_win() -> None:
    assert choice("3D 9D KD", "TD 2D QD", played=FIRST) == "9D"


def test_last_player_who_must_take_the_trick_spends_the_highest_card() -> None:
    assert choice("JD KD", "TD 2D 4D", played=FIRST).startswith("K")


def test_follower_who_cannot_duck_stays_low_while_others_follow() -> None:
    assert choice("QC KC", "TC", played=FIRST) == "QC"


def test_follower_spends_a_high_club_where_the_first_trick_bans_points() -> None:
    assert choice("QC AC", "3C") == "AC"


def test_spade_follower_keeps_the_queen_where_it_would_win() -> None:
    assert choice("QS KS", "JS", played=FIRST) == "KS"
    assert choice("QS KS", "AS", played=FIRST) == "QS"


def test_discard_is_the_queen_first_then_what_could_catch_her() -> None:
    assert choice("QS AH 3D", "2C", played=FIRST) == "QS"
    assert choice("KS AH 3D", "2C", played=FIRST) == "KS"
    assert choice("KS AH 3D", "2C", played="QS 3C 4C 5C") == "AH"


def test_bonus_card_is_not_passed_on() -> None:
    rules = preset("omnibus", 4)
    hand = parse_cards("JD 2C 3C 4C")
    for name in ("low", "cautious"):
        observation = Observation(
            rules=rules,
            seat=0,
            deal_number=1,
            phase=Phase.PASSING,
            dealer=0,
            pass_offset=1,
            hand_mask=hand,
            points=(0,) * 4,
            scores=(0,) * 4,
            kind=DecisionKind.PASS,
            legal_mask=hand,
            choose_count=3,
        )
        passed = POLICIES[name].choose_pass(observation, NoChance())
        assert parse_card("JD") not in passed
        assert len(set(passed)) == 3


def test_high_spades_are_passed_unless_many_guard_them() -> None:
    def passed(hand: str) -> str:
        mask = parse_cards(hand)
        observation = Observation(
            rules=preset("hearts", 4),
            seat=0,
            deal_number=1,
            phase=Phase.PASSING,
            dealer=0,
            pass_offset=1,
            hand_mask=mask,
            points=(0,) * 4,
            scores=(0,) * 4,
            kind=DecisionKind.PASS,
            legal_mask=mask,
            choose_count=1,
        )
        return str(*POLICIES["cautious"].choose_pass(observation, NoChance()))

    assert passed("QS 2S 9C AD") == "QS"
    assert passed("KS 2S 9C 2D") == "KS"
    assert passed("KS 2S 3S 4S 5S 9C AD") == "AD"


def test_lead_is_low_and_not_a_high_spade_while_the_queen_is_out() -> None:
    assert choice("AS 3D AC", played=FIRST) == "3D"
    assert choice("AS KS 2D", played=FIRST) == "2D"


def test_low_policy_leads_and_follows_low_and_discards_danger() -> None:
    assert choice("9D 3D KD", name="low") == "3D"
    assert choice("9D KD", "TD", name="low", played=FIRST) == "9D"
    assert choice("AH QS 2D", "3C", name="low", played=FIRST) == "QS"


def test_cards_of_both_packs_are_counted() -> None:
    rules = preset("cancellation", 5)
    match = play_match(rules, lambda _: SUBSTITUTE, seed=3)

    assert len(match.deal.cards) == 100
    assert list(match.deal.hands) == [EMPTY] * 5
    assert len(cards_in(match.deal.board.kitty)) == 4
