"""Built-in policies: pure functions of an observation and a source of random numbers.

They see exactly what any bot sees. The substitute is one of them. What is not here: how a policy
becomes a process that dials in (`kiery_bots`).
"""

from kiery.policy.builtin import POLICIES, SUBSTITUTE, Chance, Policy, act
from kiery.policy.cautious import cautious_pass, cautious_play
from kiery.policy.low import low_pass, low_play
from kiery.policy.uniform import uniform_pass, uniform_play

__all__ = [
    "POLICIES",
    "SUBSTITUTE",
    "Chance",
    "Policy",
    "act",
    "cautious_pass",
    "cautious_play",
    "low_pass",
    "low_play",
    "uniform_pass",
    "uniform_play",
]
