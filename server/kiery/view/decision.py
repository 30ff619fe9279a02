"""What a seat is asked, what it answers, and whether the answer is one it may give."""

from dataclasses import dataclass
from enum import IntEnum

from kiery.cards import CARDS, EMPTY, CardMask, format_cards, has_cards, mask_of
from kiery.rules import MoonChoice
from kiery.terms import DeclineReason, RejectReason

__all__ = ["Action", "Decision", "DecisionKind", "Illegality", "judge_answer"]


class DecisionKind(IntEnum):
    """What is asked. The numbers are those of the schema."""

    READY = 1
    """Whether the bot plays at this table; an answer without cards is yes."""
    PASS = 2
    """Which cards to pass; asked of all seats at once."""
    PLAY = 3
    """Which card to play."""
    MOON_CHOICE = 4
    """Whether a moon is added to the others or taken off one's own score."""


@dataclass(slots=True, kw_only=True)
class Decision:
    """One question to one seat. Not frozen, since one is made for every card played; never changed."""

    kind: DecisionKind
    """What is asked."""
    legal: CardMask = EMPTY
    """PASS: the hand, twins counted. PLAY: the cards that may be played, each once. Else empty."""
    count: int = 0
    """How many cards the answer has: the pass count, 1 for a play, else 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A seat's answer to a decision."""

    cards: bytes = b""
    """Card numbers: the pass in any order, or the one card played."""
    moon: MoonChoice | None = None
    """MOON_CHOICE only: the choice; none leaves it to the rule's default."""
    decline: DeclineReason | None = None
    """READY only: why the table is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Illegality:
    """Why an answer cannot be taken."""

    reason: RejectReason
    """For programs."""
    message: str
    """For the bot's author; names nothing but the bot's own cards and input."""


_SHOWN_NUMBERS = 8


def judge_answer(decision: Decision, action: Action) -> Illegality | None:
    """Returns why an answer to a decision is refused, none if it is accepted.

    Judges cards only where the decision asks for some. Nothing outside the decision is looked at.
    """
    cards = action.cards
    if decision.kind is DecisionKind.PLAY:
        # The hot path: one byte that names a legal card.
        if len(cards) == 1 and decision.legal >> cards[0] & 1 and cards[0]:
            return None
    elif decision.kind is not DecisionKind.PASS:
        if cards:
            return _illegal(
                RejectReason.WRONG_KIND, f"{decision.kind.name} takes no cards, {len(cards)} were sent"
            )
        return None
    return _judge_cards(decision, cards)


def _judge_cards(decision: Decision, cards: bytes) -> Illegality | None:
    if len(cards) != decision.count:
        return _illegal(
            RejectReason.WRONG_COUNT, f"expected {decision.count} card(s), {len(cards)} were sent"
        )
    strange = [number for number in cards if not 1 <= number <= len(CARDS)]
    if strange:
        shown = ", ".join(map(str, strange[:_SHOWN_NUMBERS]))
        return _illegal(RejectReason.MALFORMED, f"no card has the number {shown}: expected 1 (2C) to 52 (AH)")
    try:
        chosen = mask_of(cards)
    except ValueError:
        return _illegal(RejectReason.NOT_HELD, "the same card was sent more often than you hold it")
    if has_cards(decision.legal, chosen):
        return None
    legal = format_cards(decision.legal)
    if decision.kind is DecisionKind.PASS:
        return _illegal(
            RejectReason.NOT_HELD, f"you cannot pass {format_cards(chosen)}: your hand is {legal}"
        )
    return _illegal(
        RejectReason.ILLEGAL_CARD, f"{format_cards(chosen)} may not be played now: expected one of {legal}"
    )


def _illegal(reason: RejectReason, message: str) -> Illegality:
    return Illegality(reason=reason, message=message)
