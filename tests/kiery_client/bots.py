"""Bots for tests."""

import asyncio
import threading

from tests.kiery_client.scripted_server import TIMEOUT_S

from kiery_client import Bot


class First(Bot):
    """Plays the first legal cards."""

    version = "7"

    def pass_cards(self, observation):
        return observation.legal[: observation.choose_count]

    def play(self, observation):
        return observation.legal[0]


class Listener(First):
    """Keeps all events."""

    def __init__(self):
        self.events = []
        self._heard = threading.Semaphore(0)

    def on_event(self, event):
        self.events.append(event)
        self._heard.release()

    async def until_heard(self, count):
        """Returns when so many events were heard; a bot hears them in a thread of its own."""

        def wait():
            return all(self._heard.acquire(timeout=TIMEOUT_S) for _ in range(count))

        assert await asyncio.to_thread(wait), self.events


class Blocked(First):
    """Plays a card only when it is let go; tells when it is asked."""

    def __init__(self, stuck_on="2C"):
        self.stuck_on = stuck_on
        self.asked = []
        self.entered = threading.Semaphore(0)
        self.go = threading.Event()

    def play(self, observation):
        card = observation.legal[0]
        self.asked.append(str(card))
        self.entered.release()
        if str(card) == self.stuck_on:
            assert self.go.wait(TIMEOUT_S)
        return card

    async def until_asked(self):
        entered = await asyncio.to_thread(self.entered.acquire, timeout=TIMEOUT_S)
        assert entered
