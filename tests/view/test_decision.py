"""Which answers a decision takes, and why it refuses the others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiery.cards import DISTINCT, card_numbers, parse_card, parse_cards
from kiery.rules import MoonChoice
from kiery.terms import DeclineReason, RejectReason
from kiery.view import Action, Decision, DecisionKind, judge_answer

PLAY = Decision(kind=DecisionKind.PLAY, legal=parse_cards("3C 9C"), count=1)
PASS = Decision(kind=DecisionKind.PASS, legal=parse_cards("2C 3C QS AH"), count=3)
TWINS = Decision(kind=DecisionKind.PASS, legal=parse_cards("2C 2C 3C QS"), count=3)
READY = Decision(kind=DecisionKind.READY)
MOON = Decision(kind=DecisionKind.MOON_CHOICE)

HAND = parse_cards("3C 9C QH")


def cards(text: str) -> Action:
    return Action(cards=bytes(parse_card(word) for word in text.split()))


@pytest.mark.parametrize(
    ("decision", "action"),
    [
        (PLAY, cards("3C")),
        (PLAY, cards("9C")),
        (PASS, cards("2C 3C QS")),
        (PASS, cards("AH QS 2C")),
        (TWINS, cards("2C QS 2C")),
        (READY, Action()),
        (READY, Action(decline=DeclineReason.CAPACITY)),
        (MOON, Action()),
        (MOON, Action(moon=MoonChoice.ADD)),
        (MOON, Action(moon=MoonChoice.SUBTRACT)),
    ],
)
def test_answer_to_what_was_asked_is_taken(decision: Decision, action: Action) -> None:
    assert judge_answer(decision, action) is None
    assert judge_answer(decision, action, hand=HAND) is None


@pytest.mark.parametrize(
    ("decision", "action", "reason", "message"),
    [
        (PLAY, cards("QH"), RejectReason.ILLEGAL_CARD, "QH may not be played now: expected one of 3C 9C"),
        (PLAY, cards("KH"), RejectReason.NOT_HELD, "you do not hold KH: expected one of 3C 9C"),
        (PLAY, Action(), RejectReason.WRONG_COUNT, "expected 1 card(s), 0 were sent"),
        (PLAY, cards("3C 9C"), RejectReason.WRONG_COUNT, "expected 1 card(s), 2 were sent"),
        (
            PLAY,
            Action(moon=MoonChoice.ADD),
            RejectReason.WRONG_KIND,
            "PLAY takes cards, and a moon choice was sent",
        ),
        (
            PLAY,
            Action(decline=DeclineReason.OTHER),
            RejectReason.WRONG_KIND,
            "PLAY takes cards, and a refusal was sent",
        ),
        (
            PASS,
            Action(moon=MoonChoice.ADD),
            RejectReason.WRONG_KIND,
            "PASS takes cards, and a moon choice was sent",
        ),
        (PASS, cards("2C 3C"), RejectReason.WRONG_COUNT, "expected 3 card(s), 2 were sent"),
        (PASS, cards("2C 3C QS AH"), RejectReason.WRONG_COUNT, "expected 3 card(s), 4 were sent"),
        (
            PASS,
            cards("2C 3C KH"),
            RejectReason.NOT_HELD,
            "you cannot pass 2C 3C KH: your hand is 2C 3C QS AH",
        ),
        (
            PASS,
            cards("2C 2C QS"),
            RejectReason.NOT_HELD,
            "you cannot pass 2C 2C QS: your hand is 2C 3C QS AH",
        ),
        (
            TWINS,
            cards("2C 2C 2C"),
            RejectReason.NOT_HELD,
            "the same card was sent more often than you hold it",
        ),
        (READY, cards("2C"), RejectReason.WRONG_KIND, "READY takes no cards, 1 were sent"),
        (
            READY,
            Action(moon=MoonChoice.ADD),
            RejectReason.WRONG_KIND,
            "READY takes no moon choice, and one was sent",
        ),
        (MOON, cards("2C 3C"), RejectReason.WRONG_KIND, "MOON_CHOICE takes no cards, 2 were sent"),
        (
            MOON,
            Action(decline=DeclineReason.RULES),
            RejectReason.WRONG_KIND,
            "MOON_CHOICE takes no refusal, and one was sent",
        ),
    ],
)
def test_answer_that_does_not_fit_is_refused_with_reason_and_message(
    decision: Decision, action: Action, reason: RejectReason, message: str
) -> None:
    illegality = judge_answer(decision, action, hand=HAND)

    assert illegality is not None
    assert (illegality.reason, illegality.message) == (reason, message)


def test_card_is_called_illegal_where_the_judge_does_not_know_the_hand() -> None:
    illegality = judge_answer(PLAY, cards("KH"))

    assert illegality is not None
    assert illegality.reason is RejectReason.ILLEGAL_CARD


@pytest.mark.parametrize("number", [0, 53, 54, 105, 128, 255])
def test_byte_that_is_no_card_is_malformed(number: int) -> None:
    alone = judge_answer(PLAY, Action(cards=bytes([number])), hand=HAND)
    among = judge_answer(PASS, Action(cards=bytes([2, number, number])))

    assert alone is not None
    assert among is not None
    assert alone.reason is among.reason is RejectReason.MALFORMED
    assert alone.message == f"no card has the number {number}: expected 1 (2C) to 52 (AH)"


def test_long_nonsense_is_shown_only_in_part() -> None:
    many = Decision(kind=DecisionKind.PASS, legal=PASS.legal, count=200)

    illegality = judge_answer(many, Action(cards=b"\xff" * 200))

    assert illegality is not None
    assert illegality.message.count("255") == 8


@given(st.binary(max_size=5), st.sampled_from([PLAY, PASS, TWINS, READY, MOON]))
def test_any_bytes_are_judged_and_taken_only_when_they_fit(sent: bytes, decision: Decision) -> None:
    illegality = judge_answer(decision, Action(cards=sent), hand=HAND)

    if illegality is None:
        assert len(sent) == decision.count
        assert set(sent) <= set(card_numbers(decision.legal & DISTINCT))
    else:
        assert "\n" not in illegality.message
