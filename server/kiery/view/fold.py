"""One seat's view of a match, built up from its updates.

A client delivers the events of an update, then replaces its state by the snapshot if there is one.
Folding agrees with the server's own observation but for `grace_ms`. It needs no rules to follow the
play: winners are told. The rules are asked for points, and whether a deal is played out.
"""

from kiery.cards import (
    EMPTY,
    NO_CARD,
    CardMask,
    Seat,
    card_numbers,
    cards_in,
    join_cards,
    remove_card,
    without_cards,
)
from kiery.rules import NOBODY, DealTaken, is_settled
from kiery.terms import SubstitutionScope
from kiery.view.events import DealStarted, KittyTaken, MatchStarted, SeatSubstituted
from kiery.view.observation import Observation, Phase
from kiery.view.update import News, Update

__all__ = ["Fold"]


class Fold:
    """The state of one seat at one table, on the bot's side."""

    def __init__(self, started: MatchStarted) -> None:
        """Starts before the first deal of a match that was announced."""
        self.started = started
        self.sequence = started.after
        players = started.rules.num_players
        self._point_table = started.rules.point_table
        self._players = players
        self._scores: tuple[int, ...] = (0,) * players
        self._held_for_match: set[Seat] = set()
        self._last: Update | None = None
        self._begin(deal_number=0, dealer=0, hand=EMPTY, pass_offset=0)

    def _begin(self, *, deal_number: int, dealer: Seat, hand: CardMask, pass_offset: int) -> None:
        self._deal_number = deal_number
        self._dealer = dealer
        self._hand = hand
        self._pass_offset = pass_offset
        self._phase = Phase.PASSING if pass_offset else Phase.PLAYING
        self._passed: CardMask = EMPTY
        self._received: CardMask = EMPTY
        self._seats = bytearray()
        self._cards = bytearray()
        self._winners = bytearray()
        self._taken = [0] * self._players
        self._carried_points = 0
        self._awarded: tuple[int, ...] | None = None
        self._broken = False
        self._kitty: CardMask = EMPTY
        self._kitty_seat: Seat | None = None
        self._held = set(self._held_for_match)
        self._faults = 0
        self._grace_ms = self.started.time_control.grace_ms

    def apply(self, update: Update, *, pass_sent: CardMask = EMPTY) -> None:
        """Takes in an update.

        Args:
            update: The next update of this table, in the order received.
            pass_sent: The cards of the pass that the bot answered with, if that is what the update accepts.
        """
        news = update.news
        if news is not None:
            self._before_plays(news, pass_sent)
        if update.cards:
            self._play(update.seats, update.cards, update.winners)
        if news is not None:
            self._after_plays(news)
        if update.winners and self._awarded is None and self._is_played_out():
            # The score comes with the last card, unless a moon waits for its shooter.
            self._phase = Phase.MOON_CHOICE
        if update.observation is not None:
            self._replace(update.observation)
        self.sequence = update.sequence
        self._last = update

    def _before_plays(self, news: News, pass_sent: CardMask) -> None:
        if news.deal_started is not None:
            self._start_deal(news.deal_started)
        if news.pass_accepted and not self._passed:
            self._passed = pass_sent
        if news.cards_exchanged is not None:
            exchanged = news.cards_exchanged
            self._passed, self._received = exchanged.passed, exchanged.received
            self._hand = join_cards(without_cards(self._hand, exchanged.passed), exchanged.received)
            self._phase = Phase.PLAYING
        for substitution in news.substitutions:
            self._substitute(substitution)
        self._faults = max(self._faults, news.faults)

    def _start_deal(self, started: DealStarted) -> None:
        self._begin(
            deal_number=started.deal_number,
            dealer=started.dealer,
            hand=started.hand,
            pass_offset=started.pass_offset,
        )

    def _substitute(self, substitution: SeatSubstituted) -> None:
        self._held.add(substitution.seat)
        if substitution.scope is SubstitutionScope.MATCH:
            self._held_for_match.add(substitution.seat)

    def _play(self, seats: bytes, cards: bytes, winners: bytes) -> None:
        own = self.started.seat
        if own in seats:
            for seat, card in zip(seats, cards, strict=True):
                if seat == own:
                    self._hand = remove_card(self._hand, card)
        if not self._broken:
            breaking = self.started.rules.breaking_cards
            self._broken = any(breaking >> card & 1 for card in cards)
        self._seats += seats
        self._cards += cards
        for winner in winners:
            self._take_trick(winner)

    def _take_trick(self, winner: Seat) -> None:
        players = self._players
        start = len(self._winners) * players
        points = self._point_table
        trick_points = sum([points[card] for card in self._cards[start : start + players]])
        self._winners.append(winner)
        if winner == NOBODY:
            # Carried: the same seat leads again, and the next winner takes these cards too.
            self._carried_points += trick_points
        else:
            self._taken[winner] += trick_points + self._carried_points
            self._carried_points = 0

    def _after_plays(self, news: News) -> None:
        if news.kitty_taken is not None:
            self._take_kitty(news.kitty_taken)
        if news.deal_scored is not None:
            self._awarded = news.deal_scored.points
            self._scores = news.deal_scored.scores
            self._phase = Phase.SCORED

    def _take_kitty(self, taken: KittyTaken) -> None:
        self._kitty, self._kitty_seat = taken.cards, taken.seat
        self._taken[taken.seat] += sum(self._point_table[card] for card in card_numbers(taken.cards))

    def _is_played_out(self) -> bool:
        rules = self.started.rules
        if len(self._winners) == rules.hand_size:
            return True
        return rules.early_end and is_settled(rules, self._result())

    def _result(self) -> DealTaken:
        """Returns what each seat has taken so far."""
        bonus = self.started.rules.bonus_card
        bonus_cards, tricks = [0] * self._players, [0] * self._players
        start = 0
        for number, winner in enumerate(self._winners, start=1):
            if winner != NOBODY:
                end = number * self._players
                bonus_cards[winner] += self._cards[start:end].count(bonus or NO_CARD)
                tricks[winner] += (end - start) // self._players
                start = end
        if self._kitty_seat is not None:
            bonus_cards[self._kitty_seat] += cards_in(self._kitty).count(bonus)
        return DealTaken(points=tuple(self._taken), bonus_cards=tuple(bonus_cards), tricks=tuple(tricks))

    def _replace(self, observation: Observation) -> None:
        self._begin(
            deal_number=observation.deal_number,
            dealer=observation.dealer,
            hand=observation.hand_mask,
            pass_offset=observation.pass_offset,
        )
        self._phase = observation.phase
        self._passed, self._received = observation.passed_mask, observation.received_mask
        self._play_snapshot(observation)
        self._kitty, self._kitty_seat = observation.kitty_mask, observation.kitty_seat
        self._taken = list(observation.points)
        if observation.phase is Phase.SCORED:
            self._awarded = observation.points
        self._scores = observation.scores
        self._broken = observation.broken
        self._held = set(observation.substituted)
        self._held_for_match = set(observation.substituted_for_match)
        self._faults = observation.faults
        self._grace_ms = observation.grace_ms

    def _play_snapshot(self, observation: Observation) -> None:
        self._seats += observation.seats
        self._cards += observation.cards
        for winner in observation.winners:
            self._take_trick(winner)

    def _current_leader(self) -> Seat | None:
        if self._phase is Phase.PASSING:
            return None
        open_cards = len(self._seats) - len(self._winners) * self._players
        if open_cards:
            return self._seats[-open_cards]
        for winner in reversed(self._winners):
            if winner != NOBODY:
                return winner
        return self._seats[0] if self._seats else None

    def observation(self) -> Observation:
        """Returns the view after the last update, with the decision that it asked, if any."""
        last = self._last
        decision = last.decision if last is not None else None
        return Observation(
            rules=self.started.rules,
            seat=self.started.seat,
            deal_number=self._deal_number,
            phase=self._phase,
            dealer=self._dealer,
            pass_offset=self._pass_offset,
            hand_mask=self._hand,
            passed_mask=self._passed,
            received_mask=self._received,
            seats=bytes(self._seats),
            cards=bytes(self._cards),
            winners=bytes(self._winners),
            trick_size=len(self._cards) - len(self._winners) * self._players,
            leader=self._current_leader(),
            points=tuple(self._taken) if self._awarded is None else self._awarded,
            scores=self._scores,
            broken=self._broken,
            kitty_mask=self._kitty,
            kitty_seat=self._kitty_seat,
            substituted=tuple(sorted(self._held)),
            substituted_for_match=tuple(sorted(self._held_for_match)),
            faults=self._faults,
            grace_ms=self._grace_ms,
            kind=decision.kind if decision is not None else None,
            legal_mask=decision.legal if decision is not None else EMPTY,
            choose_count=decision.count if decision is not None else 0,
            time_ms=last.time_ms if last is not None else 0,
            bank_ms=last.bank_ms if last is not None else 0,
        )
