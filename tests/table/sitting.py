"""A table with a bot's memory at every seat, and a clock that only moves when it is told to."""

from collections.abc import Callable
from random import Random

from tests.engine.play import random_match

from kiery.cards import card_numbers, mask_of
from kiery.engine import Board, Match
from kiery.policy import POLICIES, act
from kiery.rules import MatchLength, Rules, preset
from kiery.table import Place, Table, TableState
from kiery.terms import FaultPolicy, ForcedActions, MatchCause, TimeControl
from kiery.view import Action, Decision, DecisionKind, Fold, Observation, Update

MS = 1_000_000
S = 1000 * MS

SAME_VIEW = (
    "seat deal_number phase dealer pass_offset hand_mask passed_mask received_mask seats cards winners"
    " trick_size leader points scores broken kitty_mask kitty_seat substituted substituted_for_match faults"
).split()
"""All of a snapshot but what time changes by itself."""


class Dice:
    """A policy's chance, from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def below(self, bound: int, /) -> int:
        return self.random.randrange(bound)


class Seat:
    """What the bot at a seat has read."""

    def __init__(self) -> None:
        self.updates: list[Update] = []
        self.fold: Fold | None = None
        self.sent = 0

    @property
    def last(self) -> Update:
        return self.updates[-1]

    def read(self, update: Update) -> None:
        self.updates.append(update)
        news = update.news
        if news is not None and news.match_started is not None:
            resumed = self.fold is not None and self.fold.sequence == news.match_started.after
            if not resumed:
                # A bot that starts anew, or whose history was skipped, begins where events go on.
                self.fold = Fold(news.match_started)
        assert self.fold is not None
        accepted = news is not None and news.pass_accepted
        self.fold.apply(update, pass_sent=self.sent if accepted else 0)


class Sitting:
    """A table that is being played, and its bots."""

    def __init__(
        self,
        rules: Rules | None = None,
        *,
        seed: int = 1,
        deals: int | None = 4,
        time: TimeControl | None = None,
        faults: FaultPolicy | None = None,
        forced: ForcedActions = ForcedActions.ASK,
        board_of: Callable[[int], Board] | None = None,
    ) -> None:
        rules = rules or preset("hearts", 4)
        match = (
            random_match(rules, seed, deal_limit=deals)
            if board_of is None
            else Match(rules, MatchLength(deal_limit=deals), board_of)
        )
        self.table = Table(
            match,
            match_id="m1",
            names=[f"bot-{seat}" for seat in range(rules.num_players)],
            time_control=time or TimeControl(),
            fault_policy=faults or FaultPolicy(),
            forced_actions=forced,
        )
        self.now = 0
        self.seats = [Seat() for _ in range(rules.num_players)]
        self.dice = Dice(seed)
        self.table.open(0)

    def place(self, seat: int) -> Place:
        return self.table.places[seat]

    def asked(self, seat: int) -> Decision | None:
        return self.table.places[seat].decision

    def connect_all(self, **wishes: bool) -> None:
        for seat in range(len(self.seats)):
            self.table.connect(seat, self.now, **wishes)

    def write(self, seat: int) -> list[Update]:
        """Writes to a seat what it is owed, as the host does."""
        updates = self.table.take(seat, self.now)
        self.table.written(seat, self.now)
        for update in updates:
            self.seats[seat].read(update)
        return updates

    def flush(self) -> list[int]:
        """Writes to all connected seats that must be written to; returns them."""
        due = list(dict.fromkeys(self.table.due))
        self.table.due.clear()
        for seat in due:
            if self.place(seat).connected:
                self.write(seat)
        return due

    def answer(self, seat: int, action: Action | None = None, *, decision_id: int | None = None) -> None:
        """Answers what a seat is asked; any legal action unless one is given."""
        place = self.place(seat)
        if action is None:
            action = self.any_action(seat)
        self.seats[seat].sent = mask_of(action.cards) if _is_mask(action.cards) else 0
        self.table.answer(seat, decision_id or place.decision_id, action, self.now)

    def any_action(self, seat: int) -> Action:
        decision = self.asked(seat)
        assert decision is not None
        if decision.kind in {DecisionKind.READY, DecisionKind.MOON_CHOICE}:
            return Action()
        return act(POLICIES["random"], self.table.observe(seat, decision), self.dice)

    def illegal_action(self, seat: int) -> Action:
        """Returns a card that the seat holds and may not play, or one that it does not hold."""
        decision = self.asked(seat)
        assert decision is not None
        if decision.kind is DecisionKind.PASS:
            return Action()
        return Action(cards=bytes([next(card for card in range(1, 53) if not decision.legal >> card & 1)]))

    def ready(self) -> None:
        """Connects everybody and gets the first deal going."""
        self.connect_all()
        self.flush()
        for seat in range(len(self.seats)):
            self.answer(seat)
        self.flush()

    def pass_all(self) -> None:
        for seat, place in enumerate(self.table.places):
            if place.decision is not None and place.decision.kind is DecisionKind.PASS:
                self.answer(seat)
        self.flush()

    @property
    def state(self) -> TableState:
        return self.table.state

    @property
    def turn(self) -> int:
        return self.table.match.deal.turn

    def step(self) -> bool:
        """Answers one open decision in order of seats; false if nobody is asked."""
        for seat, place in enumerate(self.table.places):
            if place.decision is not None:
                self.answer(seat)
                self.flush()
                return True
        return False

    def play_until(self, reached: Callable[[], bool]) -> None:
        while not reached():
            assert self.step()

    def play_to_deal(self, number: int) -> None:
        self.play_until(lambda: len(self.table.match.deals) >= number)

    def play_out(self) -> None:
        while self.step():
            pass
        assert self.table.state is TableState.PLAYED

    def finish(self, cause: MatchCause = MatchCause.COMPLETED) -> None:
        self.table.finish(cause, b"d" * 32, self.now)
        self.flush()

    def check_fold(self, seat: int) -> None:
        """Compares what a bot knows with what the server would show it."""
        fold = self.seats[seat].fold
        if fold is None or not self.table.match.deals:
            return
        assert_same_view(fold.observation(), self.table.observe(seat))

    def check_deck(self) -> None:
        """Counts every card of the deal once: in a hand, played, or in the kitty."""
        deal = self.table.match.deal
        counts: dict[int, int] = {}
        held = [card for hand in deal.hands for card in card_numbers(hand)]
        for card in (*held, *deal.cards, *card_numbers(deal.board.kitty)):
            counts[card] = counts.get(card, 0) + 1
        whole: dict[int, int] = {}
        for card in card_numbers(self.table.match.rules.deck):
            whole[card] = whole.get(card, 0) + 1
        assert counts == whole


def assert_same_view(folded: Observation, shown: Observation) -> None:
    for name in SAME_VIEW:
        assert getattr(folded, name) == getattr(shown, name), name


def _is_mask(cards: bytes) -> bool:
    return all(1 <= card <= 52 for card in cards) and all(cards.count(card) <= 2 for card in cards)
