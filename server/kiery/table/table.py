"""One match with clocks and faults: what is asked, what an answer does, what a missing one costs.

Rules of this module: time is an argument; an answer that is refused changes nothing but its own
seat's tries; whatever a seat has to be told is derived from the match and its place when it is
written, so nothing is queued for a bot that does not read. Source: docs/protocol.md, docs/rules.md.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Final

from kiery.cards import mask_of
from kiery.engine import Match, Substitution
from kiery.policy import SUBSTITUTE, Chance, act
from kiery.rules import MoonChoice
from kiery.table.owed import take_updates
from kiery.table.place import MS, Place
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
    Observation,
    Phase,
    Rejection,
    Update,
    judge_answer,
)

__all__ = ["Table", "TableState"]


class TableState(Enum):
    """Where a table stands."""

    READYING = "readying"
    """The seats are asked whether they are ready."""
    PLAYING = "playing"
    """The match is being played."""
    PLAYED = "played"
    """The last deal is scored; the record is being written and `finish` is awaited."""
    ENDED = "ended"
    """Nothing can follow."""


_OVER: Final = frozenset({TableState.PLAYED, TableState.ENDED})
"""No action is missing any more, so nobody can fail to give one."""


class _NoChance:
    """The substitute draws no random numbers; asking for one is an error of ours."""

    def below(self, bound: int, /) -> int:
        """Refuses."""
        raise RuntimeError(f"the substitute must be deterministic, it asked for a number below {bound}")


_NO_CHANCE: Final[Chance] = _NoChance()
_READY: Final = Decision(kind=DecisionKind.READY)


class Table:
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
        self.match = match
        self.match_id = match_id
        self.names = tuple(names)
        self.time_control = time_control
        self.fault_policy = fault_policy
        self.forced_actions = forced_actions
        self.tournament_id = tournament_id
        self.commitment = commitment
        self.state = TableState.READYING
        self.places = [Place(seat, time_control) for seat in range(match.rules.num_players)]
        self.due: list[int] = []
        """Seats that must be written to now; whoever runs the table empties it after every call."""
        self.ending: MatchEnded | None = None
        """The end of a match whose first deal never began: there is no log that it could stand in."""
        self._untold: list[tuple[int, SeatCause, SubstitutionScope]] = []
        # Substitutions while cards are being passed are released with the exchange.
        self._auto = forced_actions is ForcedActions.AUTO

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
        place.every_decision = every_decision
        place.end_grace(now)
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
        decision = place.decision
        if decision is not None and decision.kind is not DecisionKind.READY:
            place.stop_clock(now)
            place.grace_since = now

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
        if place.is_late(now):
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
        place = self.places[seat]
        place.written(now)
        return place.deadline()

    def deadline(self, seat: int) -> int | None:
        """Returns when a seat's open decision is lost if nothing happens; none if nothing is asked."""
        return self.places[seat].deadline()

    def expire(self, seat: int, now: int) -> None:
        """Lets time do its work on a seat, if its open decision's time is over."""
        place = self.places[seat]
        decision = place.decision
        if decision is None or not place.is_late(now):
            return
        if decision.kind is DecisionKind.READY:
            self._hold(place, SeatCause.NEVER_READY, SubstitutionScope.MATCH, CloseCause.TIMEOUT, now)
        elif now > place.opened_at + self.time_control.ceiling_ms * MS:
            self._fault(place, SeatCause.TIMEOUT, CloseCause.CEILING, now)
        elif place.grace_since is not None:
            self._hold(place, SeatCause.DISCONNECTED, SubstitutionScope.DEAL, CloseCause.DISCONNECTED, now)
        else:
            self._fault(place, SeatCause.TIMEOUT, CloseCause.TIMEOUT, now)
        self._go_on(now)

    # Faults and the substitute

    def _fault(self, place: Place, cause: SeatCause, close: CloseCause, now: int) -> None:
        """Counts a fault; the substitute acts once, or keeps the seat if there were too many."""
        decision = place.decision
        if decision is None:
            return
        if decision.kind is DecisionKind.READY:
            self._hold(place, cause, SubstitutionScope.MATCH, close, now)
            return
        place.faults += 1
        place.fault_news = True
        self.match.deal.notes.faults[place.seat] += 1
        if place.faults >= self.fault_policy.faults_per_deal:
            self._hold(place, cause, SubstitutionScope.DEAL, close, now)
            return
        think_ms = place.expire(close, now)
        self.due.append(place.seat)
        self._substitute(place.seat, decision, think_ms)

    def _hold(
        self, place: Place, cause: SeatCause, scope: SubstitutionScope, close: CloseCause | None, now: int
    ) -> None:
        """Gives a seat to the substitute. Its open decision is closed; `_go_on` acts for it."""
        if place.decision is not None and close is not None:
            place.expire(close, now)
        place.held, place.held_cause = scope, cause
        self.due.append(place.seat)
        self._untold.append((place.seat, cause, scope))
        if self.match.deals:
            self._note_substitution(place)

    def _note_substitution(self, place: Place) -> None:
        deal = self.match.deal
        if place.held is None or place.held_cause is None:
            return
        deal.notes.substitutions.append(
            Substitution(
                seat=place.seat, cause=place.held_cause, scope=place.held, after_plays=len(deal.cards)
            )
        )

    def _tell_substitutions(self) -> None:
        untold, self._untold = self._untold, []
        for seat, cause, scope in untold:
            self.match.substitute(seat, cause, scope)

    def _substitute(self, seat: int, decision: Decision, think_ms: int = 0) -> None:
        if decision.kind is DecisionKind.MOON_CHOICE:
            self._choose_moon(None, ActionCause.SUBSTITUTE, think_ms)
            return
        action = act(SUBSTITUTE, self.observe(seat, decision), _NO_CHANCE)
        if decision.kind is DecisionKind.PASS:
            self._pass(seat, mask_of(action.cards), ActionCause.SUBSTITUTE, think_ms)
        else:
            self._play(action.cards[0], ActionCause.SUBSTITUTE, think_ms)

    # Actions

    def _play(self, card: int, cause: ActionCause, think_ms: int) -> None:
        match = self.match
        notes = match.deals[-1].notes
        match.play(card)
        notes.play_causes.append(cause)
        if cause is not ActionCause.ANSWERED:
            notes.has_other_causes = True
        notes.play_ms.append(think_ms)

    def _pass(self, seat: int, cards: int, cause: ActionCause, think_ms: int) -> None:
        notes = self.match.deal.notes
        self.match.choose_pass(seat, cards)
        notes.pass_causes[seat] = cause
        notes.pass_ms[seat] = think_ms

    def _choose_moon(self, choice: MoonChoice | None, cause: ActionCause, think_ms: int) -> None:
        notes = self.match.deal.notes
        self.match.choose_moon(choice)
        notes.moon_cause = cause
        notes.moon_ms = think_ms

    # The course of the match

    def _go_on(self, now: int) -> None:
        """Acts for held seats and forced cards, begins deals, and asks whoever is next."""
        if self.state is TableState.READYING:
            if any(place.decision is not None for place in self.places):
                return
            self.state = TableState.PLAYING
            self._start_deal()
        if self.state is TableState.PLAYING:
            match = self.match
            while not self._ask(now):
                if match.deals[-1].phase is Phase.SCORED:
                    if match.over:
                        self.state = TableState.PLAYED
                        break
                    self._start_deal()
        for place in self.places:
            # Never for nothing: an empty update would show that somebody has chosen a pass.
            if place.immediate and place.told != self.match.sequence:
                self.due.append(place.seat)

    def _start_deal(self) -> None:
        self.match.start_deal()
        for place in self.places:
            place.faults = 0
            place.pass_news = False
            if place.held is SubstitutionScope.DEAL:
                # The bot may return with the next deal.
                place.held = place.held_cause = None
            elif place.held is not None:
                self._note_substitution(place)

    def _ask(self, now: int) -> bool:
        """Opens the decisions that the deal waits for; false if something happened without asking."""
        deal = self.match.deals[-1]
        phase = deal.phase
        if phase is Phase.PASSING:
            return self._ask_passes(now)
        if self._untold:
            self._tell_substitutions()
        if phase is Phase.SCORED:
            return False
        place = self.places[deal.turn]
        if place.decision is not None:
            return True
        if phase is Phase.PLAYING:
            legal = deal.legal
            if self._auto and place.held is None and not legal & (legal - 1):
                self._play(legal.bit_length() - 1, ActionCause.FORCED, 0)
                return False
            decision = Decision(kind=DecisionKind.PLAY, legal=legal, count=1)
        else:
            decision = Decision(kind=DecisionKind.MOON_CHOICE)
        return self._open(place, decision, now)

    def _ask_passes(self, now: int) -> bool:
        deal = self.match.deal
        count = self.match.rules.pass_count
        asked = True
        for place in self.places:
            if place.decision is None and deal.passes[place.seat] is None:
                decision = Decision(kind=DecisionKind.PASS, legal=deal.hand(place.seat), count=count)
                asked = self._open(place, decision, now) and asked
        return asked

    def _open(self, place: Place, decision: Decision, now: int) -> bool:
        if place.held is None and not place.connected and not place.grace:
            self._hold(place, SeatCause.DISCONNECTED, SubstitutionScope.DEAL, None, now)
            if self.match.deals[-1].phase is not Phase.PASSING:
                self._tell_substitutions()
        if place.held is not None:
            self._substitute(place.seat, decision)
            return False
        place.open(decision, now)
        place.retries_left = self.fault_policy.retries
        self.due.append(place.seat)
        return True

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

    # What a seat may see

    def take(self, seat: int, now: int) -> list[Update]:
        """Returns what a seat is owed, in order, and notes that it was told; see `take_updates`."""
        return take_updates(self, self.places[seat], now)

    def observe(self, seat: int, decision: Decision | None = None) -> Observation:
        """Returns a seat's view of the current deal: a snapshot, or what the substitute looks at."""
        told = {each for each, _, _ in self._untold}
        held = [place for place in self.places if place.held is not None and place.seat not in told]
        place = self.places[seat]
        return self.match.observe(
            seat,
            decision=decision,
            substituted=tuple(other.seat for other in held),
            substituted_for_match=tuple(
                other.seat for other in held if other.held is SubstitutionScope.MATCH
            ),
            faults=place.faults,
            grace_ms=place.grace // MS,
        )
