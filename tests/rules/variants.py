"""Rules for properties: the presets, and mixtures of parameters that no preset has."""

from typing import Any

from hypothesis import strategies as st

from kiery.cards import CARDS, PACK, TWIN_SHIFT, cards_in, mask_of, parse_card
from kiery.rules import (
    PRESETS,
    Breaks,
    FinalCancelledTrick,
    FirstTrickBan,
    HeartLeadException,
    Leftover,
    Moon,
    MoonDefault,
    OpeningLead,
    PassDirection,
    QueenLead,
    Rules,
    TieRule,
    preset,
)

TABLES = [(name, players) for name in PRESETS for players in PRESETS[name].players]
"""Every preset at every number of players that it allows."""

TABLE_IDS = [f"{name}-{players}" for name, players in TABLES]

_POINTS = [
    preset("hearts", 4).card_points,
    preset("black_maria", 4).card_points,
    preset("spot_hearts", 4).card_points,
    ((parse_card("7C"), 7), (parse_card("QS"), 13)),
]


def presets() -> st.SearchStrategy[Rules]:
    """Returns every preset at every number of players."""
    return st.sampled_from(TABLES).map(lambda table: preset(*table))


@st.composite
def mixtures(draw: st.DrawFn) -> Rules:
    """Returns any parameters together that make a game."""
    players = draw(st.integers(3, 8))
    decks = draw(st.sampled_from([1, 1, 2]))
    pack = PACK if decks == 1 else PACK | PACK << TWIN_SHIFT
    # Short hands: a deal of few cards reaches the corners sooner.
    dealt = draw(st.integers(8 if decks == 1 else 16, 52 * decks))
    shuffled = draw(st.permutations(cards_in(pack)))
    removed = mask_of(shuffled[dealt:])
    clubs = sum(card.suit == 0 for card in shuffled[:dealt])
    kitty = dealt % players
    directions = [one for one in PassDirection if one is not PassDirection.ACROSS or players % 2 == 0]
    openings = list(OpeningLead) if decks == 1 and clubs > kitty else [OpeningLead.DEALER_LEFT]
    card_points = draw(st.sampled_from(_POINTS))
    left = pack & ~removed
    moons = list(Moon) if any(left >> card & 1 for card, _ in card_points) else [Moon.OFF]
    moon = draw(st.sampled_from(moons))
    bonus = draw(st.sampled_from([None, parse_card("JD"), parse_card("TD")]))
    values: dict[str, Any] = {
        "num_decks": decks,
        "removed_cards": cards_in(removed),
        "leftover": draw(
            st.sampled_from([Leftover.KITTY_FIRST_TRICK, Leftover.KITTY_FIRST_POINT_TRICK])
            if kitty
            else st.just(Leftover.NONE)
        ),
        "pass_count": draw(st.integers(0, min(3, dealt // players))),
        "pass_cycle": tuple(draw(st.lists(st.sampled_from(directions), min_size=1, max_size=4))),
        "opening_lead": draw(st.sampled_from(openings)),
        "first_dealer": draw(st.integers(0, players - 1)),
        "first_trick_ban": draw(st.sampled_from(FirstTrickBan)),
        "must_break_hearts": draw(st.booleans()),
        "breaks": draw(st.sampled_from(Breaks)),
        "heart_lead_exception": draw(st.sampled_from(HeartLeadException)),
        "queen_lead": draw(st.sampled_from(QueenLead)),
        "cancellation": decks == 2 and draw(st.booleans()),
        "final_cancelled_trick": draw(st.sampled_from(FinalCancelledTrick)),
        "card_points": card_points,
        "bonus_card": bonus,
        "bonus_points": draw(st.sampled_from([-10, 5])) if bonus else 0,
        "bonus_required_for_moon": draw(st.booleans()),
        "moon": moon,
        "moon_points": 0 if moon is Moon.OFF else draw(st.sampled_from([13, 26])),
        "moon_default_choice": draw(st.sampled_from(MoonDefault)),
        "no_trick_bonus": draw(st.sampled_from([0, -5])),
        "allow_negative": draw(st.booleans()),
        "target_score": draw(st.integers(1, 120)),
        "tie_rule": draw(st.sampled_from(TieRule)),
        "perfect_round": draw(st.booleans()),
        "max_deals": draw(st.sampled_from([3, 100])),
        "early_end": draw(st.booleans()),
    }
    return Rules(preset="hearts" if players < 8 else "cancellation", num_players=players, **values)


def variants() -> st.SearchStrategy[Rules]:
    """Returns presets and mixtures alike."""
    return presets() | mixtures()


def text_of(cards: bytes | bytearray) -> list[str]:
    """Returns card numbers as text."""
    return [str(CARDS[card - 1]) for card in cards]
