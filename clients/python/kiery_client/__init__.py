"""The Python kit for bots: subclass `Bot`, give it to `run`.

Everything that a bot's author needs can be imported from here; `clients/python/README.md` shows how.
"""

from kiery.cards import Card, Rank, Suit, parse_card
from kiery.errors import InputError, KieryError
from kiery.rules import MoonChoice, Rules
from kiery.terms import DeclineReason, Delivery
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
    Phase,
    Play,
    Rejection,
    SeatSubstituted,
)
from kiery_client.bot import Bot, Event, TrickTaken
from kiery_client.client import Client, run, run_async
from kiery_client.errors import (
    AddressError,
    BotError,
    GarbledError,
    GaveUpError,
    HelloError,
    RefusedError,
    ReplacedError,
    RevisionError,
    RoleError,
    StaleError,
    StrikesError,
    TokenError,
)

__all__ = [
    "AddressError",
    "Bot",
    "BotError",
    "Card",
    "CardsExchanged",
    "Client",
    "DealScored",
    "DealStarted",
    "DecisionClosed",
    "DecisionKind",
    "DeclineReason",
    "Delivery",
    "Event",
    "GarbledError",
    "GaveUpError",
    "HelloError",
    "InputError",
    "KieryError",
    "KittyTaken",
    "MatchEnded",
    "MatchStarted",
    "MoonChoice",
    "MoonShot",
    "Observation",
    "Phase",
    "Play",
    "Rank",
    "RefusedError",
    "Rejection",
    "ReplacedError",
    "RevisionError",
    "RoleError",
    "Rules",
    "SeatSubstituted",
    "StaleError",
    "StrikesError",
    "Suit",
    "TokenError",
    "TrickTaken",
    "parse_card",
    "run",
    "run_async",
]
