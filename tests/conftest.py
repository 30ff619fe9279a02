"""What holds for all tests: how Hypothesis looks for examples."""

from hypothesis import HealthCheck, settings

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
