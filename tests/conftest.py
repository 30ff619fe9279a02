"""What holds for all tests: how Hypothesis looks for examples; an interrupt reaches what they start."""

import signal

from hypothesis import HealthCheck, settings

# Whoever runs tests in the background may have switched interrupts off, and programs inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples in every run: a red test stays red until its cause is gone.
settings.register_profile(
    "quick",
    derandomize=True,
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
)
# `pytest --hypothesis-profile=thorough` looks for new ones.
settings.register_profile(
    "thorough", parent=settings.get_profile("quick"), derandomize=False, max_examples=2000
)
settings.load_profile("quick")
