"""OpenSpiel's Hearts in C++ (`pyspiel`), the floor of the engine: used when installed, never needed."""

from importlib import import_module
from importlib.util import find_spec
from random import Random
from typing import Any

__all__ = ["Spiel", "find_spiel"]

_DECK = 52
_PASS_LEFT = 1


class Spiel:
    """The few calls that the bench makes, each as a Python program would make it at its quickest."""

    def __init__(self, module: Any) -> None:  # noqa: ANN401  (a module without types)
        """Loads the game."""
        self._game: Any = module.load_game("hearts")

    def dealt(self, chance: Random, *, direction: int = 0) -> Any:  # noqa: ANN401  (a state of pyspiel)
        """Returns a state with all cards dealt; direction 0: nobody passes."""
        state = self._game.new_initial_state()
        apply = state.apply_action
        apply(direction)
        for card in chance.sample(range(_DECK), _DECK):
            apply(card)
        return state

    def play_out(self, chance: Random) -> int:
        """Deals, passes and plays at random to the end; returns the cards played."""
        state = self.dealt(chance, direction=_PASS_LEFT)
        apply, legal_actions, random = state.apply_action, state.legal_actions, chance.random
        # Twelve cards are passed one by one, then all are played.
        for _ in range(12 + _DECK):
            legal = legal_actions()
            apply(legal[int(random() * len(legal))])
        return _DECK


def find_spiel() -> Spiel | None:
    """Returns OpenSpiel, or none if it is not installed."""
    return Spiel(import_module("pyspiel")) if find_spec("pyspiel") is not None else None
