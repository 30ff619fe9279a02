"""A table as it is seen from outside: streams come and go, answers arrive, time runs out, it is ended.

What follows from any of these is the `Course` of the match. Rules of both modules: time is an
argument; an answer that is refused changes nothing but its own seat's tries; whatever a seat has to be
told is derived from the match and its place when it is written, so nothing is queued for a bot that
does not read. Source: docs/protocol.md, docs/rules.md.
"""

from collections.abc import Sequence
from typing import Final

from kiery.cards import mask_of
from kiery.engine import Match
from kiery.table.course import Course, TableState
from kiery.table.owed import take_updates
from kiery.table.place import Place
from kiery.terms import (
    ActionCause,
    CloseCause,
    FaultPolicy,
    ForcedActions,
    MatchCause,
    RejectReason,
    SeatCause,
    SubstitutionScope,
    TimeControl,
)
from kiery.view import (
    Action,
    Decision,
    DecisionKind,
    Illegality,
    MatchEnded,
    MatchStarted,
    Phase,
    Rejection,
    Update,
    judge_answer,
)

__all__ = ["Table"]


_OVER: Final = frozenset({TableState.PLAYED, TableState.ENDED})
"""No action is missing any more, so nobody can fail to give one."""


_READY: Final = Decision(DecisionKind.READY)


