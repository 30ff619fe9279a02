"""Plays recorded deals again through the engine and names the first place where they differ.

Shared by records and transcripts. Everything is judged in the order in which it happened: the cards of
a deal, who dealt, the passes, each play, the moon, the points, the totals, and whether the match went on.
"""

from collections.abc import Iterable
from typing import Final

from kiery.cards import CARDS, EMPTY, CardMask, Seat, card_numbers, count_cards, format_cards, has_cards
from kiery.engine import Board, BoardError, Deal, IllegalPlayError, board_from_hands, judge_of
from kiery.record.errors import DisagreementError, first_difference
from kiery.record.values import PlayedDeal
from kiery.rules import MatchLength, Moon, MoonChoice, OpeningLead, Rules, deal_totals, is_over
from kiery.terms import ActionCause
from kiery.view import Phase

__all__ = ["Replay"]

_FORCED: Final = ActionCause.FORCED


class Replay:
    """A match that is played again, deal by deal."""

    __slots__ = ("_judge", "_judge_every_dealer", "deal_count", "length", "over", "rules", "scores")

    def __init__(self, rules: Rules, length: MatchLength, *, judge_every_dealer: bool) -> None:
        """Prepares a replay.

        Args:
            rules: What was played.
            length: A fixed number of deals, or to the target.
            judge_every_dealer: Whether the dealer matters even where the lowest club opens.
        """
        self.rules = rules
        self.length = length
        self.deal_count = 0
        """Deals played again so far, a broken-off one included."""
        self.scores: tuple[int, ...] = (0,) * rules.num_players
        """Totals after the deals that are complete."""
        self.over = False
        """Whether no further deal follows."""
        self._judge = judge_of(rules)
        self._judge_every_dealer = judge_every_dealer or rules.opening_lead is OpeningLead.DEALER_LEFT

    def deal(self, played: PlayedDeal, *, causes: bytes = b"", may_break_off: bool = False) -> bytes:
        """Plays one deal again.

        Args:
            played: What is said to have happened.
            causes: Who decided each play, an `ActionCause` a byte; empty: nobody says. A forced play must
                have been the only legal card.
            may_break_off: Whether the deal may stop unfinished, without points.

        Returns:
            Who took each complete trick, a seat a byte; 127: nobody.

        Raises:
            DisagreementError: The engine says otherwise.
        """
        number = self.deal_count + 1
        if self.over:
            raise DisagreementError(f"the match was over after deal {number - 1}", deal=number)
        if played.number != number:
            raise DisagreementError(f"the deal is numbered {played.number}: expected {number}", deal=number)
        self.deal_count = number
        winners = self._at_once(played) if _FORCED not in causes else None
        return winners if winners is not None else self._card_by_card(played, causes, may_break_off)

    def _at_once(self, played: PlayedDeal) -> bytes | None:
        """Judges a whole deal; returns the winners, or none if anything about it needs a closer look."""
        judge = self._judge
        judged = judge.judge(played.board_number, played.hands, played.passes, played.cards)
        if (
            judged is None
            or judged.seats != played.seats
            or judged.shooter is not None
            or played.shooter is not None
            or played.choice is not None
            or played.kitty
            or (self._judge_every_dealer and played.dealer != judge.dealer(played.board_number))
        ):
            return None
        points = judge.award(judged)
        scores = deal_totals(self.rules, self.scores, points)
        if played.points != points or played.totals != scores:
            return None
        self._count(points, scores)
        return judged.winners

    def _count(self, points: tuple[int, ...], scores: tuple[int, ...]) -> None:
        self.scores = scores
        self.over = is_over(
            self.rules, self.length, totals=scores, points=points, deals_played=self.deal_count
        )

    def _card_by_card(self, played: PlayedDeal, causes: bytes, may_break_off: bool) -> bytes:  # noqa: FBT001
        deal = Deal(self.rules, _board(self.rules, played), self.deal_count)
        self._judge_dealer(deal, played)
        self._pass(deal, played, may_break_off=may_break_off)
        self._play(deal, played, causes)
        if deal.phase is Phase.MOON_CHOICE or deal.phase is Phase.SCORED:
            self._score(deal, played, may_break_off=may_break_off)
        else:
            _judge_break_off(deal, played, may_break_off=may_break_off)
        return bytes(deal.winners)

    def _judge_dealer(self, deal: Deal, played: PlayedDeal) -> None:
        if self._judge_every_dealer and played.dealer != deal.dealer:
            raise DisagreementError(
                f"seat {played.dealer} is said to have dealt: expected seat {deal.dealer}", deal=deal.number
            )

    def _pass(self, deal: Deal, played: PlayedDeal, *, may_break_off: bool) -> None:
        number = deal.number
        if not deal.pass_offset:
            seat = next((seat for seat, cards in enumerate(played.passes) if cards), None)
            if seat is not None:
                raise DisagreementError(
                    "cards were passed: expected none in this deal", deal=number, seat=seat
                )
            return
        passes = played.passes or (EMPTY,) * deal.rules.num_players
        if len(passes) != deal.rules.num_players:
            raise DisagreementError(
                f"{len(passes)} seats passed: expected {deal.rules.num_players}", deal=number
            )
        for seat, cards in enumerate(passes):
            if not cards and may_break_off and not played.cards:
                continue
            if count_cards(cards) != deal.rules.pass_count:
                raise DisagreementError(
                    f"{count_cards(cards)} cards were passed: expected {deal.rules.pass_count}",
                    deal=number,
                    seat=seat,
                )
            if not has_cards(deal.board.hands[seat], cards):
                raise DisagreementError(
                    f"passed {format_cards(cards)}, which are not all in the hand", deal=number, seat=seat
                )
            deal.choose_pass(seat, cards)

    def _play(self, deal: Deal, played: PlayedDeal, causes: bytes) -> None:
        play = deal.play
        forced = _FORCED in causes
        for index, (seat, card) in enumerate(zip(played.seats, played.cards, strict=True)):
            if seat != deal.turn or (forced and causes[index] == _FORCED):
                self._judge_turn(deal, seat, card, forced=forced and causes[index] == _FORCED)
            try:
                play(card)
            except IllegalPlayError:
                raise self._illegal(deal, seat, card) from None

    def _judge_turn(self, deal: Deal, seat: Seat, card: int, *, forced: bool) -> None:
        trick = len(deal.winners) + 1
        if deal.phase is not Phase.PLAYING:
            raise self._illegal(deal, seat, card)
        if seat != deal.turn:
            raise DisagreementError(
                f"it is the turn of seat {deal.turn}", deal=deal.number, trick=trick, seat=seat
            )
        if forced and count_cards(deal.legal) != 1:
            raise DisagreementError(
                f"the play is called forced, but {format_cards(deal.legal)} were legal",
                deal=deal.number,
                trick=trick,
                seat=seat,
            )

    def _illegal(self, deal: Deal, seat: Seat, card: int) -> DisagreementError:
        trick = len(deal.winners) + 1
        shown = str(CARDS[card - 1]) if 1 <= card <= len(CARDS) else f"number {card}"
        if deal.phase is not Phase.PLAYING:
            trick = len(deal.winners)
            what = f"{shown} was played after the last trick"
        else:
            fault = "not legal" if card in card_numbers(deal.hands[deal.turn]) else "not in the hand"
            what = f"{shown} is {fault}: expected one of {format_cards(deal.legal)}"
        return DisagreementError(what, deal=deal.number, trick=trick, seat=seat)

    def _score(self, deal: Deal, played: PlayedDeal, *, may_break_off: bool) -> None:
        number = deal.number
        if played.shooter != deal.shooter:
            expected = "nobody did" if deal.shooter is None else f"expected seat {deal.shooter}"
            said = "nobody" if played.shooter is None else f"seat {played.shooter}"
            raise DisagreementError(
                f"{said} is said to have shot the moon: {expected}", deal=number, seat=played.shooter
            )
        if deal.phase is Phase.MOON_CHOICE:
            if played.choice is None:
                if may_break_off and not played.points:
                    return
                raise DisagreementError("the moon has no choice", deal=number, seat=deal.shooter)
            deal.choose_moon(played.choice)
        elif not _is_same_award(deal, played.choice):
            said = "nothing" if played.choice is None else played.choice.value
            expected = "nothing" if deal.choice is None else deal.choice.value
            raise DisagreementError(
                f"the moon is said to be awarded by {said}: expected {expected}",
                deal=number,
                seat=deal.shooter,
            )
        points = deal.awarded or ()
        scores = deal_totals(self.rules, self.scores, points)
        _judge_numbers("points", played.points, points, number)
        _judge_numbers("totals", played.totals, scores, number)
        self._count(points, scores)


