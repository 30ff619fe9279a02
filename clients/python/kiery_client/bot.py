"""What an author writes: a bot. And what it is told between its decisions: events.

How and where its methods run is the matter of `thinking`.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

from kiery.cards import Card, Seat
from kiery.rules import MoonChoice
from kiery.terms import DeclineReason
from kiery.view import (
    CardsExchanged,
    DealScored,
    DealStarted,
    DecisionClosed,
    DecisionKind,
    KittyTaken,
    MatchEnded,
    MatchStarted,
    MoonShot,
    Observation,
    Play,
    Rejection,
    SeatSubstituted,
)
from kiery_client.errors import BotError

__all__ = ["Bot", "Event", "Player", "TrickTaken", "bot_factory", "bot_name"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrickTaken:
    """A trick is complete. Comes after its last `Play`."""

    seat: Seat | None
    """The seat that took it; none when all its cards cancelled (Cancellation Hearts)."""


Event = (
    MatchStarted
    | DealStarted
    | CardsExchanged
    | SeatSubstituted
    | Play
    | TrickTaken
    | KittyTaken
    | MoonShot
    | DealScored
    | MatchEnded
    | DecisionClosed
    | Rejection
    | Observation
)
"""What `Bot.on_event` is given. An `Observation` comes after a lost stream when events are missing: it
replaces what they would have told."""


class Bot:
    """A player. Subclass it, write `pass_cards` and `play`, and give it to `run`.

    Every method may be plain or `async def`. Plain ones may block and may take their time: they do not
    hold up other tables. An instance given to `run` serves all tables, several at once from different threads
    when it is slow; give the class instead to get an instance for each seat, called by one thread at a time.
    """

    name: str = ""
    """Stands in the server's log; empty: the name of the class. Who a bot is follows from its token."""
    version: str = ""
    """Stands in records."""

    def pass_cards(self, observation: Observation) -> Iterable[Card] | Awaitable[Iterable[Card]]:
        """Returns `observation.choose_count` cards of `observation.legal`, in any order."""
        raise NotImplementedError

    def play(self, observation: Observation) -> Card | Awaitable[Card]:
        """Returns one card of `observation.legal`."""
        raise NotImplementedError

    def choose_moon(self, observation: Observation) -> MoonChoice | Awaitable[MoonChoice | None] | None:
        """Returns how the own moon is awarded; none leaves it to the rules."""
        del observation
        return None

    def ready(self, started: MatchStarted) -> DeclineReason | Awaitable[DeclineReason | None] | None:
        """Gets ready for a match, such as by loading a model; the time is `started.time_control.ready_ms`.

        Returns:
            None to play, or why not.
        """
        del started
        return None

    def on_event(self, event: Event) -> Awaitable[None] | None:
        """Takes note of what happened at the table, in order, before the decision that follows."""
        del event
        return None


# Typed as Any: the methods are an author's, plain or async, and their results are checked where used.
_Method = Callable[[Any], Any]


class Player:
    """A bot's methods as the kit calls them; those that the author did not write are none."""

    __slots__ = ("bot", "deciders", "is_async", "on_event")

    def __init__(self, bot: object) -> None:
        """Looks the methods up.

        Raises:
            BotError: `pass_cards` or `play` is missing.
        """
        self.bot = bot
        """The author's object."""
        deciders: dict[int, _Method | None] = {
            DecisionKind.READY: _optional(bot, "ready"),
            DecisionKind.PASS: _required(bot, "pass_cards"),
            DecisionKind.PLAY: _required(bot, "play"),
            DecisionKind.MOON_CHOICE: _optional(bot, "choose_moon"),
        }
        # Indexed, since a member of an enum is slow to hash; and this is looked up for every card.
        self.deciders = tuple(deciders.get(kind) for kind in range(max(DecisionKind) + 1))
        """What is called, by the number of the kind of decision; none where the default is meant."""
        self.on_event = _optional(bot, "on_event")
        """What is called for each event."""
        methods = (*self.deciders, self.on_event)
        self.is_async = any(inspect.iscoroutinefunction(method) for method in methods)
        """Whether any of them is `async def`."""


def _optional(bot: object, name: str) -> _Method | None:
    method = getattr(bot, name, None)
    written = getattr(type(bot), name, None) is not getattr(Bot, name) or name in getattr(bot, "__dict__", {})
    return method if callable(method) and written else None


def _required(bot: object, name: str) -> _Method:
    method = _optional(bot, name)
    if method is None:
        raise BotError(f"{type(bot).__name__} is no bot: expected a method {name}(self, observation)")
    return method


def bot_factory(bot: object) -> tuple[Player | None, Callable[[], object]]:
    """Returns the player that serves all tables, if there is one, and what makes the bot of a seat.

    Args:
        bot: An instance of a bot, or a class or function that makes one.

    Raises:
        BotError: It is neither.
    """
    if isinstance(bot, type):
        for name in ("pass_cards", "play"):
            if getattr(bot, name, None) in {None, getattr(Bot, name)}:
                raise BotError(f"{bot.__name__} is no bot: expected a method {name}(self, observation)")
        return None, bot
    if callable(bot) and not hasattr(bot, "play"):
        return None, bot
    return Player(bot), lambda: bot


def bot_name(bot: object) -> tuple[str, str]:
    """Returns name and version of a bot, its class or its factory, for the greeting."""
    name = getattr(bot, "name", "") or getattr(bot, "__name__", "") or type(bot).__name__
    return str(name), str(getattr(bot, "version", ""))
