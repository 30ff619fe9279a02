"""What the server would tell a seat: updates made from the logs of a match, for tests of the other side."""

from tests.engine.play import asked

from kiery.cards import EMPTY, CardMask
from kiery.engine import DealLog, Match
from kiery.rules import Rules
from kiery.terms import FaultPolicy, ForcedActions, SubstitutionScope, TimeControl
from kiery.view import (
    CardsExchanged,
    DealScored,
    DealStarted,
    Decision,
    Fold,
    KittyTaken,
    MatchEnded,
    MatchStarted,
    MoonShot,
    News,
    Observation,
    SeatSubstituted,
    Update,
)


def announcement(rules: Rules, seat: int, *, after: int = 0) -> MatchStarted:
    """Returns the announcement of a seat."""
    return MatchStarted(
        match_id="m1",
        seat=seat,
        names=tuple(f"bot-{one}" for one in range(rules.num_players)),
        rules=rules,
        deal_limit=0,
        time_control=TimeControl(),
        fault_policy=FaultPolicy(),
        forced_actions=ForcedActions.ASK,
        tournament_id="",
        commitment=b"",
        after=after,
    )


def news_of(log: DealLog, seat: int, first: int) -> News | None:
    """Returns a seat's view of the rare events of a deal from an index on, none if there are none."""
    news = News()
    events = log.view_of(seat, first)
    for event in events:
        match event:
            case DealStarted():
                news.deal_started = event
            case CardsExchanged():
                news.cards_exchanged = event
            case SeatSubstituted():
                news.substitutions.append(event)
            case KittyTaken():
                news.kitty_taken = event
            case MoonShot():
                news.moon_shot = event
            case DealScored():
                news.deal_scored = event
            case MatchEnded():
                news.match_ended = event
    return news if events else None


def updates_since(match: Match, seat: int, sequence: int) -> list[Update]:
    """Returns a seat's updates after a sequence, one for each deal that has news, without a decision."""
    updates = []
    for log in match.logs:
        if log.sequence <= sequence:
            continue
        plays, rare = log.cursor_at(sequence)
        deal = log.deal
        updates.append(
            Update(
                sequence=log.sequence,
                seats=bytes(deal.seats[plays:]),
                cards=bytes(deal.cards[plays:]),
                winners=bytes(deal.winners[plays // deal.rules.num_players :]),
                news=news_of(log, seat, rare),
            )
        )
    return updates


class Follower:
    """A seat's fold, fed from the logs of a match, beside what the server says that the seat may see."""

    def __init__(self, match: Match, seat: int) -> None:
        """Announces the seat; a match that runs already is announced with a snapshot."""
        self.match = match
        self.seat = seat
        self.pass_sent: CardMask = EMPTY
        self.held: dict[int, SubstitutionScope] = {}
        self.fold = Fold(announcement(match.rules, seat, after=match.sequence))
        if match.deals:
            decision = asked(match.deal, seat)
            self.fold.apply(
                Update(sequence=match.sequence, observation=self._server_view(None), decision=decision)
            )

    def decision(self) -> Decision | None:
        """Returns what the seat is asked now."""
        return asked(self.match.deal, self.seat)

    def catch_up(self, *, passed: bool = False) -> None:
        """Delivers everything since the last update, then the open decision."""
        updates = updates_since(self.match, self.seat, self.fold.sequence)
        if passed and self.match.deal.passes[self.seat] is not None:
            self.pass_sent = self.match.deal.passes[self.seat] or EMPTY
            if not updates:
                updates = [Update(sequence=self.match.sequence, news=News())]
            news = updates[-1].news or News()
            news.pass_accepted = True
            updates[-1].news = news
        if not updates:
            updates = [Update(sequence=self.match.sequence)]
        updates[-1].decision = self.decision()
        for update in updates:
            self.fold.apply(update, pass_sent=self.pass_sent)

    def _server_view(self, decision: Decision | None) -> Observation:
        return self.match.observe(
            self.seat,
            decision=decision,
            substituted=tuple(sorted(self.held)),
            substituted_for_match=tuple(
                sorted(seat for seat, scope in self.held.items() if scope is SubstitutionScope.MATCH)
            ),
            grace_ms=TimeControl().grace_ms,
        )

    def check(self) -> None:
        """Compares both sides."""
        assert self.fold.observation() == self._server_view(self.decision())
