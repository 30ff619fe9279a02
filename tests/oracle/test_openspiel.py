"""Whole deals played in parallel with OpenSpiel's Hearts, an implementation that shares nothing with ours.

OpenSpiel plays one deal of four with eight switches, and each has its parameter here:

=================================  ==================================================================
`pass_cards`                       a board of the cycle left, right, across, hold; off: the hold board
`no_pts_on_first_trick`            `first_trick_ban` = all_points; off: none
`can_lead_any_club`                `opening_lead` = lowest_club_holder_any_club; off: lowest_club_holder
`jd_bonus`                         `bonus_card` = JD, `bonus_points` = -10
`avoid_all_tricks_bonus`           `no_trick_bonus` = -5 (void in a deal with a moon, there and here)
`must_break_hearts`                `must_break_hearts`
`qs_breaks_hearts`                 `breaks` = hearts_qs; off: hearts
`can_lead_hearts_instead_of_qs`    `heart_lead_exception` = only_points; off: only_hearts
=================================  ==================================================================

All 256 combinations can be expressed, and each plays `DEALS` deals. What OpenSpiel cannot play is not
compared here: `queen_only` bans, other moons than `others_plus` 26, other numbers of players, two packs.

Two meanings differ without making a difference. `only_points` asks whether every card that is no heart
has points, OpenSpiel whether the only such card is QS; with points on hearts and QS alone that is the
same. Without `must_break_hearts` OpenSpiel calls hearts broken from the start, we when the first is
played; nothing depends on it then, so that flag is compared only where hearts must be broken.

OpenSpiel's `returns()` are 26 minus points. Its cards are 4 · rank + suit, with the suits
C D H S. Its first chance action is the
pass direction as an offset (0 nobody, 1 left, 2 across, 3 right), the next 52 deal one card each to
seats 0, 1, 2, 3 in turn; passes are chosen seat by seat and card by card.
"""

from itertools import product
from random import Random
from typing import Any

import pytest

from kiery.cards import CARDS, Card, Rank, Suit, mask_of, parse_card
from kiery.engine import Board, Deal
from kiery.rules import (
    Breaks,
    FirstTrickBan,
    HeartLeadException,
    Moon,
    OpeningLead,
    Rules,
    preset,
)
from kiery.view import Phase

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is in the dependency group `oracle`")

pytestmark = pytest.mark.oracle

DEALS = 2_000

SWITCHES = (
    "pass_cards",
    "no_pts_on_first_trick",
    "can_lead_any_club",
    "jd_bonus",
    "avoid_all_tricks_bonus",
    "must_break_hearts",
    "qs_breaks_hearts",
    "can_lead_hearts_instead_of_qs",
)
COMBINATIONS = [dict(zip(SWITCHES, values, strict=True)) for values in product((True, False), repeat=8)]

SUITS = (Suit.CLUBS, Suit.DIAMONDS, Suit.HEARTS, Suit.SPADES)
"""The suits in OpenSpiel's order."""

