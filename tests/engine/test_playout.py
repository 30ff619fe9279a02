"""Positions, playouts and layouts agree with the truth in every variant."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.play import act_by_chance, random_match, small
from tests.rules.variants import TABLE_IDS, TABLES, variants

from kiery.cards import (
    SUIT_MASKS,
    card_numbers,
    count_cards,
    has_cards,
    join_cards,
    mask_of,
    parse_card,
    parse_cards,
)
from kiery.engine import (
    Deal,
    LayoutSampler,
    Match,
    Position,
    playout,
    playout_of_board,
    random_position,
)
from kiery.rules import (
    FinalCancelledTrick,
    FirstTrickBan,
    MatchLength,
    Moon,
    MoonChoice,
    OpeningLead,
    Rules,
    preset,
)
from kiery.view import Phase

seeds = st.integers(0, 2**32)


class Recorded:
    """A position whose plays are put to a deal, which refuses what is illegal."""

    def __init__(self, current: Deal) -> None:
        self.deal = current
        self.position = Position.of_deal(current)

    def check(self) -> None:
        position, current = self.position, self.deal
        assert position.is_over == (current.phase is not Phase.PLAYING)
        assert tuple(position.hands) == current.hands
        assert (position.broken, position.taken) == (current.broken, list(current.taken))
        assert position.result() == current.result()
        if not position.is_over:
            assert position.turn == current.turn
            assert position.legal() == current.legal
            assert position.leader == current.leader()


def finished(current: Deal, choice: MoonChoice) -> tuple[int, ...]:
    if current.phase is Phase.MOON_CHOICE:
        current.choose_moon(choice)
    assert current.awarded is not None
    return current.awarded


def passed(match: Match, chance: Random) -> Deal:
    match.start_deal()
    while match.deal.phase is Phase.PASSING:
        act_by_chance(match, chance)
    return match.deal


@settings(max_examples=100)
@given(variants(), seeds)
def test_a_position_follows_the_deal_card_by_card(rules: Rules, seed: int) -> None:
    chance = Random(seed)
    both = Recorded(passed(random_match(rules, seed), chance))

    both.check()
    while not both.position.is_over:
        card = chance.choice(card_numbers(both.position.legal()))
        both.position.play(card)
        both.deal.play(card)
        both.check()

    choice = chance.choice([*MoonChoice])
    assert both.position.points(choice) == finished(both.deal, choice)


@settings(max_examples=60)
@given(variants(), seeds)
def test_a_position_can_begin_at_any_card(rules: Rules, seed: int) -> None:
    chance = Random(seed)
    current = passed(random_match(rules, seed), chance)
    while current.phase is Phase.PLAYING:
        position = Position.of_deal(current)
        other = position.copy()
        card = chance.choice(card_numbers(position.legal()))
        other.play(card)
        assert tuple(position.hands) == current.hands
        current.play(card)
        assert tuple(other.hands) == current.hands
        assert other.result() == current.result()
        assert other.is_over or other.legal() == current.legal


def outcomes(current: Deal, choice: MoonChoice) -> Counter[tuple[int, ...]]:
    """Returns the probability of every outcome of uniformly random play, by trying all."""
    found: Counter[tuple[int, ...]] = Counter()

    def walk(position: Position, share: float) -> None:
        if position.is_over:
            found[position.points(choice)] += share
            return
        legal = card_numbers(position.legal())
        for card in legal:
            further = position.copy()
            further.play(card)
            walk(further, share / len(legal))

    walk(Position.of_deal(current), 1.0)
    return found


@pytest.mark.parametrize(
    "current",
    [
        small("2C 5D 8H / 3C 6D QS / 4C 7D 9H"),
        small("2C 5D 8H / 3C 6D QS / 4C 7D 9H", must_break_hearts=True),
        small("2C QS 8H / 3H 6D 2D / 4C 7D 9H", first_trick_ban=FirstTrickBan.ALL_POINTS),
        small("2C 2C 8H / 3C 4C QS / 4C 8H 9H"),
        small("2C JD 8H / 3C 6D QS / 4C 7D 9H", no_trick_bonus=-5),
    ],
    ids=["free", "unbroken", "banned", "cancelled", "no-trick"],
)
def test_playouts_come_out_as_often_as_they_should(current: Deal) -> None:
    expected = outcomes(current, MoonChoice.ADD)
    position, chance = Position.of_deal(current), Random(5)
    count = 3000

    found = Counter(playout(position, chance) for _ in range(count))

    assert set(found) <= set(expected)
    for outcome, share in expected.items():
        # Five standard errors.
        assert abs(found[outcome] / count - share) < 5 * (abs(share * (1 - share)) / count) ** 0.5 + 1e-9


@pytest.mark.parametrize(("name", "players"), TABLES, ids=TABLE_IDS)
def test_playouts_of_every_preset_share_out_the_pack(name: str, players: int) -> None:
    rules = preset(name, players)
    chance = Random(3)
    bonus = rules.bonus_points * rules.bonus_copies
    moon = rules.moon_points * (players - 1) + bonus
    for number in range(1, 15):
        position = random_position(rules, number, chance)
        before = [position.hands[:], bytes(position.trick), position.taken[:]]
        for _ in range(3):
            position.play(card_numbers(position.legal())[0])
            before = [position.hands[:], bytes(position.trick), position.taken[:]]
            assert sum(playout(position, chance)) in {rules.pack_points + bonus, moon}
            assert [position.hands, bytes(position.trick), position.taken] == before
        assert sum(playout_of_board(rules, number, chance)) in {rules.pack_points + bonus, moon}


def test_playouts_follow_from_their_chance() -> None:
    rules = preset("omnibus", 5)

    first, second = ([playout_of_board(rules, 1, Random(seed)) for seed in range(20)] for _ in range(2))

    assert first == second
    assert len(set(first)) > 10


def test_a_moon_is_awarded_as_the_rules_or_the_shooter_have_it() -> None:
    awards = {}
    for moon in (Moon.CHOICE, Moon.OTHERS_PLUS, Moon.SHOOTER_MINUS):
        position = Position(preset("hearts", 3, moon=moon), (0, 0, 0), 0)
        position.taken, position.tricks, position.tricks_left = [26, 0, 0], [17, 0, 0], 0
        awards[moon] = [position.points(MoonChoice.ADD), position.points(MoonChoice.SUBTRACT)]

    added, subtracted = (0, 26, 26), (-26, 0, 0)
    assert awards[Moon.CHOICE] == [added, subtracted]
    assert awards[Moon.OTHERS_PLUS] == [added, added]
    assert awards[Moon.SHOOTER_MINUS] == [subtracted, subtracted]


@settings(max_examples=80)
@given(variants(), seeds)
def test_layouts_agree_with_all_that_the_viewer_knows(rules: Rules, seed: int) -> None:
    chance = Random(seed)
    match = random_match(rules, seed)
    match.start_deal()
    stop = chance.randrange(1 + rules.deck_size)
    seat = chance.randrange(rules.num_players)
    while match.deal.phase in {Phase.PASSING, Phase.PLAYING} and len(match.deal.cards) < stop:
        act_by_chance(match, chance)
    observation = match.observe(seat)
    current = match.deal
    sampler = LayoutSampler(observation)

    for _ in range(3):
        hands, kitty = sampler.sample(chance)
        assert hands[seat] == current.hand(seat)
        assert [*map(count_cards, hands)] == [*map(count_cards, current.hands)]
        together = join_cards(kitty, observation.kitty_mask)
        for hand in hands:
            together = join_cards(together, hand)
        assert join_cards(together, mask_of(current.cards)) == rules.deck
        if current.phase is Phase.PLAYING:
            position = Position.of_observation(observation, hands, kitty)
            if current.turn == seat:
                assert (position.turn, position.legal()) == (seat, current.legal)
            playout(position, chance)


def test_a_void_that_was_shown_is_respected_and_passed_cards_are_where_they_went() -> None:
    rules = preset("hearts", 4)
    for seed in range(12):
        chance = Random(seed)
        match = random_match(rules, seed)
        deal_now = passed(match, chance)
        for _ in range(20):
            act_by_chance(match, chance)
        view = match.observe(0)
        receiver = 1
        still = view.passed_mask & ~mask_of(deal_now.cards)
        voids = shown_voids(deal_now)
        for _ in range(10):
            hands, _ = LayoutSampler(view).sample(chance)
            assert has_cards(hands[receiver], still)
            assert not any(hands[seat] & SUIT_MASKS[suit] for seat, suit in voids if seat != 0)


def shown_voids(current: Deal, players: int = 4) -> set[tuple[int, int]]:
    voids = set()
    for index, (seat, card) in enumerate(zip(current.seats, current.cards, strict=True)):
        led = (current.cards[index - index % players] - 1) // 13
        if (card - 1) // 13 != led:
            voids.add((seat, led))
    return voids


def test_a_layout_is_found_wherever_there_is_one() -> None:
    # Late in a deal with many voids a random draw often ends where no place is left for a card.
    rules = preset("hearts", 5)
    for seed in range(15):
        chance = Random(seed)
        match = random_match(rules, seed)
        current = passed(match, chance)
        while current.phase is Phase.PLAYING:
            sampler = LayoutSampler(match.observe(seed % 5))
            voids = shown_voids(current, 5)
            hands, _ = sampler.sample(chance)
            assert not any(hands[who] & SUIT_MASKS[suit] for who, suit in voids)
            act_by_chance(match, chance)


def test_layouts_without_a_void_are_equally_likely() -> None:
    match = Match(
        small("2C 5D / 3C 6D / 4C 7D").rules,
        MatchLength(deal_limit=1),
        lambda _: small("2C 5D / 3C 6D / 4C 7D").board,
    )
    match.start_deal()
    sampler, chance = LayoutSampler(match.observe(0)), Random(1)

    found = Counter(sampler.sample(chance) for _ in range(3000))

    # Four cards in two hands of two: six layouts of 500 each, within five standard deviations.
    assert len(found) == 6
    assert all(abs(count - 500) < 103 for count in found.values())


def test_an_observation_that_contradicts_itself_is_refused() -> None:
    match = random_match(preset("hearts", 4), 1)
    match.start_deal()
    view = match.observe(0)

    with pytest.raises(ValueError, match="hidden places"):
        LayoutSampler(replace(view, hand_mask=view.hand_mask & view.hand_mask - 1))
    with pytest.raises(ValueError, match="exchange"):
        Position.of_observation(view, match.deal.hands)
    with pytest.raises(ValueError, match="exchange"):
        Position.of_deal(match.deal)


@pytest.mark.parametrize("taker", FinalCancelledTrick)
def test_a_cancelled_last_trick_goes_where_the_rules_send_it(taker: FinalCancelledTrick) -> None:
    for one, plays in (
        (small("3C / 3C / 5D", final_cancelled_trick=taker), "3C 3C 5D"),
        (small("2C 3C / 4C 3C / 5C 5D", final_cancelled_trick=taker), "2C 4C 5C 5D 3C 3C"),
        (small("3C 6C / 3C 4C / 5D 7D", final_cancelled_trick=taker), "3C 3C 5D 6C 4C 7D"),
        (small("6C 3C / 4C 3C / 5D 7D", final_cancelled_trick=taker), "6C 4C 5D 3C 3C 7D"),
    ):
        position = Position.of_deal(one)
        for card in (parse_card(word) for word in plays.split()):
            position.play(card)
            one.play(card)
        assert position.result() == one.result()
        assert position.is_over


def test_an_opening_with_any_club_is_a_club_of_its_holder() -> None:
    rules = small("2C 3C / 4C 5D / 6D 7D", opening_lead=OpeningLead.LOWEST_CLUB_HOLDER_ANY_CLUB).rules

    assert {sum(playout_of_board(rules, 1, Random(seed))) for seed in range(10)} == {0}


def test_voids_that_leave_no_place_for_a_card_are_refused() -> None:
    current = small("2C 5D / 3C 6D / 4C 7D")
    match = Match(current.rules, MatchLength(deal_limit=1), lambda _: current.board)
    match.start_deal()
    view = match.observe(0)
    # Both others discard on the club, and yet the clubs that are left must be theirs.
    hand = view.hand_mask & ~parse_cards("2C")
    lying = replace(
        view, hand_mask=hand, seats=bytes([0, 1, 2]), cards=bytes(map(parse_card, ("2C", "6D", "7D")))
    )

    with pytest.raises(ValueError, match="no layout"):
        LayoutSampler(lying).sample(Random(1))
