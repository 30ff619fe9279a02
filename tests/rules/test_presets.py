"""The presets are what docs/rules.md says, and only at the tables it says."""

import pytest
from tests.rules.variants import TABLE_IDS, TABLES

from kiery.cards import format_cards, mask_of
from kiery.errors import InputError
from kiery.rules import (
    PRESETS,
    Breaks,
    FinalCancelledTrick,
    FirstTrickBan,
    HeartLeadException,
    Leftover,
    Moon,
    OpeningLead,
    QueenLead,
    Rules,
    RulesError,
    TieRule,
    UnknownPresetError,
    preset,
)

PLAYERS = {
    "klasyk": [4],
    "specjalny": [4],
    "hearts": [3, 4, 5, 6, 7],
    "omnibus": [3, 4, 5, 6, 7],
    "cancellation": [5, 6, 7, 8, 9, 10, 11],
    "black_maria": [3, 4, 5],
    "spot_hearts": [3, 4, 5, 6, 7],
}
HEARTS_REMOVED = {3: "2D", 5: "2C 2D", 6: "3C 4C 2D 3D", 7: "3C 2D 3D"}


def test_presets_and_their_tables_are_those_of_the_rules() -> None:
    assert {name: list(found.players) for name, found in PRESETS.items()} == PLAYERS
    assert all(name == found.name and found.summary for name, found in PRESETS.items())


@pytest.mark.parametrize(
    ("name", "players"),
    [(name, count) for name, counts in PLAYERS.items() for count in range(13) if count not in counts],
)
def test_preset_is_refused_at_any_other_number_of_players(name: str, players: int) -> None:
    allowed = PLAYERS[name]
    expected = "4" if len(allowed) == 1 else f"{allowed[0]} to {allowed[-1]}"

    with pytest.raises(RulesError) as caught:
        preset(name, players)

    assert str(caught.value) == f"{name} cannot be played by {players}: expected {expected} players"


@pytest.mark.parametrize("name", ["", "kierki", "Hearts", "x" * 100])
def test_unknown_preset_is_refused_with_the_names_there_are(name: str) -> None:
    with pytest.raises(UnknownPresetError) as caught:
        preset(name, 4)

    assert caught.value.reason == "UNKNOWN_PRESET"
    assert isinstance(caught.value, InputError)
    assert str(caught.value) == f"no preset is called {name[:32]!a}: expected one of {', '.join(PLAYERS)}"


@pytest.mark.parametrize(("name", "players"), TABLES, ids=TABLE_IDS)
def test_every_table_deals_its_whole_pack(name: str, players: int) -> None:
    rules = preset(name, players)

    assert rules.hand_size * players + rules.kitty_size == rules.deck_size
    assert rules.deck_size == 52 * rules.num_decks - len(rules.removed_cards)
    assert (rules.kitty_size > 0) <= (rules.leftover is not Leftover.NONE)
    assert rules.max_deals == 100


@pytest.mark.parametrize("name", ["hearts", "omnibus", "spot_hearts"])
@pytest.mark.parametrize("players", PLAYERS["hearts"])
def test_hearts_removes_low_cards_by_number_of_players(name: str, players: int) -> None:
    rules = preset(name, players)

    assert format_cards(mask_of(rules.removed_cards)) == HEARTS_REMOVED.get(players, "")
    assert str(rules.lowest_club) == ("3C" if players == 5 else "2C")


def parameters(rules: Rules, *names: str) -> tuple[object, ...]:
    return tuple(getattr(rules, name) for name in names)


def points(rules: Rules) -> dict[str, int]:
    return {str(card): value for card, value in rules.card_points}


PLAIN_HEARTS = {f"{rank}H": 1 for rank in "23456789TJQKA"}


@pytest.mark.parametrize("name", ["klasyk", "specjalny"])
def test_polish_presets_ban_only_the_queen_and_cost_thirteen_for_a_moon(name: str) -> None:
    rules = preset(name, 4)

    assert rules.first_trick_ban is FirstTrickBan.QUEEN_ONLY
    assert rules.breaks is Breaks.HEARTS
    assert parameters(rules, "moon", "moon_points", "target_score") == (Moon.OTHERS_PLUS, 13, 100)
    assert points(rules) == {"QS": 13, **PLAIN_HEARTS}