def _is_same_award(deal: Deal, choice: MoonChoice | None) -> bool:
    # Where the rules leave no choice a transcript says add, whichever way the moon is awarded.
    if deal.rules.moon is Moon.SHOOTER_MINUS and choice is MoonChoice.ADD:
        return True
    return choice is deal.choice


def _judge_numbers(name: str, said: tuple[int, ...], expected: tuple[int, ...], number: int) -> None:
    seat = first_difference(said, expected)
    if seat is not None:
        shown = said[seat] if seat < len(said) else "missing"
        right = expected[seat] if seat < len(expected) else "no more"
        raise DisagreementError(f"{name} are {shown}: expected {right}", deal=number, seat=seat)


def _judge_break_off(deal: Deal, played: PlayedDeal, *, may_break_off: bool) -> None:
    if may_break_off and not played.points and not played.totals and played.shooter is None:
        return
    if deal.phase is Phase.PASSING:
        seat = deal.passes.index(None)
        raise DisagreementError("passed nothing", deal=deal.number, seat=seat)
    raise DisagreementError(
        f"the deal stops here: expected one of {format_cards(deal.legal)}",
        deal=deal.number,
        trick=len(deal.winners) + 1,
        seat=deal.turn,
    )


def _board(rules: Rules, played: PlayedDeal) -> Board:
    """Returns the board of a deal, or says which seat's cards are wrong."""
    number = played.number
    if len(played.hands) != rules.num_players:
        raise DisagreementError(f"{len(played.hands)} hands: expected {rules.num_players}", deal=number)
    for seat, hand in enumerate(played.hands):
        if count_cards(hand) != rules.hand_size:
            raise DisagreementError(
                f"{count_cards(hand)} cards were dealt: expected {rules.hand_size}", deal=number, seat=seat
            )
    try:
        return board_from_hands(rules, played.board_number, played.hands, played.kitty)
    except BoardError:
        raise _wrong_deck(rules, played) from None


def _wrong_deck(rules: Rules, played: PlayedDeal) -> DisagreementError:
    left = list(card_numbers(rules.deck))
    for seat, hand in _dealt(played):
        for card in card_numbers(hand):
            if card not in left:
                again = "dealt too often" if rules.deck >> card & 1 else "not in the pack of these rules"
                return DisagreementError(f"{CARDS[card - 1]} is {again}", deal=played.number, seat=seat)
            left.remove(card)
    missing = " ".join(str(CARDS[card - 1]) for card in left)
    return DisagreementError(f"cards of the pack are missing: {missing}", deal=played.number)


def _dealt(played: PlayedDeal) -> Iterable[tuple[Seat | None, CardMask]]:
    yield from enumerate(played.hands)
    yield None, played.kitty
