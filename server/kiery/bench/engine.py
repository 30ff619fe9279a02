"""The figures of the engine: cards played a second, whole random deals, and the cost of an observation.

CPU time of this one thread, in turn with OpenSpiel when it is installed.
"""

import gc
import time
from collections.abc import Callable
from random import Random
from typing import Any, Final

from kiery.bench.experiment import Experiment
from kiery.bench.figure import Figure, Goal, measured
from kiery.bench.oracle import Spiel, find_spiel
from kiery.bench.rig import Settings
from kiery.cards import card_numbers
from kiery.engine import Board, Deal, Derivation, Match, derive_board, judge_of, playout_of_board
from kiery.rules import MatchLength, Rules, preset
from kiery.view import Decision, DecisionKind, Phase

__all__ = ["ENGINE_EXPERIMENT"]

_DEALS: Final = 200
_LOOKS: Final = 3_000
_HOLD: Final = 4
_RULES: Final[Rules] = preset("hearts", 4)
_NO_SPIEL: Final = "no floor: OpenSpiel is not installed (pip install open-spiel)"


def _seconds(work: Callable[[], object]) -> float:
    """Returns the CPU time of some work, seconds."""
    gc.collect()
    start = time.thread_time()
    work()
    return time.thread_time() - start


def _random_plays(board: Board, chance: Random) -> list[int]:
    deal = Deal(_RULES, board, 1)
    cards = []
    while deal.phase is Phase.PLAYING:
        card = chance.choice(card_numbers(deal.legal))
        deal.play(card)
        cards.append(card)
    return cards


def _random_deals() -> tuple[list[Board], list[list[int]]]:
    """Returns boards and what is played on each at random."""
    chance = Random(1)
    derivation = Derivation(bytes(32))
    boards = [derive_board(_RULES, _HOLD, "bench", derivation.key(f"{index}")) for index in range(_DEALS)]
    return boards, [_random_plays(board, chance) for board in boards]


def _apply(settings: Settings, spiel: Spiel | None) -> Figure:
    """Cards validated and played one call each, deals being dealt before the clock runs."""
    boards, plays = _random_deals()

    def ours() -> float:
        deals = [Deal(_RULES, board, 1) for board in boards]

        def work() -> None:
            for deal, cards in zip(deals, plays, strict=True):
                play = deal.play
                for card in cards:
                    play(card)

        return sum(map(len, plays)) / _seconds(work) / 1e6

    return _beside_spiel("engine/apply", settings, ours, spiel)


def _judge(settings: Settings, spiel: Spiel | None) -> Figure:
    """Cards validated and played a whole deal at a time, as verification does it."""
    boards, plays = _random_deals()
    played = [bytes(cards) for cards in plays]
    judge = judge_of(_RULES).judge

    def ours() -> float:
        def work() -> None:
            for board, cards in zip(boards, played, strict=True):
                judge(_HOLD, board.hands, (), cards)

        return sum(map(len, played)) / _seconds(work) / 1e6

    return _beside_spiel("engine/apply/whole-deal", settings, ours, spiel)


def _beside_spiel(name: str, settings: Settings, ours: Callable[[], float], spiel: Spiel | None) -> Figure:
    """Compares cards a second with OpenSpiel's, which takes one call a card."""
    theirs: Callable[[], float] | None = None
    if spiel is not None:
        dealt, actions = zip(*(_random_spiel_deal(spiel, seed) for seed in range(_DEALS)), strict=True)

        def spiel_speed() -> float:
            states = [state.clone() for state in dealt]

            def work() -> None:
                for state, deal in zip(states, actions, strict=True):
                    apply = state.apply_action
                    for action in deal:
                        apply(action)

            return sum(map(len, actions)) / _seconds(work) / 1e6

        theirs = spiel_speed
    return _compare(
        name,
        "M plays/s",
        settings,
        ours,
        theirs,
        floor_name="pyspiel apply_action",
        goal=Goal(bound=0.5, at_least=True, source="P4"),
    )