OURS = [int(Card.of(Rank(number // 4), SUITS[number % 4])) for number in range(52)]
"""Our card number by OpenSpiel's."""
BIT = [1 << card for card in OURS]
"""Our mask of one card by OpenSpiel's number."""

BOARD_OF_OFFSET = {1: 1, 3: 2, 2: 3, 0: 4}
"""The board number of our cycle that passes by an offset."""


def test_cards_have_the_same_names_in_both() -> None:
    state = pyspiel.load_game("hearts").new_initial_state()
    state.apply_action(0)

    assert [state.action_to_string(number) for number in range(52)] == [str(CARDS[card - 1]) for card in OURS]


def name_of(switches: dict[str, bool]) -> str:
    return "-".join(name for name, on in switches.items() if on) or "none"


def rules_of(switches: dict[str, bool]) -> Rules:
    """Returns our rules for OpenSpiel's switches."""
    opening = OpeningLead.LOWEST_CLUB_HOLDER
    if switches["can_lead_any_club"]:
        opening = OpeningLead.LOWEST_CLUB_HOLDER_ANY_CLUB
    exception = HeartLeadException.ONLY_HEARTS
    if switches["can_lead_hearts_instead_of_qs"]:
        exception = HeartLeadException.ONLY_POINTS
    return preset(
        "hearts",
        4,
        first_trick_ban=FirstTrickBan.ALL_POINTS if switches["no_pts_on_first_trick"] else FirstTrickBan.NONE,
        opening_lead=opening,
        bonus_card=parse_card("JD") if switches["jd_bonus"] else None,
        bonus_points=-10 if switches["jd_bonus"] else 0,
        no_trick_bonus=-5 if switches["avoid_all_tricks_bonus"] else 0,
        must_break_hearts=switches["must_break_hearts"],
        breaks=Breaks.HEARTS_AND_QUEEN if switches["qs_breaks_hearts"] else Breaks.HEARTS,
        heart_lead_exception=exception,
        moon=Moon.OTHERS_PLUS,
        moon_points=26,
    )


class Pair:
    """One deal in both engines."""

    def __init__(self, game: Any, rules: Rules, offset: int, deck: list[int]) -> None:
        """Deals the same cards in both; `deck` is in OpenSpiel's numbers and order of dealing."""
        hands = [mask_of([OURS[card] for card in deck[seat::4]]) for seat in range(4)]
        self.ours = Deal(rules, Board(number=BOARD_OF_OFFSET[offset], hands=tuple(hands)), 1)
        self.theirs = game.new_initial_state()
        for action in (offset, *deck):
            self.theirs.apply_action(action)

    def pass_cards(self, chance: Random) -> None:
        """Passes any cards, in OpenSpiel's order."""
        state, ours = self.theirs, self.ours
        for seat in range(4):
            hand = ours.hands[seat]
            chosen = []
            for _ in range(3):
                legal = state.legal_actions()
                assert state.current_player() == seat
                assert sum([BIT[card] for card in legal]) == hand & ~mask_of(chosen)
                card = chance.choice(legal)
                state.apply_action(card)
                chosen.append(OURS[card])
            ours.choose_pass(seat, mask_of(chosen))

    def play(self, random: Any) -> None:
        """Plays the deal to its end by chance, comparing all that both show at every card."""
        state, ours, bit, cards = self.theirs, self.ours, BIT, OURS
        must_break = ours.rules.must_break_hearts
        legal_actions, current_player = state.legal_actions, state.current_player
        apply_action, hearts_broken = state.apply_action, state.hearts_broken
        for _ in range(52):
            legal = legal_actions()
            mask = 0
            for card in legal:
                mask |= bit[card]
            assert ours.legal == mask, self.where()
            assert ours.turn == current_player(), self.where()
            card = legal[int(random() * len(legal))]
            apply_action(card)
            ours.play(cards[card])
            assert not must_break or ours.broken == hearts_broken(), self.where()

    def where(self) -> str:
        return f"after {[str(CARDS[card - 1]) for card in self.ours.cards]}\n{self.theirs}"


@pytest.mark.parametrize("switches", COMBINATIONS, ids=name_of)
def test_deals_agree_with_openspiel(switches: dict[str, bool]) -> None:
    game = pyspiel.load_game("hearts", switches)
    rules = rules_of(switches)
    chance = Random(name_of(switches))
    offsets = [0, 1, 2, 3] if switches["pass_cards"] else [0]
    deck = list(range(52))
    moons = trickless = 0
    for number in range(DEALS):
        chance.shuffle(deck)
        offset = offsets[number % len(offsets)]
        pair = Pair(game, rules, offset, deck)
        if offset:
            pair.pass_cards(chance)
        pair.play(chance.random)

        assert pair.ours.phase is Phase.SCORED
        assert pair.theirs.is_terminal()
        assert pair.ours.awarded == tuple(26 - value for value in pair.theirs.returns()), pair.where()
        moons += pair.ours.shooter is not None
        trickless += 0 in pair.ours.tricks
    # The rare cases were among them.
    assert min(moons, trickless) > 0
