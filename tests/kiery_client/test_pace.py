"""Trust is earned by quick answers and lost by slow ones."""

from kiery_client.pace import Pace

QUICK, MIDDLING, SLOW = 0.000_02, 0.003, 0.02


def trusted() -> Pace:
    pace = Pace()
    for _ in range(64):
        pace.note(QUICK)
    return pace


def test_nothing_is_trusted_at_first() -> None:
    assert not Pace().inline


def test_64_quick_answers_in_a_row_are_trusted() -> None:
    pace = Pace()
    for _ in range(63):
        pace.note(QUICK)
    assert not pace.inline

    pace.note(QUICK)

    assert pace.inline


def test_an_answer_of_more_than_a_millisecond_starts_the_row_again() -> None:
    pace = Pace()
    for _ in range(63):
        pace.note(QUICK)
    pace.note(0.0011)
    for _ in range(63):
        pace.note(QUICK)

    assert not pace.inline


def test_one_slow_answer_ends_the_trust_and_doubles_the_next_trial() -> None:
    pace = trusted()
    pace.note(SLOW)
    assert not pace.inline
    for _ in range(127):
        pace.note(QUICK)
    assert not pace.inline

    pace.note(QUICK)

    assert pace.inline


def test_a_hiccup_of_the_machine_is_forgiven() -> None:
    pace = trusted()

    pace.note(MIDDLING)

    assert pace.inline


def test_middling_answers_end_the_trust_together() -> None:
    pace = trusted()

    for _ in range(16):
        pace.note(MIDDLING)

    assert not pace.inline


def test_trials_stop_growing_at_4096() -> None:
    pace = trusted()
    for _ in range(12):
        pace.note(SLOW)
        for _ in range(4_096):
            pace.note(QUICK)

    assert pace.inline
