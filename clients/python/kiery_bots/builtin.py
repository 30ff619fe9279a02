"""The built-in policies as bots."""

import os
from random import Random
from typing import ClassVar, Final

from kiery.cards import Card
from kiery.policy import POLICIES, Policy
from kiery.view import Observation
from kiery_client import Bot

__all__ = ["BOTS", "Cautious", "Low", "PolicyBot", "Uniform"]

SEED_VARIABLE: Final = "KIERY_BOT_SEED"
"""The environment variable that makes `random` repeatable."""


class _Chance:
    """A source of random numbers as policies want it."""

    def __init__(self, generator: Random) -> None:
        self._generator = generator

    def below(self, bound: int, /) -> int:
        """Returns a uniform number from 0 to bound - 1."""
        return self._generator.randrange(bound)


class PolicyBot(Bot):
    """Plays as a policy says. Keeps nothing between decisions, so one instance serves all tables."""

    policy: ClassVar[Policy]

    def __init__(self, seed: str | None = None) -> None:
        """Draws from the system's entropy, or repeatably.

        Args:
            seed: With one, chance depends on it and on the place in the match only, whatever the order in
                which tables are played; else it is fresh.
        """
        self._seed = seed
        self._fresh = _Chance(Random())

    def _chance(self, observation: Observation) -> _Chance:
        if self._seed is None:
            return self._fresh
        place = f"{self._seed}/{observation.deal_number}/{observation.seat}/{len(observation.cards)}"
        return _Chance(Random(place))

    def pass_cards(self, observation: Observation) -> tuple[Card, ...]:
        """Returns the policy's pass."""
        return self.policy.choose_pass(observation, self._chance(observation))

    def play(self, observation: Observation) -> Card:
        """Returns the policy's card."""
        return self.policy.choose_play(observation, self._chance(observation))


class Uniform(PolicyBot):
    """Plays any legal card, each equally likely."""

    policy = POLICIES["random"]
    name = policy.name
    version = str(policy.version)


class Low(PolicyBot):
    """Plays the lowest safe card."""

    policy = POLICIES["low"]
    name = policy.name
    version = str(policy.version)


class Cautious(PolicyBot):
    """Ducks tricks, unloads the queen and high hearts, gets rid of suits."""

    policy = POLICIES["cautious"]
    name = policy.name
    version = str(policy.version)


BOTS: Final[dict[str, type[PolicyBot]]] = {bot.name: bot for bot in (Uniform, Low, Cautious)}
"""By the name of the policy."""


def from_environment(name: str) -> PolicyBot:
    """Returns a built-in bot, seeded by `KIERY_BOT_SEED` if that is set."""
    return BOTS[name](os.environ.get(SEED_VARIABLE))
