"""A match as a state machine: deals in a row until it is over, with the list of its events.

Boards come from a function, so that a match of unknown length needs no list of them.
"""

from collections.abc import Callable

from kiery.cards import CardMask, Seat
from kiery.engine.board import Board
from kiery.engine.deal import Deal
from kiery.engine.errors import IllegalPlayError
from kiery.engine.log import DealLog
from kiery.rules import (
    MatchLength,
    MoonChoice,
    Rules,
    deal_totals,
    default_moon_choice,
    is_over,
    placements,
)
from kiery.terms import ActionCause, MatchCause, SeatCause, SubstitutionScope
from kiery.view import (
    CardsExchanged,
    DealScored,
    DealStarted,
    Decision,
    KittyTaken,
    MatchEnded,
    MoonShot,
    Observation,
    Phase,
    SeatSubstituted,
)

__all__ = ["Match"]


class Match:
    """The truth about one match. Read the attributes freely; change them by the methods only."""

    def __init__(self, rules: Rules, length: MatchLength, board_of: Callable[[int], Board]) -> None:
        """Prepares a match; `start_deal` begins it.

        Args:
            rules: The variant.
            length: A fixed number of deals, or to the target.
            board_of: Returns the board of a deal number, from 1.
        """
        self.rules = rules
        self.length = length
        self._board_of = board_of
        self.scores: tuple[int, ...] = (0,) * rules.num_players
        """Totals after the deals that are complete."""
        self.deals: list[Deal] = []
        """All deals so far, the current one last."""
        self.logs: list[DealLog] = []
        """The logs of the previous and the current deal, at most two: what a resume can repeat."""
        self.over = False
        """Whether no further deal follows."""
        self.ended = False
        """Whether `end` has been called."""

    @property
    def deal(self) -> Deal:
        """The current deal.

        Raises:
            IndexError: No deal has begun.
        """
        return self.deals[-1]

    @property
    def log(self) -> DealLog:
        """The log of the current deal."""
        return self.logs[-1]

    @property
    def sequence(self) -> int:
        """The sequence of the last event; 0 before the first deal."""
        return self.logs[-1].sequence if self.logs else 0

    def start_deal(self) -> None:
        """Deals the next board.

        Raises:
            IllegalPlayError: The match is over, or a deal is being played.
        """
        if self.over or (self.deals and self.deal.phase is not Phase.SCORED):
            raise IllegalPlayError("no deal can begin now")
        number = len(self.deals) + 1
        deal = Deal(self.rules, self._board_of(number), number)
        log = DealLog(deal, self.sequence)
        self.deals.append(deal)
        self.logs = [*self.logs[-1:], log]
        log.add(
            *(
                DealStarted(
                    deal_number=number,
                    dealer=deal.dealer,
                    hand=hand,
                    pass_offset=deal.pass_offset,
                    key_hash=deal.board.key_hash,
                )
                for hand in deal.board.hands
            )
        )

    def choose_pass(self, seat: Seat, cards: CardMask) -> None:
        """Sets a seat's pass; see `Deal.choose_pass`."""
        deal = self.deal
        deal.choose_pass(seat, cards)
        if deal.phase is not Phase.PASSING:
            self.log.add(
                *(
                    CardsExchanged(passed=passed or 0, received=deal.received_by(seat))
                    for seat, passed in enumerate(deal.passes)
                )
            )

    def play(self, card: int) -> None:
        """Plays a card for the seat whose turn it is; see `Deal.play`."""
        deal = self.deals[-1]
        deal.play(card)
        if not deal.trick_size:
            self.after_trick(deal)

    def after_trick(self, deal: Deal) -> None:
        """Notes what follows from a trick that the current deal has just completed; `play` does it itself."""
        taker = deal.kitty_seat
        # The kitty goes with the trick just taken, or went with an earlier one.
        if taker is not None and not any(isinstance(event.views[0], KittyTaken) for event in self.log.rare):
            self.log.add(KittyTaken(seat=taker, cards=deal.board.kitty))
        if deal.phase is Phase.SCORED:
            self._after_deal(deal)

    def choose_moon(self, choice: MoonChoice | None) -> None:
        """Awards a moon; none leaves it to the rule's default. See `Deal.choose_moon`."""
        deal = self.deal
        deal.choose_moon(choice or self.default_moon())
        self._after_deal(deal)

    def default_moon(self) -> MoonChoice:
        """Returns what counts when the shooter of the current deal makes no choice.

        Raises:
            IllegalPlayError: There is no shooter.
        """
        deal = self.deal
        if deal.shooter is None:
            raise IllegalPlayError("there is no moon to choose about")
        return default_moon_choice(
            self.rules,
            self.length,
            shooter=deal.shooter,
            taken=deal.result(),
            totals_before=self.scores,
            deals_played=len(self.deals),
        )

    def _after_deal(self, deal: Deal) -> None:
        # Scored by now; totals of another length would be refused.
        points = deal.awarded or ()
        if deal.shooter is not None and deal.choice is not None:
            self.log.add(MoonShot(seat=deal.shooter, choice=deal.choice))
        self.scores = deal_totals(self.rules, self.scores, points)
        self.log.add(DealScored(points=points, scores=self.scores))
        self.over = is_over(
            self.rules, self.length, totals=self.scores, points=points, deals_played=len(self.deals)
        )

    def substitute(self, seat: Seat, cause: SeatCause, scope: SubstitutionScope) -> None:
        """Notes that a substitute keeps a seat from now on; only the seat itself is told why."""
        told = SeatSubstituted(seat=seat, cause=cause, scope=scope)
        hidden = SeatSubstituted(seat=seat, cause=None, scope=scope)
        self.log.add(*(told if viewer == seat else hidden for viewer in range(self.rules.num_players)))

    def end(self, cause: MatchCause, seat_causes: tuple[SeatCause, ...], digest: bytes) -> None:
        """Ends the match: nothing can follow.

        Args:
            cause: How it ended; `COMPLETED` only once it is over.
            seat_causes: How each seat's part ended.
            digest: The digest of the record, or empty.

        Raises:
            IllegalPlayError: The match has ended, or is not over and would be called completed.
        """
        if self.ended or (cause is MatchCause.COMPLETED and not self.over):
            raise IllegalPlayError("the match cannot be ended so")
        self.ended = self.over = True
        if self.logs:
            self.log.add(self.ending(cause, seat_causes, digest))

    def ending(self, cause: MatchCause, seat_causes: tuple[SeatCause, ...], digest: bytes) -> MatchEnded:
        """Returns the last event of the match."""
        completed = cause is MatchCause.COMPLETED
        return MatchEnded(
            cause=cause,
            placements=placements(self.scores) if completed else (),
            scores=self.scores,
            seat_causes=seat_causes,
            digest=digest,
        )

    def observe(
        self,
        seat: Seat,
        *,
        decision: Decision | None = None,
        substituted: tuple[Seat, ...] = (),
        substituted_for_match: tuple[Seat, ...] = (),
        faults: int = 0,
        grace_ms: int = 0,
    ) -> Observation:
        """Returns a seat's view of the current deal, built from what that seat may know.

        Args:
            seat: The viewer.
            decision: What it is asked, if anything.
            substituted: Seats that a substitute keeps, ascending.
            substituted_for_match: Those among them that it keeps for the whole match.
            faults: The viewer's faults in this deal.
            grace_ms: What is left of its grace bank, milliseconds.
        """
        deal = self.deal
        # A pass that the substitute chose is told with the exchange, not before.
        chosen = deal.phase is not Phase.PASSING or deal.notes.pass_causes[seat] is not ActionCause.SUBSTITUTE
        return Observation(
            rules=self.rules,
            seat=seat,
            deal_number=deal.number,
            phase=deal.phase,
            dealer=deal.dealer,
            pass_offset=deal.pass_offset,
            hand_mask=deal.hand(seat),
            passed_mask=deal.passes[seat] or 0 if chosen else 0,
            received_mask=deal.received_by(seat),
            seats=bytes(deal.seats),
            cards=bytes(deal.cards),
            winners=bytes(deal.winners),
            trick_size=deal.trick_size,
            leader=deal.leader() if deal.cards else None,
            points=tuple(deal.taken) if deal.awarded is None else deal.awarded,
            scores=self.scores,
            broken=deal.broken,
            kitty_mask=deal.board.kitty if deal.kitty_seat is not None else 0,
            kitty_seat=deal.kitty_seat,
            substituted=substituted,
            substituted_for_match=substituted_for_match,
            faults=faults,
            grace_ms=grace_ms,
            kind=decision.kind if decision is not None else None,
            legal_mask=decision.legal if decision is not None else 0,
            choose_count=decision.count if decision is not None else 0,
        )