def test_specjalny_is_klasyk_with_two_additions() -> None:
    klasyk, specjalny = preset("klasyk", 4), preset("specjalny", 4)

    differing = {
        name for name in Rules.__dataclass_fields__ if getattr(klasyk, name) != getattr(specjalny, name)
    }

    assert differing == {"preset", "tie_rule", "perfect_round"}
    assert (klasyk.tie_rule, specjalny.tie_rule) == (TieRule.SHARED, TieRule.PLAY_ON)
    assert (klasyk.perfect_round, specjalny.perfect_round) == (False, True)


@pytest.mark.parametrize("players", PLAYERS["omnibus"])
def test_omnibus_is_hearts_with_the_jack(players: int) -> None:
    hearts, omnibus = preset("hearts", players), preset("omnibus", players)

    differing = {
        name for name in Rules.__dataclass_fields__ if getattr(hearts, name) != getattr(omnibus, name)
    }

    assert differing == {"preset", "bonus_card", "bonus_points"}
    assert (str(omnibus.bonus_card), omnibus.bonus_points, omnibus.bonus_copies) == ("JD", -10, 1)


def test_hearts_bans_all_points_breaks_with_the_queen_and_lets_the_shooter_choose() -> None:
    rules = preset("hearts", 4)

    assert rules.first_trick_ban is FirstTrickBan.ALL_POINTS
    assert rules.breaks is Breaks.HEARTS_AND_QUEEN
    assert parameters(rules, "moon", "moon_points", "target_score") == (Moon.CHOICE, 26, 100)
    assert points(rules) == {"QS": 13, **PLAIN_HEARTS}


@pytest.mark.parametrize(
    ("players", "hand", "kitty"),
    [(5, 20, 4), (6, 17, 2), (7, 14, 6), (8, 13, 0), (9, 11, 5), (10, 10, 4), (11, 9, 5)],
)
def test_cancellation_deals_two_packs_and_a_kitty(players: int, hand: int, kitty: int) -> None:
    rules = preset("cancellation", players)

    assert (rules.hand_size, rules.kitty_size, rules.deck_size) == (hand, kitty, 104)
    assert rules.opening_lead is OpeningLead.DEALER_LEFT
    assert rules.lowest_club is None
    assert parameters(rules, "cancellation", "pass_count", "pack_points", "moon_points") == (True, 0, 52, 52)


@pytest.mark.parametrize(("players", "removed", "hand"), [(3, "2C", 17), (4, "", 13), (5, "2C 2D", 10)])
def test_black_maria_counts_high_spades_and_has_no_moon(players: int, removed: str, hand: int) -> None:
    rules = preset("black_maria", players)

    assert format_cards(mask_of(rules.removed_cards)) == removed
    assert rules.hand_size == hand
    assert points(rules) == {"QS": 13, "KS": 10, "AS": 7, **PLAIN_HEARTS}
    assert rules.pack_points == 43
    assert rules.first_trick_ban is FirstTrickBan.NONE
    assert parameters(rules, "must_break_hearts", "moon", "moon_points") == (False, Moon.OFF, 0)


@pytest.mark.parametrize("players", PLAYERS["spot_hearts"])
def test_spot_hearts_counts_faces(players: int) -> None:
    rules = preset("spot_hearts", players)

    assert points(rules) == {"QS": 25, **{f"{rank}H": place for place, rank in enumerate("23456789TJQKA", 2)}}
    assert parameters(rules, "pack_points", "moon_points", "target_score") == (129, 129, 500)


@pytest.mark.parametrize(("name", "players"), TABLES, ids=TABLE_IDS)
def test_what_no_preset_changes_is_the_default(name: str, players: int) -> None:
    rules = preset(name, players)

    assert rules.heart_lead_exception is HeartLeadException.ONLY_HEARTS
    assert rules.queen_lead is QueenLead.ANY_TIME
    assert rules.final_cancelled_trick is FinalCancelledTrick.LEADER
    assert parameters(rules, "no_trick_bonus", "allow_negative", "early_end") == (0, True, False)
    assert not rules.bonus_required_for_moon


def test_overrides_replace_what_the_preset_says() -> None:
    rules = preset("hearts", 4, target_score=50, moon=Moon.SHOOTER_MINUS)

    assert parameters(rules, "preset", "target_score", "moon") == ("hearts", 50, Moon.SHOOTER_MINUS)
    assert rules != preset("hearts", 4)
    assert preset("hearts", 4) == preset("hearts", 4)
