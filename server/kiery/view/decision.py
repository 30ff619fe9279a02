"""What a seat is asked, what it answers, and whether the answer is one it may give."""

from dataclasses import dataclass
from enum import IntEnum

from kiery.cards import CARDS, CardMask, card_numbers, format_cards, has_cards, mask_of
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


@dataclass(slots=True, init=False)
class Decision:
    """One question to one seat. Not frozen, since one is made for every card played; never changed."""

    kind: DecisionKind
    """What is asked."""
    numbers: bytes
    """Card numbers, ascending. PASS: the hand, twins repeated. PLAY: each card that may be played, once."""
    count: int
    """How many cards the answer has: the pass count, 1 for a play, else 0."""

    def __init__(
        self, kind: DecisionKind, numbers: bytes = b"", count: int = 0, *, legal: CardMask | None = None
    ) -> None:
        """Asks for some of the cards given by number, or as a mask."""
        self.kind = kind
        self.numbers = numbers if legal is None else card_numbers(legal)
        self.count = count

    @property
    def legal(self) -> CardMask:
        """The cards to choose from, as a mask."""
        return mask_of(self.numbers)


@dataclass(slots=True, kw_only=True)
class Action:
    """A seat's answer to a decision. Not frozen, since one is made for every card played; never changed."""

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


def judge_answer(decision: Decision, action: Action, *, hand: CardMask | None = None) -> Illegality | None:
    """Returns why an answer to a decision is refused, none if it is accepted.

    Args:
        decision: What was asked.
        action: What was answered. Cards beside a moon choice or a refusal count as cards.
        hand: The seat's hand, only to tell a card that is not held from one that may not be played;
            where it is not given, both are called illegal.
    """
    cards = action.cards
    if decision.kind is DecisionKind.PLAY:
        # The hot path: one byte that names a legal card.
        if len(cards) == 1 and cards in decision.numbers:
            return None
    elif decision.kind is not DecisionKind.PASS:
        return _judge_without_cards(decision.kind, action)
    if not cards and (action.moon is not None or action.decline is not None):
        sent = "a refusal" if action.moon is None else "a moon choice"
        return _illegal(RejectReason.WRONG_KIND, f"{decision.kind.name} takes cards, and {sent} was sent")
    return _judge_cards(decision, cards, hand)


def _judge_without_cards(kind: DecisionKind, action: Action) -> Illegality | None:
    if action.cards:
        return _illegal(RejectReason.WRONG_KIND, f"{kind.name} takes no cards, {len(action.cards)} were sent")
    if kind is DecisionKind.READY and action.moon is not None:
        return _illegal(RejectReason.WRONG_KIND, "READY takes no moon choice, and one was sent")
    if kind is DecisionKind.MOON_CHOICE and action.decline is not None:
        return _illegal(RejectReason.WRONG_KIND, "MOON_CHOICE takes no refusal, and one was sent")
    return None


def _judge_cards(decision: Decision, cards: bytes, hand: CardMask | None) -> Illegality | None:
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
    legal = format_cards(decision.legal)
    if decision.kind is DecisionKind.PASS:
        if has_cards(decision.legal, chosen):
            return None
        return _illegal(
            RejectReason.NOT_HELD, f"you cannot pass {format_cards(chosen)}: your hand is {legal}"
        )
    if hand is not None and not has_cards(hand, chosen):
        return _illegal(
            RejectReason.NOT_HELD, f"you do not hold {format_cards(chosen)}: expected one of {legal}"
        )
    return _illegal(
        RejectReason.ILLEGAL_CARD, f"{format_cards(chosen)} may not be played now: expected one of {legal}"
    )


def _illegal(reason: RejectReason, message: str) -> Illegality:
    return Illegality(reason=reason, message=message)
