"""The judge of whole deals says what `Deal` says, or nothing."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.play import deal, play_deal, random_match
from tests.rules.variants import TABLE_IDS, TABLES, variants

from kiery.cards import EMPTY, cards_in, mask_of, parse_card
from kiery.engine import Board, BoardError, Deal, IllegalPlayError, JudgedDeal, board_from_hands, judge_of
from kiery.rules import FirstTrickBan, MoonChoice, OpeningLead, PassDirection, QueenLead, Rules, preset
from kiery.view import Phase

seeds = st.integers(0, 2**32)


def judged(rules: Rules, board: Board, passes, cards) -> JudgedDeal | None:
    """Returns what the judge says."""
    return judge_of(rules).judge(board.number, board.hands, passes, bytes(cards))


def played(rules: Rules, board: Board, passes, cards) -> Deal | None:
    """Returns the deal once all cards are played, none if anything is refused or missing."""
    try:
        current = Deal(rules, board_from_hands(rules, board.number, board.hands), 1)
        for seat, passed in enumerate(passes):
            current.choose_pass(seat, passed)
        for card in cards:
            current.play(card)
    except (BoardError, IllegalPlayError):
        return None
    return None if current.phase in {Phase.PASSING, Phase.PLAYING} else current


def assert_same(rules: Rules, one: JudgedDeal, other: Deal) -> None:
    """Holds every outcome against that of the state machine."""
    assert one.seats == bytes(other.seats)
    assert one.winners == bytes(other.winners)
    assert one.taken == list(other.taken)
    assert one.bonus_cards == list(other.bonus_cards)
    assert one.broken == other.broken
    assert one.shooter == other.shooter
    assert one.result() == other.result()
    if other.phase is Phase.MOON_CHOICE:
        other.choose_moon(MoonChoice.SUBTRACT)
    assert judge_of(rules).award(one, other.choice) == other.awarded


def passes_of(current: Deal) -> list[int]:
    return [passed or EMPTY for passed in current.passes] if current.pass_offset else []


@settings(max_examples=120)
@given(variants(), seeds)
def test_an_accepted_deal_came_out_as_it_was_played(rules: Rules, seed: int) -> None:
    match = random_match(rules, seed, deal_limit=3)
    chance = Random(seed)
    while not match.over:
        current = play_deal(match, chance)
        outcome = judged(rules, current.board, passes_of(current), current.cards)
        if outcome is not None:
            assert_same(rules, outcome, current)


@pytest.mark.parametrize(("name", "players"), TABLES, ids=TABLE_IDS)
def test_nearly_all_deals_of_plain_presets_are_accepted(name: str, players: int) -> None:
    rules = preset(name, players)
    match = random_match(rules, 5, deal_limit=30)
    chance = Random(5)
    accepted = 0
    while not match.over:
        current = play_deal(match, chance)
        accepted += judged(rules, current.board, passes_of(current), current.cards) is not None

    assert accepted >= 24 if name != "cancellation" else accepted == 0


def changed(current: Deal, chance: Random) -> tuple[Board, list[int], bytearray]:
    """Returns board, passes and plays of a deal with something small changed, so that many stay legal."""
    hands, passes, cards = list(current.board.hands), passes_of(current), bytearray(current.cards)
    place = chance.randrange(len(cards))
    match chance.randrange(11):
        case 0 | 1 | 2 | 3:
            # Two plays of one seat: often as legal as before.
            own = [index for index, seat in enumerate(current.seats) if seat == current.seats[place]]
            other = chance.choice(own)
            cards[place], cards[other] = cards[other], cards[place]
        case 4:
            other = chance.randrange(len(cards))
            cards[place], cards[other] = cards[other], cards[place]
        case 5:
            cards[place] = chance.choice([chance.choice(cards), chance.randrange(256)])
        case 6:
            # Two seats were dealt each other's card.
            one, other = chance.sample(range(len(hands)), 2)
            both = 1 << chance.choice(cards_in(hands[one])) | 1 << chance.choice(cards_in(hands[other]))
            hands[one] ^= both
            hands[other] ^= both
        case 7 if passes:
            seat = chance.randrange(len(passes))
            count = chance.choice([len(cards_in(passes[seat])), 1])
            passes[seat] = mask_of(
                chance.sample(cards_in(hands[seat]), min(count, len(cards_in(hands[seat]))))
            )
        case 8:
            # A card more for one seat, a card less for another.
            one, other = chance.sample(range(len(hands)), 2)
            moved = 1 << chance.choice(cards_in(hands[one]))
            hands[one] ^= moved
            hands[other] ^= moved
        case 9:
            hands[chance.randrange(len(hands))] ^= 1 << chance.choice([0, 1, 30, 53, 60, 105, 200])
        case _:
            del cards[-chance.choice([1, len(hands)]) :]
    return Board(number=current.board.number, hands=tuple(hands)), passes, cards


@settings(max_examples=60)
@given(variants().filter(lambda rules: not rules.kitty_size), seeds)
def test_a_changed_deal_is_accepted_only_if_it_could_be_played(rules: Rules, seed: int) -> None:
    match = random_match(rules, seed, deal_limit=1)
    chance = Random(seed)
    original = play_deal(match, chance)
    for _ in range(20):
        board, passes, cards = changed(original, chance)
        outcome = judged(rules, board, passes, cards)
        if outcome is None:
            continue
        again = played(rules, board, passes, cards)
        assert again is not None
        assert_same(rules, outcome, again)


def test_many_changed_deals_are_accepted_and_many_are_not() -> None:
    # So that the property above is about something.
    rules = preset("hearts", 4)
    chance = Random(1)
    verdicts = [0, 0]
    for seed in range(30):
        original = play_deal(random_match(rules, seed), chance)
        for _ in range(10):
            verdicts[judged(rules, *changed(original, chance)) is not None] += 1

    assert min(verdicts) >= 20


SHORT = Rules(
    preset="hearts",
    num_players=3,
    removed_cards=tuple(
        parse_card(f"{rank}{suit}")
        for suit in "CDSH"
        for rank in "23456789TJQKA"
        if f"{rank}{suit}" not in "2C 3C 4C 5D 6D 7D QS 8H 9H".split()
    ),
    pass_count=0,
    card_points=preset("hearts", 4).card_points,
)
HANDS = deal("2C 5D 8H / 3C 6D 9H / 4C 7D QS")
LEGAL = "2C 3C 4C 7D 5D 6D QS 8H 9H"


def verdict(plays: str, rules: Rules = SHORT, hands: list[int] | None = None) -> JudgedDeal | None:
    cards = bytes(parse_card(word) for word in plays.split())
    return judge_of(rules).judge(1, hands or HANDS, (), cards)


def changed_rules(**changes: object) -> Rules:
    values = {name: getattr(SHORT, name) for name in Rules.__dataclass_fields__}
    return Rules(**{**values, **changes})  # type: ignore[arg-type]


def test_winners_points_and_breaking_are_those_of_the_cards() -> None:
    outcome = verdict(LEGAL)

    assert outcome is not None
    assert (outcome.seats, outcome.winners) == (bytes([0, 1, 2, 2, 0, 1, 2, 0, 1]), bytes([2, 2, 2]))
    assert (outcome.taken, outcome.broken) == ([0, 0, 15], True)


@pytest.mark.parametrize(
    ("plays", "fault"),
    [
        ("2C 3C 4C 7D 8H 6D QS 5D 9H", "a discard while the suit led is held"),
        ("3C 4C 2C 7D 5D 6D QS 8H 9H", "another opening"),
        ("2C 4C 3C 7D 5D 6D QS 8H 9H", "another's card"),
        ("2C 3C 4C 5D 6D 7D QS 8H 9H", "a lead out of turn"),
        ("2C 3C 4C 7D 5D 6D QS 8H", "a play missing"),
        ("2C 3C 4C 7D 5D 6D QS 8H 8H", "a card twice"),
        ("2C 3C 4C 7D 5D 6D QS 8H KS", "a card that was removed"),
    ],
)
def test_what_breaks_a_rule_is_not_accepted(plays: str, fault: str) -> None:
    assert verdict(plays) is None, fault


@pytest.mark.parametrize(
    "plays",
    [
        # Illegal: 7D was there to be led.
        "2C 3C 4C 9H 8H QS 7D 5D 6D",
        # Legal: seat 2 has nothing but the heart left.
        "2C 3C 4C 7D 5D 6D 9H 8H QS",
    ],
)
def test_a_heart_led_while_unbroken_is_left_to_the_deal(plays: str) -> None:
    hands = deal("2C 5D 8H / 3C 6D QS / 4C 7D 9H")

    assert verdict(plays, hands=hands) is None
    assert verdict(plays, changed_rules(must_break_hearts=False), hands) is not None


@pytest.mark.parametrize(
    "changes",
    [
        {"queen_lead": QueenLead.AFTER_BROKEN},
        {"early_end": True},
        {"card_points": ((parse_card("QS"), 200), (parse_card("8H"), 200))},
    ],
)
def test_unusual_rules_are_left_to_the_deal(changes: dict[str, object]) -> None:
    assert verdict(LEGAL, changed_rules(**changes)) is None


def test_hands_of_other_sizes_are_not_accepted() -> None:
    # The first three cards of all hands in a row are still those that seat 0 plays.
    assert verdict(LEGAL, hands=deal("2C 5D / 3C 6D 8H 9H / 4C 7D QS")) is None
    assert verdict(LEGAL, hands=deal("2C 5D 8H 3C / 6D 9H / 4C 7D QS")) is None


def test_a_card_dealt_twice_is_not_accepted_though_the_exchange_hides_it() -> None:
    rules = changed_rules(pass_count=1, pass_cycle=(PassDirection.LEFT,), must_break_hearts=False)
    hands = deal("2C 5D 9H / 3C 6D 8H / 4C 7D QS")
    twice = deal("2C 5D 9H / 3C 6D 8H 9H / 4C 7D QS")
    passes = [mask_of([parse_card(card)]) for card in ("9H", "8H", "QS")]
    plays = bytes(parse_card(word) for word in "2C 3C 4C 7D 5D 6D 8H QS 9H".split())

    assert judge_of(rules).judge(1, hands, passes, plays) is not None
    assert judge_of(rules).judge(1, twice, passes, plays) is None


def test_hands_and_passes_of_other_counts_are_not_accepted() -> None:
    cards = bytes(parse_card(word) for word in LEGAL.split())
    passing = judge_of(changed_rules(pass_count=1, pass_cycle=(PassDirection.LEFT,)))

    assert judge_of(SHORT).judge(1, HANDS[:2], (), cards) is None
    assert judge_of(SHORT).judge(1, HANDS, (HANDS[0] & -HANDS[0], 0, 0), cards) is None
    assert judge_of(SHORT).judge(1, HANDS, (0, 0, 0), cards) is not None
    assert passing.judge(1, HANDS, (), cards) is None


def test_openings_are_judged_as_the_rules_have_them() -> None:
    left = changed_rules(opening_lead=OpeningLead.DEALER_LEFT, first_dealer=1)
    right = changed_rules(opening_lead=OpeningLead.DEALER_LEFT, first_dealer=0)
    any_club = changed_rules(opening_lead=OpeningLead.LOWEST_CLUB_HOLDER_ANY_CLUB)
    plays = "4C 2C 3C 7D 5D 6D QS 8H 9H"

    assert verdict(plays, left) is not None
    assert verdict(plays, right) is None
    assert verdict(plays, any_club) is None
    assert verdict(LEGAL, any_club) is not None
    assert verdict("5D 6D 7D 4C 2C 3C QS 8H 9H", any_club) is None


def test_a_banned_card_in_the_first_trick_is_left_to_the_deal() -> None:
    hands = deal("2C 3C 8H / QS 6D 9H / 4C 7D 5D")
    plays = "2C QS 4C 7D 3C 6D 5D 8H 9H"

    assert verdict(plays, hands=hands) is None
    assert verdict(plays, changed_rules(first_trick_ban=FirstTrickBan.NONE), hands) is not None


def test_a_moon_is_awarded_as_it_was_chosen() -> None:
    rules = preset("hearts", 3)
    judge = judge_of(rules)
    outcome = JudgedDeal(b"", bytes([1] * 17), [0, 26, 0], [0, 0, 0], broken=True, shooter=1)

    assert judge.award(outcome, MoonChoice.ADD) == (26, 0, 26)
    assert judge.award(outcome, MoonChoice.SUBTRACT) == (0, -26, 0)
    with pytest.raises(ValueError, match="choice"):
        judge.award(outcome)
