"""What one seat may see and do: observation, decision, action, events, and the update that carries them.

Every value here is built from facts that its seat may know; the truth is in `engine`.
"""

from kiery.view.decision import Action, Decision, DecisionKind, Illegality, judge_answer
from kiery.view.events import (
    CardsExchanged,
    DealScored,
    DealStarted,
    KittyTaken,
    MatchEnded,
    MatchStarted,
    MoonShot,
    SeatSubstituted,
)
from kiery.view.fold import Fold
from kiery.view.observation import Observation, Phase, Play
from kiery.view.update import DecisionClosed, News, Rejection, Update

__all__ = [
    "Action",
    "CardsExchanged",
    "DealScored",
    "DealStarted",
    "Decision",
    "DecisionClosed",
    "DecisionKind",
    "Fold",
    "Illegality",
    "KittyTaken",
    "MatchEnded",
    "MatchStarted",
    "MoonShot",
    "News",
    "Observation",
    "Phase",
    "Play",
    "Rejection",
    "SeatSubstituted",
    "Update",
    "judge_answer",
]
