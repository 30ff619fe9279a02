"""Plays cards that it may not play."""

from kiery_client import Bot, Card, Observation, run


class Illegal(Bot):
    def pass_cards(self, observation: Observation) -> tuple[Card, ...]:
        return observation.hand[: observation.choose_count]

    def play(self, observation: Observation) -> Card:
        return next(card for card in map(Card, range(1, 53)) if card not in observation.legal)


run(Illegal())
