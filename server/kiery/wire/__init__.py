"""The play protocol: domain values to and from the messages of `kiery.v1`.

Everything that an SDK needs and nothing that only the server does. A conversion is always called
`…_to_message` or `…_from_message`. Values out of range raise `WireError`; unknown fields and unknown
enum values are ignored, so that either side may be newer.
"""

from kiery.wire.answer import action_from_message, answer_to_message, fill_answer
from kiery.wire.errors import WireError
from kiery.wire.observation import observation_from_message, observation_to_message
from kiery.wire.rules import rules_from_message, rules_to_message
from kiery.wire.update import fill_turn, fill_update, update_from_message

__all__ = [
    "WireError",
    "action_from_message",
    "answer_to_message",
    "fill_answer",
    "fill_turn",
    "fill_update",
    "observation_from_message",
    "observation_to_message",
    "rules_from_message",
    "rules_to_message",
    "update_from_message",
]
