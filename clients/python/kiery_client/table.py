"""One seat at one table as the kit keeps it across streams, and a turn: what a bot is given to do."""

from collections.abc import Sequence
from dataclasses import dataclass

from kiery.cards import CARDS, EMPTY, CardMask
from kiery.rules import NOBODY
from kiery.view import Action, Decision, DecisionKind, Fold, MatchStarted, Observation, Play, Update
from kiery_client.bot import Event, Player, TrickTaken

__all__ = ["Table", "Turn"]


@dataclass(slots=True, kw_only=True)
class Turn:
    """Events to hear of and perhaps a decision to make, for one table. Never changed once it runs."""

    table: "Table"
    """Whose turn."""
    events: Sequence[Event] = ()
    """What happened, in order; empty for a bot that does not listen."""
    kind: DecisionKind | None = None
    """What is asked; none: only events."""
    decision_id: int = 0
    """The decision; 0: only events."""
    decision: Decision | None = None
    """What is asked."""
    observation: Observation | None = None
    """The view that belongs to the decision; none for the ready decision."""
    deadline: float = float("inf")
    """When time and bank are used up, seconds on the event loop's clock."""

    def forget_if_closed(self) -> None:
        """Drops the decision, before it runs, if it was closed meanwhile; without a stream none is."""
        if self.decision_id and self.table.handle and self.table.open_id != self.decision_id:
            self.decision_id, self.kind, self.decision, self.observation = 0, None, None, None


class Table:
    """The state of one seat. All but the bot itself belongs to the event loop's thread."""

    __slots__ = (
        "answered",
        "answered_id",
        "answered_kind",
        "busy",
        "events",
        "fold",
        "handle",
        "open_id",
        "pass_sent",
        "player",
        "plays",
        "sent_as",
        "started",
        "thinking_id",
        "waiting",
    )

    def __init__(self, started: MatchStarted, player: Player | None) -> None:
        """Starts at the announcement; the player is none until it is made."""
        self.started = started
        """The announcement."""
        self.fold = Fold(started)
        """The view, built up from updates."""
        self.player = player
        """The bot; none until it is made."""
        self.handle = 0
        """The table's number on the present stream; 0: not announced there."""
        self.open_id = 0
        """The decision that waits for an answer on this stream; 0: none."""
        self.thinking_id = 0
        """The decision that the bot has been given."""
        self.answered_id = 0
        """The last decision answered."""
        self.answered = Action()
        """What was answered: sent again when a lost stream swallowed it."""
        self.answered_kind = DecisionKind.READY
        """What that decision asked."""
        self.sent_as = 0
        """The handle under which the answer was sent; a stream has handles of its own. 0: not sent."""
        self.pass_sent: CardMask = EMPTY
        """The cards of the last pass that was sent."""
        self.plays = 0
        """Cards played in the deal. Counted for a bot that listens."""
        self.events: list[Event] = []
        """What the bot has not been told."""
        self.busy = False
        """Whether a turn runs or waits to."""
        self.waiting: Turn | None = None
        """The turn after that."""

    @property
    def key(self) -> tuple[str, int]:
        """What lasts across streams: match and seat."""
        return self.started.match_id, self.started.seat

    def __str__(self) -> str:
        """Returns match and seat, for logs."""
        return f"match {self.started.match_id}, seat {self.started.seat}"

    def hears(self) -> bool:
        """Tells whether the bot listens to events, or may."""
        return self.player is None or self.player.on_event is not None

    def note_events(self, update: Update) -> None:
        """Keeps what an update tells for the bot, in the order of the protocol, the announcement left out."""
        events = self.events
        news = update.news
        if news is not None:
            if news.deal_started is not None:
                self.plays = 0
                events.append(news.deal_started)
            if news.cards_exchanged is not None:
                events.append(news.cards_exchanged)
            events += news.substitutions
        if update.cards:
            self._note_plays(update)
        if news is not None:
            rare = (news.kitty_taken, news.moon_shot, news.deal_scored, news.match_ended)
            events += [event for event in rare if event is not None]
            events += news.closed
            events += news.rejections
        if update.observation is not None:
            self.plays = len(update.observation.cards)

    def _note_plays(self, update: Update) -> None:
        players = self.started.rules.num_players
        winners = iter(update.winners)
        for seat, card in zip(update.seats, update.cards, strict=True):
            self.events.append(Play(seat, CARDS[card - 1]))
            self.plays += 1
            if self.plays % players == 0:
                winner = next(winners, NOBODY)
                self.events.append(TrickTaken(seat=None if winner == NOBODY else winner))
