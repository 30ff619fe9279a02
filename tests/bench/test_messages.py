"""How many messages a decision takes (docs/performance.md, P3): counted, not timed."""

import pytest

from kiery.bench import Settings, run_bench

pytestmark = pytest.mark.slow


def messages_per_decision(name: str) -> float:
    (figure,) = run_bench(Settings(rounds=1, window_s=0.5, warm_s=0.1), [f"messages/{name}"]).figures
    return figure.value


def test_lockstep_takes_one_message_a_decision() -> None:
    assert messages_per_decision("lockstep/16") <= 1.0


def test_many_tables_on_one_stream_share_their_messages() -> None:
    assert messages_per_decision("multiplexed/256") <= 0.1
