"""The named policies and how one answers any decision."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Protocol

from kiery.cards import Card
from kiery.policy.cautious import cautious_pass, cautious_play
from kiery.policy.low import low_pass, low_play
from kiery.policy.uniform import uniform_pass, uniform_play
from kiery.view import Action, DecisionKind, Observation

__all__ = ["POLICIES", "SUBSTITUTE", "Chance", "Policy", "act"]


class Chance(Protocol):
    """Where a policy's random choices come from."""

    def below(self, bound: int, /) -> int:
        """Returns a uniform number from 0 to bound - 1."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A built-in way to play."""

    name: str
    """The name used on the command line."""
    version: int
    """Raised when the policy plays differently; stands in records."""
    summary: str
    """One line for people."""
    choose_pass: Callable[[Observation, Chance], tuple[Card, ...]]
    """Returns `choose_count` cards of the hand."""
    choose_play: Callable[[Observation, Chance], Card]
    """Returns one of the legal cards."""

    def __str__(self) -> str:
        """Returns the name with the version, as records and messages have it."""
        return f"{self.name}-{self.version}"


_ALL: Final = (
    Policy(
        name="random",
        version=1,
        summary="any legal card, each equally likely",
        choose_pass=uniform_pass,
        choose_play=uniform_play,
    ),
    Policy(
        name="low",
        version=1,
        summary="the lowest safe card",
        choose_pass=lambda observation, _: low_pass(observation),
        choose_play=lambda observation, _: low_play(observation),
    ),
    Policy(
        name="cautious",
        version=1,
        summary="ducks tricks, unloads the queen and high hearts, gets rid of suits",
        choose_pass=lambda observation, _: cautious_pass(observation),
        choose_play=lambda observation, _: cautious_play(observation),
    ),
)

POLICIES: Final[Mapping[str, Policy]] = MappingProxyType({policy.name: policy for policy in _ALL})
"""Every built-in policy by name."""

SUBSTITUTE: Final = POLICIES["cautious"]
"""The policy that acts for a seat that does not. It draws no random numbers: the same view, the same card."""


def act(policy: Policy, observation: Observation, chance: Chance) -> Action:
    """Returns a policy's answer to the decision in an observation.

    Raises:
        ValueError: The observation holds no decision.
    """
    match observation.kind:
        case DecisionKind.PASS:
            return Action(cards=bytes(policy.choose_pass(observation, chance)))
        case DecisionKind.PLAY:
            return Action(cards=bytes((policy.choose_play(observation, chance),)))
        case DecisionKind.READY | DecisionKind.MOON_CHOICE:
            # Ready is yes, and the rule's own choice is as good as any.
            return Action()
        case None:  # pragma: no branch  (the last of all values)
            raise ValueError("the observation holds no decision")
