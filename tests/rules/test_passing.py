"""To whom cards are passed, for every number of players."""

import pytest

from kiery.rules import PassDirection, Rules, RulesError, pass_direction, pass_offset, preset

LEFT, RIGHT, ACROSS, HOLD = (
    PassDirection.LEFT,
    PassDirection.RIGHT,
    PassDirection.ACROSS,
    PassDirection.HOLD,
)


def directions(rules: Rules, boards: int) -> list[PassDirection]:
    return [pass_direction(rules, number) for number in range(1, boards + 1)]


@pytest.mark.parametrize("name", ["hearts", "omnibus", "spot_hearts"])
@pytest.mark.parametrize(
    ("players", "cycle"),
    [(3, [LEFT, RIGHT, HOLD]), (4, [LEFT, RIGHT, ACROSS, HOLD]), *((n, [LEFT, RIGHT]) for n in (5, 6, 7))],
)
def test_cycle_repeats_for_each_number_of_players(
    name: str, players: int, cycle: list[PassDirection]
) -> None:
    assert directions(preset(name, players), 3 * len(cycle)) == 3 * cycle


@pytest.mark.parametrize("name", ["klasyk", "specjalny"])
def test_polish_presets_pass_left_right_across_hold(name: str) -> None:
    assert directions(preset(name, 4), 5) == [LEFT, RIGHT, ACROSS, HOLD, LEFT]


@pytest.mark.parametrize("players", [3, 4, 5])
def test_black_maria_passes_right_in_every_deal(players: int) -> None:
    assert directions(preset("black_maria", players), 4) == [RIGHT] * 4


@pytest.mark.parametrize("players", range(5, 12))
def test_cancellation_hearts_passes_nothing(players: int) -> None:
    rules = preset("cancellation", players)

    assert directions(rules, 4) == [HOLD] * 4
    assert pass_offset(rules, 1) == 0


def test_passing_no_cards_is_a_hold() -> None:
    assert directions(preset("hearts", 4, pass_count=0), 4) == [HOLD] * 4


@pytest.mark.parametrize("players", range(3, 8))
def test_left_is_one_seat_clockwise_and_right_one_back(players: int) -> None:
    rules = preset("hearts", players)

    assert (pass_offset(rules, 1), pass_offset(rules, 2)) == (1, players - 1)


@pytest.mark.parametrize("players", [4, 6, 8])
def test_across_is_half_the_table_away(players: int) -> None:
    rules = Rules(
        preset="hearts",
        num_players=players,
        removed_cards=preset("hearts", 6).removed_cards if players == 6 else (),
        leftover=preset("cancellation", 8).leftover,
        pass_cycle=(ACROSS,),
        card_points=preset("hearts", 4).card_points,
    )

    assert pass_offset(rules, 1) == players // 2


@pytest.mark.parametrize("players", [3, 5, 7])
def test_across_is_refused_where_nobody_sits_across(players: int) -> None:
    with pytest.raises(RulesError, match=f"^nobody sits across with {players} players"):
        preset("hearts", players, pass_cycle=(LEFT, ACROSS))