class Table(Course):
    """A match, its seats, and what they are owed."""

    def __init__(
        self,
        match: Match,
        *,
        match_id: str,
        names: Sequence[str],
        time_control: TimeControl,
        fault_policy: FaultPolicy,
        forced_actions: ForcedActions = ForcedActions.ASK,
        tournament_id: str = "",
        commitment: bytes = b"",
    ) -> None:
        """Sets a table up; `open` begins it.

        Args:
            match: The match to play, not begun.
            match_id: Its lasting name, at most 16 ASCII characters.
            names: Entrants by seat.
            time_control: The clocks.
            fault_policy: What a fault costs.
            forced_actions: Who plays a single legal card.
            tournament_id: The tournament's name, or empty.
            commitment: The commitment to the secret of the deals, or empty.
        """
        super().__init__(match, time_control, fault_policy, forced_actions)
        self.match_id = match_id
        self.names = tuple(names)
        self.tournament_id = tournament_id
        self.commitment = commitment
        self.ending: MatchEnded | None = None
        """The end of a match whose first deal never began: there is no log that it could stand in."""

    def announcement(self, seat: int, after: int) -> MatchStarted:
        """Returns what announces a seat on a new stream."""
        return MatchStarted(
            match_id=self.match_id,
            seat=seat,
            names=self.names,
            rules=self.match.rules,
            deal_limit=self.match.length.deal_limit or 0,
            time_control=self.time_control,
            fault_policy=self.fault_policy,
            forced_actions=self.forced_actions,
            tournament_id=self.tournament_id,
            commitment=self.commitment,
            after=after,
        )

    # Seats come and go

    def open(self, now: int) -> None:
        """Asks every seat whether it is ready; the ready limit runs from now, connected or not."""
        for place in self.places:
            place.open(_READY, now)
            place.retries_left = self.fault_policy.retries
            self.due.append(place.seat)

    def connect(
        self,
        seat: int,
        now: int,
        *,
        position: int | None = None,
        immediate: bool = False,
        every_decision: bool = False,
    ) -> None:
        """Gives a seat a live stream: it will be announced, brought up to date and asked again.

        Args:
            seat: The seat.
            now: The time.
            position: The last sequence that the bot has; none: nothing.
            immediate: Whether every event is sent at once.
            every_decision: Whether every decision comes with a snapshot.
        """
        place = self.places[seat]
        if place.connected:
            self.disconnect(seat, now)
        place.connected = True
        # A forced card that the server plays itself must not be visible by its timing.
        place.immediate = immediate and not self._auto
        self._immediate = [other for other in self.places if other.immediate]
        place.every_decision = every_decision
        place.resume(now)
        place.announce = True
        self._rewind(place, position)
        self.due.append(seat)

    def _rewind(self, place: Place, position: int | None) -> None:
        """Sets what the bot was told to its own position, or skips history and owes a snapshot."""
        match = self.match
        place.log = None
        place.plays = place.rare = 0
        place.snapshot = bool(match.logs)
        if not match.logs or (position == 0 and match.logs[0].base == 0):
            return
        for log in match.logs:
            if position is not None and log.base <= position <= log.sequence:
                place.log = log
                place.plays, place.rare = log.cursor_at(position)
                return
        place.log = log = match.log
        # The end of the match is told whatever was skipped.
        place.plays, place.rare = log.cursor_at(log.sequence - match.ended)

    def disconnect(self, seat: int, now: int) -> None:
        """Notes that a seat's stream is lost: its clock stands, and grace is spent while it is asked."""
        place = self.places[seat]
        if not place.connected:
            return
        place.connected = False
        place.lose(now)

    def restart(self, now: int) -> None:
        """Goes on after the server was away: every seat has lost its stream, and nobody any time."""
        for place in self.places:
            place.restart(now)
        self._immediate = []

    def leave(self, seat: int, now: int, *, resign: bool) -> None:
        """Takes a farewell: the substitute keeps the seat for the deal, or for the match."""
        place = self.places[seat]
        if self.state in _OVER or place.held is SubstitutionScope.MATCH:
            return
        if not resign and (place.held is not None or self.state is TableState.READYING):
            # Before the first deal there is nothing to act for: the ready limit goes on.
            return
        if resign:
            self._hold(place, SeatCause.RESIGNED, SubstitutionScope.MATCH, CloseCause.DISCONNECTED, now)
        else:
            self._hold(place, SeatCause.DISCONNECTED, SubstitutionScope.DEAL, CloseCause.DISCONNECTED, now)
        self._go_on(now)

    def abandon(self, seat: int, now: int) -> None:
        """Notes that a bot will never come back: the substitute keeps the seat for the match."""
        place = self.places[seat]
        if self.state is TableState.ENDED or place.held is SubstitutionScope.MATCH:
            return
        cause = SeatCause.DISCONNECTED if place.ready else SeatCause.NEVER_READY
        self._hold(place, cause, SubstitutionScope.MATCH, CloseCause.DISCONNECTED, now)
        self._go_on(now)

    # Answers

    def answer(self, seat: int, decision_id: int, action: Action, now: int) -> None:
        """Takes a bot's answer.

        Args:
            seat: The seat that answers.
            decision_id: The decision that it answers.
            action: The answer.
            now: When it arrived.
        """
        place = self.places[seat]
        decision = place.decision
        if decision is None or decision_id != place.decision_id:
            self._answer_closed(place, decision_id)
            return
        due_at = place.due_at
        if due_at is not None and now > due_at:
            self.expire(seat, now)
            self._answer_closed(place, decision_id)
            return
        illegality = judge_answer(decision, action)
        if illegality is not None:
            if decision.kind is DecisionKind.PLAY:
                # Judged again only for its words: whether the card is held makes the reason.
                illegality = judge_answer(decision, action, hand=self.match.deal.hand(seat)) or illegality
            self._reject(place, illegality, now)
            return
        think_ms = place.close(now)
        kind = decision.kind
        if kind is DecisionKind.PLAY:
            self._play(action.cards[0], ActionCause.ANSWERED, think_ms)
        elif kind is DecisionKind.PASS:
            place.pass_news = True
            self._pass(seat, mask_of(action.cards), ActionCause.ANSWERED, think_ms)
        elif kind is DecisionKind.MOON_CHOICE:
            self._choose_moon(action.moon, ActionCause.ANSWERED, think_ms)
        elif action.decline is not None:
            self._hold(place, SeatCause.DECLINED, SubstitutionScope.MATCH, None, now)
        else:
            place.ready = True
        self._go_on(now)

    def play(self, place: Place, cards: bytes, now: int) -> None:
        """Takes the answer to the play that is open at a place: `answer` for the usual case, written out.

        Args:
            place: Its open decision is a play, and it is the one that was answered.
            cards: The answer.
            now: When it arrived.
        """
        decision = place.decision
        due_at = place.due_at
        if (
            decision is None
            or len(cards) != 1
            or cards not in decision.numbers
            or due_at is None
            or now > due_at
        ):
            self.answer(place.seat, place.decision_id, Action(cards=cards), now)
            return
        think_ms = place.close(now)
        match = self.match
        deal = match.deals[-1]
        deal.play(cards[0])
        if not deal.trick_size:
            match.after_trick(deal)
        notes = deal.notes
        notes.play_causes.append(ActionCause.ANSWERED)
        notes.play_ms.append(think_ms)
        if deal.phase is Phase.PLAYING and not (self._auto or self._immediate or self._untold):
            following = self.places[deal.turn]
            if following.connected and following.held is None:
                following.open(Decision(DecisionKind.PLAY, deal.legal_numbers(), 1), now)
                following.retries_left = self.fault_policy.retries
                self.due.append(following.seat)
                return
        self._go_on(now)

    def _answer_closed(self, place: Place, decision_id: int) -> None:
        if not 1 <= decision_id <= place.decision_id:
            reason, message = (
                RejectReason.UNKNOWN_DECISION,
                f"you were never asked decision {decision_id} here",
            )
        elif decision_id in place.expired_ids:
            reason, message = (
                RejectReason.LATE,
                f"decision {decision_id} was closed before your answer arrived",
            )
        else:
            reason, message = RejectReason.DUPLICATE, f"decision {decision_id} was answered before"
        place.note_rejection(
            Rejection(
                decision_id=decision_id,
                illegality=Illegality(reason=reason, message=message),
                retries_left=place.retries_left,
                fault=False,
            ),
            harmless=True,
        )

    def _reject(self, place: Place, illegality: Illegality, now: int) -> None:
        """Closes the decision under its id and asks again, or lets the substitute act after the last try."""
        if self.match.deals:
            self.match.deal.notes.rejections[place.seat] += 1
        last = place.retries_left <= 0
        place.note_rejection(
            Rejection(
                decision_id=place.decision_id,
                illegality=illegality,
                retries_left=max(0, place.retries_left - 1),
                fault=last,
            )
        )
        if last:
            self._fault(place, SeatCause.ILLEGAL, CloseCause.REJECTED, now)
            self._go_on(now)
            return
        place.retries_left -= 1
        place.stop_clock(now)
        place.reopen()
        self.due.append(place.seat)

    # Time

    def written(self, seat: int, now: int) -> int | None:
        """Starts the clock of a seat's decision: the write that carries it is being called.

        Returns:
            When the decision is lost if nothing happens; none if nothing is asked.
        """
        return self.places[seat].written(now)

    def deadline(self, seat: int) -> int | None:
        """Returns when a seat's open decision is lost if nothing happens; none if nothing is asked."""
        return self.places[seat].due_at

    def expire(self, seat: int, now: int) -> None:
        """Lets time do its work on a seat, if its open decision's time is over."""
        place = self.places[seat]
        decision = place.decision
        if decision is None or place.due_at is None or now <= place.due_at:
            return
        if decision.kind is DecisionKind.READY:
            self._hold(place, SeatCause.NEVER_READY, SubstitutionScope.MATCH, CloseCause.TIMEOUT, now)
        elif now > place.opened_at + place.ceiling:
            self._fault(place, SeatCause.TIMEOUT, CloseCause.CEILING, now)
        elif place.grace_since is not None:
            self._hold(place, SeatCause.DISCONNECTED, SubstitutionScope.DEAL, CloseCause.DISCONNECTED, now)
        else:
            self._fault(place, SeatCause.TIMEOUT, CloseCause.TIMEOUT, now)
        self._go_on(now)

    def excuse(self, seat: int, now: int) -> None:
        """Gives a seat the ready limit once more: the server could not ask it."""
        self.places[seat].excuse(now)

    # The end

    def seat_causes(self) -> tuple[SeatCause, ...]:
        """Returns how each seat's part ends, as things stand."""
        return tuple(
            SeatCause.COMPLETED if place.held_cause is None else place.held_cause for place in self.places
        )

    def finish(self, cause: MatchCause, digest: bytes, now: int) -> None:
        """Ends the match: after the last deal once its record is kept, or at any time by a void.

        Args:
            cause: How it ended.
            digest: The digest of the record, or empty.
            now: The time.
        """
        if self.state is TableState.ENDED:
            return
        for place in self.places:
            if place.decision is not None:
                place.expire(CloseCause.MATCH_ENDED, now)
        if self._untold and self.match.logs:
            self._tell_substitutions()
        self.match.end(cause, self.seat_causes(), digest)
        if not self.match.logs:
            self.ending = self.match.ending(cause, self.seat_causes(), digest)
        self.state = TableState.ENDED
        self.due.extend(range(len(self.places)))

    # What a seat is told

    def take(self, seat: int, now: int) -> list[Update]:
        """Returns what a seat is owed, in order, and notes that it was told; see `take_updates`."""
        return take_updates(self, self.places[seat], now)
