"""Ends in the middle of every deal."""

import os
import sys

from kiery_client import Bot, Card, Observation, run


class Dies(Bot):
    def pass_cards(self, observation: Observation) -> tuple[Card, ...]:
        return observation.hand[: observation.choose_count]

    def play(self, observation: Observation) -> Card:
        if len(observation.hand) <= 4:
            sys.stderr.write("out of memory\n")
            os._exit(3)
        return observation.legal[0]


run(Dies())
