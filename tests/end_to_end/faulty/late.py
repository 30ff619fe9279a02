"""Thinks too long about its card of the ninth trick."""

import time

from kiery_client import Bot, Card, Observation, run


class Late(Bot):
    def pass_cards(self, observation: Observation) -> tuple[Card, ...]:
        return observation.hand[: observation.choose_count]

    def play(self, observation: Observation) -> Card:
        if len(observation.hand) == 5:
            time.sleep(1.6)
        return observation.legal[0]


run(Late())