def _random_spiel_deal(spiel: Spiel, seed: int) -> tuple[Any, list[int]]:
    """Returns a dealt state and the actions of a random deal from it."""
    chance = Random(seed)
    dealt = spiel.dealt(chance)
    state = dealt.clone()
    actions = []
    while not state.is_terminal():
        action = chance.choice(state.legal_actions())
        state.apply_action(action)
        actions.append(action)
    return dealt, actions


def _playout(settings: Settings, spiel: Spiel | None) -> Figure:
    """Random deals from the shuffle to the last card, with passing."""
    ours_chance, theirs_chance = Random(2), Random(2)

    def ours() -> float:
        # Board 1 passes left, as the other side does.
        work = _seconds(lambda: [playout_of_board(_RULES, 1, ours_chance) for _ in range(_DEALS)])
        return 52 * _DEALS / work / 1e6

    theirs: Callable[[], float] | None = None
    if spiel is not None:
        found = spiel

        def spiel_speed() -> float:
            return (
                52 * _DEALS / _seconds(lambda: [found.play_out(theirs_chance) for _ in range(_DEALS)]) / 1e6
            )

        theirs = spiel_speed
    return _compare(
        "engine/playout",
        "M plays/s",
        settings,
        ours,
        theirs,
        floor_name="pyspiel: shuffle, deal, pass, play",
        goal=Goal(bound=1.5, at_least=True, source="P4"),
    )


def _observation(settings: Settings, spiel: Spiel | None) -> Figure:
    """What the next player may know, in the middle of a deal."""
    derivation = Derivation(bytes(32))
    match = Match(
        _RULES,
        MatchLength(deal_limit=1),
        lambda _: derive_board(_RULES, _HOLD, "bench", derivation.key("observation")),
    )
    match.start_deal()
    for _ in range(26):
        match.play(card_numbers(match.deal.legal)[0])
    decision = Decision(kind=DecisionKind.PLAY, legal=match.deal.legal, count=1)
    seat = match.deal.turn

    def ours() -> float:
        return (
            _seconds(lambda: [match.observe(seat, decision=decision) for _ in range(_LOOKS)]) / _LOOKS * 1e6
        )

    theirs: Callable[[], float] | None = None
    if spiel is not None:
        state, actions = _random_spiel_deal(spiel, 1)
        for action in actions[:26]:
            state.apply_action(action)
        player = state.current_player()
        looks = _LOOKS // 30

        def spiel_cost() -> float:
            work = _seconds(lambda: [state.information_state_tensor(player) for _ in range(looks)])
            return work / looks * 1e6

        theirs = spiel_cost
    return _compare(
        "engine/observation",
        "µs",
        settings,
        ours,
        theirs,
        floor_name="pyspiel information_state_tensor",
        speed_up=True,
        goal=Goal(bound=30, at_least=True, source="P4"),
    )


def _compare(
    name: str,
    unit: str,
    settings: Settings,
    ours: Callable[[], float],
    theirs: Callable[[], float] | None,
    *,
    floor_name: str,
    goal: Goal,
    speed_up: bool = False,
) -> Figure:
    values, floors = [], []
    for _ in range(settings.rounds):
        if theirs is not None:
            floors.append(theirs())
        values.append(ours())
    return measured(
        name,
        unit,
        values,
        floors=floors or None,
        floor_name=floor_name,
        speed_up=speed_up,
        goal=goal,
        note="" if theirs is not None else _NO_SPIEL,
    )


_MEASURES: Final = {
    "engine/apply": _apply,
    "engine/apply/whole-deal": _judge,
    "engine/playout": _playout,
    "engine/observation": _observation,
}


def _run(settings: Settings, names: frozenset[str]) -> list[Figure]:
    spiel = find_spiel()
    return [measure(settings, spiel) for name, measure in _MEASURES.items() if name in names]


ENGINE_EXPERIMENT: Final = Experiment(names=tuple(_MEASURES), run=_run, in_quick=frozenset(_MEASURES))
"""The engine, alone in this process."""
