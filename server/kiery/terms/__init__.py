"""The terms of play around the rules: clocks, what a fault costs, limits, and the closed causes.

Plain values with defaults and units; no behaviour.
"""

from kiery.terms.causes import (
    ActionCause,
    CloseCause,
    DeclineReason,
    MatchCause,
    RejectReason,
    SeatCause,
    SubstitutionScope,
)
from kiery.terms.settings import (
    Delivery,
    FaultPolicy,
    ForcedActions,
    Limits,
    Snapshots,
    TimeControl,
)

__all__ = [
    "ActionCause",
    "CloseCause",
    "DeclineReason",
    "Delivery",
    "FaultPolicy",
    "ForcedActions",
    "Limits",
    "MatchCause",
    "RejectReason",
    "SeatCause",
    "Snapshots",
    "SubstitutionScope",
    "TimeControl",
]
