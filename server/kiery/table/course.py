"""The course of a match at a table: who is asked, what the substitute does, what happens next.

Whoever caused a step — a bot, time, the server — the match goes on from here in the same way. What
reaches a table from outside is in `table.table`.
"""

from enum import Enum
from typing import Final

from kiery.cards import Seat, card_numbers, mask_of
from kiery.engine import Match, Substitution
from kiery.policy import SUBSTITUTE, Chance, act
from kiery.rules import MoonChoice
from kiery.table.place import MS, Place
from kiery.terms import (
    ActionCause,
    CloseCause,
    FaultPolicy,
    ForcedActions,
    SeatCause,
    SubstitutionScope,
    TimeControl,
)
from kiery.view import Decision, DecisionKind, Observation, Phase

__all__ = ["Course", "TableState"]


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


class _NoChance:
    """The substitute draws no random numbers; asking for one is an error of ours."""

    def below(self, bound: int, /) -> int:
        """Refuses."""
        raise RuntimeError(f"the substitute must be deterministic, it asked for a number below {bound}")


_NO_CHANCE: Final[Chance] = _NoChance()


class Course:
    """A match and its seats, going on by themselves until somebody has to be asked."""

    def __init__(
        self,
        match: Match,
        time_control: TimeControl,
        fault_policy: FaultPolicy,
        forced_actions: ForcedActions,
    ) -> None:
        """Stands before the first question.

        Args:
            match: The match to play, not begun.
            time_control: The clocks.
            fault_policy: What a fault costs.
            forced_actions: Who plays a single legal card.
        """
        self.match = match
        self.time_control = time_control
        self.fault_policy = fault_policy
        self.forced_actions = forced_actions
        self.state = TableState.READYING
        self.places = [Place(seat, time_control) for seat in range(match.rules.num_players)]
        self.due: list[Seat] = []
        """Seats that must be written to now; whoever runs the table empties it after every call."""
        self._auto = forced_actions is ForcedActions.AUTO
        # Substitutions while cards are being passed are released with the exchange.
        self._untold: list[tuple[Seat, SeatCause, SubstitutionScope]] = []
        # Seats that are written to after every event.
        self._immediate: list[Place] = []

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
        for place in self._immediate:
            # Never for nothing: an empty update would show that somebody has chosen a pass.
            if place.told != self.match.sequence:
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
            numbers = deal.legal_numbers()
            if self._auto and place.held is None and len(numbers) == 1:
                self._play(numbers[0], ActionCause.FORCED, 0)
                return False
            decision = Decision(DecisionKind.PLAY, numbers, 1)
        else:
            decision = Decision(DecisionKind.MOON_CHOICE)
        return self._open(place, decision, now)

    def _ask_passes(self, now: int) -> bool:
        deal = self.match.deal
        count = self.match.rules.pass_count
        asked = True
        for place in self.places:
            if place.decision is None and deal.passes[place.seat] is None:
                decision = Decision(DecisionKind.PASS, card_numbers(deal.hand(place.seat)), count)
                asked = self._open(place, decision, now) and asked
        return asked

    def _open(self, place: Place, decision: Decision, now: int) -> bool:
        if place.held is None and not place.connected and not place.grace and now >= place.excused_until:
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

    # What a seat may see

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
