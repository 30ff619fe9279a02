"""What must hold after every step, whatever goes wrong: an account of all tables that the server cannot see.

It outlives the server's processes, so it knows what a bot was told before a crash. What it checks is
computed here again, from boards, plays and the schedule, and never by the code that is checked.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from tests.simulation.scenario import Scenario

from kiery.cards import EMPTY, NO_CARD, card_numbers, join_cards
from kiery.engine import Derivation, derive_board
from kiery.host import Clock, JournaledFloor, Lobby, Run, Seating, Session, Verdict
from kiery.journal import JournalWriter, Opening
from kiery.store import AttemptKey, AttemptStatus, Store
from kiery.table import Table, TableState
from kiery.terms import Limits, MatchCause
from kiery.tournament import label
from kiery.v1 import play_pb2
from kiery.view import Fold, Observation, Update
from kiery.wire import update_from_message

_S = 1_000_000_000
_LATE_NS = 2 * _S
"""How long after its deadline a decision may be open: a stalled loop, and a turn or two."""
_MAX_CONTROL = 300
"""Control messages that wait for one bot: notices come at most at the rate of its bucket."""
_MAX_CLOSED = 64

SeatKey = tuple[str, int]


class BrokenError(AssertionError):
    """Something that must never happen. The first is kept: a server's root handlers swallow anything."""

    first: "ClassVar[BrokenError | None]" = None

    def __init__(self, what: str) -> None:
        super().__init__(what)
        BrokenError.first = BrokenError.first or self


def demand(holds: object, what: str, *facts: object) -> None:
    """Raises if something does not hold."""
    if not holds:
        raise BrokenError(": ".join([what, ", ".join(map(str, facts))]))


@dataclass(slots=True)
class SeatState:
    """A seat as it stood after the last step."""

    decision_id: int = 0
    open: bool = False
    deal: int = 0
    faults: int = 0
    bank: int = 1 << 62
    grace: int = 1 << 62


@dataclass(slots=True)
class Told:
    """What a seat was told, on all its streams."""

    sequence: int = 0
    decision_id: int = 0
    deal: int = 0
    cards: bytes = b""
    passed: int = 0


@dataclass(slots=True)
class Shadow:
    """A bot that reads along what one handle is told, without delay."""

    run: Run
    seat: int
    fold: Fold | None = None
    blind: bool = False
    ended: bool = False
    closed_ids: set[int] = field(default_factory=set)


class Watch:
    """The account."""

    def __init__(self, scenario: Scenario, secret: bytes, store: Store, streams: Sequence[str]) -> None:
        self._scenario = scenario
        self._spec = scenario.spec
        self._derivation = Derivation(secret, b"")
        self._store = store
        self._streams = streams
        self._steady = {script.name for script in scenario.scripts if scenario.is_steady(script.name)}
        self._seats: dict[SeatKey, SeatState] = {}
        self._told: dict[SeatKey, Told] = {}
        self._deals_seen: dict[str, int] = {}
        self._openings: dict[str, tuple[int, int]] = {}
        self._faulty: set[str] = set()
        self.steps = 0
        """Inputs of tables."""
        self.crashed: list[str] = []
        """Matches that a fault of ours ended."""

    # Tables come and go on

    def expect_fault(self, match_id: str) -> None:
        """Notes that a table will fail on purpose."""
        self._faulty.add(match_id)

    def opened(self, run: Run, opening: Opening | None) -> None:
        """Looks at a table that begins."""
        table = run.table
        demand(opening is not None, "a table is in no journal", table.match_id)
        if opening is None:
            return
        fixture, attempt = opening.fixture, opening.attempt
        for each in self._store.attempts(self._spec.name):
            if each.key.fixture == fixture:
                demand(each.status is AttemptStatus.VOID, "a fixture with a result is played again", each.key)
                demand(each.key.attempt < attempt, "an attempt is played twice", each.key)
        for seat in range(len(table.places)):
            demand((table.match_id, seat) not in self._seats, "a match begins twice", table.match_id)
        self._begin(table)

    def resumed(self, run: Run) -> None:
        """Compares a table that goes on with what its seats were told before."""
        table = run.table
        match = table.match
        for place in table.places:
            key = table.match_id, place.seat
            told = self._told.get(key, Told())
            demand(
                told.sequence <= match.sequence, "an event that was told is lost", key, told, match.sequence
            )
            demand(told.decision_id <= place.decision_id, "a decision that was asked is lost", key, told)
            if told.deal:
                demand(len(match.deals) >= told.deal, "a deal that was told is lost", key)
                deal = match.deals[told.deal - 1]
                demand(bytes(deal.cards).startswith(told.cards), "a play that was told is another", key)
                if told.passed:
                    demand(deal.passes[place.seat] == told.passed, "a pass that was accepted is another", key)
            before = self._seats.get(key)
            if before is not None:
                demand(place.bank >= before.bank, "downtime is charged to the bank", key, place.bank)
                demand(place.grace >= before.grace, "downtime is charged to the grace", key, place.grace)
        self._begin(table)

    def restarted(self, run: Run) -> None:
        """Looks at a table that goes on: that the server was away has cost nobody anything."""
        for place in run.table.places:
            before = self._seats[run.table.match_id, place.seat]
            demand(
                place.bank == before.bank, "downtime is charged to the bank", run.table.match_id, place.bank
            )
            demand(place.grace == before.grace, "downtime is charged to the grace", run.table.match_id)

    def _begin(self, table: Table) -> None:
        for place in table.places:
            self._seats[table.match_id, place.seat] = SeatState(
                decision_id=place.decision_id,
                open=place.decision is not None,
                deal=len(table.match.deals),
                faults=table.match.deal.notes.faults[place.seat] if table.match.deals else 0,
                bank=place.bank,
                grace=place.grace,
            )
        self._deals_seen[table.match_id] = 0

    # A step at a table

    def step(self, run: Run, *, live: bool) -> None:
        """Looks at a table after an input.

        Args:
            run: The table.
            live: Whether it is on the floor still.
        """
        self.steps += 1
        table = run.table
        match = table.match
        if match.deals:
            self._account(table)
        for place in table.places:
            key = table.match_id, place.seat
            before = self._seats[key]
            is_open = place.decision is not None
            ended = place.decision_id - before.decision_id + (before.open and not is_open)
            demand(
                place.decision_id - before.decision_id in {0, 1}
                and (before.open or not is_open or place.decision_id > before.decision_id),
                "a decision ends twice or never",
                key,
                before,
                place.decision_id,
            )
            deal_number = len(match.deals)
            faults = match.deal.notes.faults[place.seat] if match.deals else 0
            earlier = before.faults if before.deal == deal_number else 0
            demand(faults - earlier in {0, 1}, "a fault is counted twice", key, earlier, faults)
            demand(faults == earlier or ended, "a fault without the end of a decision", key)
            demand(0 <= place.bank <= before.bank, "a bank grows or is overdrawn", key, place.bank)
            demand(0 <= place.grace <= before.grace, "a grace bank grows or is overdrawn", key, place.grace)
            demand(place.spent >= 0, "a negative charge", key)
            demand(len(place.rejections) <= 8 and len(place.closed) <= _MAX_CLOSED, "news pile up", key)
            demand(
                not place.connected or place.grace_since is None or not live,
                "grace is spent by a bot that is there",
                key,
            )
            if table.names[place.seat] in self._steady and live:
                # It answers within any limit, so that its bank is as it was.
                new = before.bank == 1 << 62
                demand(new or place.bank == before.bank, "time is charged that nobody took", key, place.bank)
                demand(
                    not faults and place.held is None, "a bot without blame is blamed", key, place.held_cause
                )
            if live and is_open:
                demand(place.due_at is not None, "a decision without a deadline", key)
            before.decision_id, before.open = place.decision_id, is_open
            before.deal, before.faults = deal_number, faults
            before.bank, before.grace = place.bank, place.grace

    def _account(self, table: Table) -> None:
        """Accounts for the deck, and for the boards of new deals."""
        match = table.match
        rules = match.rules
        seen = self._deals_seen[table.match_id]
        for deal in match.deals[seen:]:
            _, fixture, attempt = table.match_id.split("-")
            stream = self._streams[int(fixture)]
            name = label(self._spec.name, stream, int(attempt), deal.number)
            board = derive_board(rules, deal.number, name, self._derivation.key(name))
            demand(deal.board.hands == board.hands, "a board is not that of the plan", table.match_id, name)
        self._deals_seen[table.match_id] = len(match.deals)
        deal = match.deal
        numbers = bytearray(deal.cards)
        together = deal.board.kitty
        for hand in deal.hands:
            together = join_cards(together, hand)
        numbers += card_numbers(together)
        demand(bytes(sorted(numbers)) == _deck(rules), "a card is lost or there twice", table.match_id)
        demand(sum(match.scores) % 1 == 0 and len(match.scores) == rules.num_players, "scores", match.scores)

    def seats(self, runs: Any, now: int) -> None:
        """Looks whether streams are known, and open decisions have a deadline, watched and not long past."""
        for run in runs:
            for seating in run.seatings:
                place = seating.place
                key = run.table.match_id, seating.seat
                here = seating.session is not None
                demand(place.connected == here, "a table does not know whose stream is lost", key, here)
                if place.decision is None or place.due_at is None:
                    continue
                demand(now <= place.due_at + _LATE_NS, "a deadline is missed", key, now, place.due_at)
                demand(
                    seating.scheduled is not None and seating.scheduled <= max(place.due_at, now) + _LATE_NS,
                    "a deadline is not armed",
                    key,
                )

    def failed(self, run: Run, error: Exception) -> None:
        """Takes note of a fault of ours."""
        match_id = run.table.match_id
        if match_id not in self._faulty:
            raise BrokenError(f"table {match_id} failed: {error!r}") from error
        self.crashed.append(match_id)

    # What is written

    def session(self, session: Session) -> None:
        """Looks at the bounds of what waits for one bot."""
        demand(len(session._control) <= _MAX_CONTROL, "control messages pile up", session.bot.name)

    def written(self, session: Session, shadows: dict[int, Shadow], data: bytes) -> None:
        """Reads along."""
        demand(len(data) <= 65_536, "a message is too long", len(data))
        response = play_pb2.PlayResponse.FromString(data)
        told: dict[int, Shadow] = {}
        for message in response.updates:
            shadow = shadows.get(message.table)
            demand(shadow is not None, "an update for a handle that nobody has", message.table)
            if shadow is not None:
                self._read(session, shadow, message)
                told[message.table] = shadow
        for shadow in told.values():
            self._compare(shadow)

    def _read(self, session: Session, shadow: Shadow, message: play_pb2.TableUpdate) -> None:
        table, seat = shadow.run.table, shadow.seat
        key = table.match_id, seat
        demand(table.names[seat] == session.bot.name, "a seat is told to another bot", key, session.bot.name)
        demand(not shadow.ended, "an update after the end of the match", key)
        update = update_from_message(message, table.match.rules, seat)
        news = update.news
        if news is not None and news.match_started is not None:
            started = news.match_started
            demand((started.match_id, started.seat) == key, "a seat is announced as another", key)
            shadow.fold = Fold(started)
            shadow.blind = started.after > 0
        fold = shadow.fold
        demand(fold is not None, "an update before the announcement", key)
        if fold is None:
            return
        self._judge_events(table, seat, fold.sequence, update)
        if shadow.blind:
            if update.observation is None:
                fold.sequence = update.sequence
                self._judge_facts(table, seat, update, len(table.match.deals))
                return
            shadow.blind = False
            update = replace(update, cards=b"", seats=b"", winners=b"", news=None)
        passed = table.match.deal.passes[seat] if table.match.deals else None
        fold.apply(update, pass_sent=passed or EMPTY)
        self._judge_facts(table, seat, update, fold._deal_number)
        self._note_told(shadow, update)

    def _judge_events(self, table: Table, seat: int, after: int, update: Update) -> None:
        """Compares the events of an update with those of the match between two sequences."""
        key = table.match_id, seat
        demand(update.sequence >= after, "a sequence goes back", key, after, update.sequence)
        news = update.news
        count = len(update.cards)
        rare = 0
        if news is not None:
            singles = (
                news.deal_started,
                news.cards_exchanged,
                news.kitty_taken,
                news.moon_shot,
                news.deal_scored,
                news.match_ended,
            )
            rare = sum(each is not None for each in singles) + len(news.substitutions)
        skips = update.observation is not None and count + rare < update.sequence - after
        demand(
            skips or count + rare == update.sequence - after,
            "an event is missing or told twice",
            key,
            after,
            update.sequence,
        )
        if count:
            plays = []
            for log in table.match.logs:
                rares = {event.sequence for event in log.rare}
                at = iter(log.deal.cards)
                plays += [
                    next(at) if number not in rares else NO_CARD
                    for number in range(log.base + 1, log.sequence + 1)
                ]
            first = table.match.logs[0].base
            span = plays[max(0, after - first) : update.sequence - first]
            cards = bytes(card for card in span if card != NO_CARD)
            demand(cards.endswith(update.cards), "plays are told wrong", key)
        if news is not None and news.match_ended is not None:
            self._judge_ending(table, news.match_ended.cause, news.match_ended.digest)

    def _judge_ending(self, table: Table, cause: MatchCause, digest: bytes) -> None:
        if cause is not MatchCause.COMPLETED:
            return
        _, fixture, attempt = table.match_id.split("-")
        key = AttemptKey(tournament=self._spec.name, fixture=int(fixture), attempt=int(attempt))
        stored = {each.key: each.digest for each in self._store.attempts(self._spec.name)}
        demand(stored.get(key) == digest, "a result is shown before it is stored", key)

    def _judge_facts(self, table: Table, seat: int, update: Update, deal_number: int) -> None:
        """Looks whether every card in an update is one that the seat may know."""
        if not table.match.deals:
            return
        # The first of two updates may be of the deal before.
        deals = table.match.deals[max(0, deal_number - 2) : deal_number]
        allowed: set[int] = set()
        for deal in deals:
            allowed.update(card_numbers(deal.board.hands[seat]))
            if deal.pass_offset and None not in deal.passes:
                giver = (seat - deal.pass_offset) % table.match.rules.num_players
                allowed.update(card_numbers(deal.passes[giver] or EMPTY))
            allowed.update(deal.cards)
            if deal.kitty_seat is not None:
                allowed.update(card_numbers(deal.board.kitty))
        shown = set(update.cards)
        if update.decision is not None:
            shown.update(update.decision.numbers)
        news = update.news
        if news is not None:
            if news.deal_started is not None:
                shown.update(card_numbers(news.deal_started.hand))
            if news.cards_exchanged is not None:
                shown.update(card_numbers(news.cards_exchanged.passed))
                shown.update(card_numbers(news.cards_exchanged.received))
        seen = update.observation
        if seen is not None:
            masks = seen.hand_mask, seen.passed_mask, seen.received_mask, seen.kitty_mask
            shown.update(*(card_numbers(mask) for mask in masks), seen.cards)
        demand(shown <= allowed, "a card that the seat may not know", table.match_id, seat, shown - allowed)

    def _note_told(self, shadow: Shadow, update: Update) -> None:
        table, seat, fold = shadow.run.table, shadow.seat, shadow.fold
        told = self._told.setdefault((table.match_id, seat), Told())
        told.sequence = max(told.sequence, update.sequence)
        told.decision_id = max(told.decision_id, update.decision_id)
        if fold is not None:
            if fold._deal_number != told.deal:
                told.deal, told.passed = fold._deal_number, 0
            told.cards = bytes(fold._cards)
            told.passed = fold._passed or told.passed
        news = update.news
        if news is None:
            return
        for closed in news.closed:
            demand(closed.decision_id not in shadow.closed_ids, "a decision is closed twice", seat)
            shadow.closed_ids.add(closed.decision_id)
        for rejection in news.rejections:
            # Repeats and late answers end nothing.
            if table.names[seat] in self._steady:
                raise BrokenError(f"an answer of a bot without blame is rejected: {rejection}")
        if news.match_ended is not None:
            shadow.ended = True

    def _compare(self, shadow: Shadow) -> None:
        """Compares what a bot knows with what the server says that it knows."""
        table, fold = shadow.run.table, shadow.fold
        if fold is None or not table.match.logs or shadow.blind:
            return
        demand(fold.sequence == table.match.sequence, "a seat is not told everything", table.match_id)
        known, true = _plain(fold.observation()), _plain(self._observe(table, shadow.seat))
        if known != true:
            raise BrokenError(
                f"a bot's view differs at {table.match_id} seat {shadow.seat}: {_difference(known, true)}"
            )

    def _observe(self, table: Table, seat: int) -> Observation:
        """Returns what a seat may know, from the deal itself."""
        deal = table.match.deal
        seen = table.observe(seat)
        demand(seen.hand_mask == deal.hands[seat], "a snapshot has another hand", table.match_id, seat)
        demand(seen.cards == bytes(deal.cards), "a snapshot has other plays", table.match_id, seat)
        return seen


def _plain(seen: Observation) -> Observation:
    return replace(
        seen, grace_ms=0, kind=None, legal_mask=EMPTY, choose_count=0, time_ms=0, bank_ms=0, leader=None
    )


def _difference(known: Observation, true: Observation) -> str:
    names = [name for name in Observation.__slots__ if getattr(known, name) != getattr(true, name)]
    return ", ".join(f"{name} is {getattr(known, name)!r}, not {getattr(true, name)!r}" for name in names)


_DECKS: dict[Any, bytes] = {}


def _deck(rules: Any) -> bytes:
    found = _DECKS.get(rules.deck)
    if found is None:
        found = _DECKS[rules.deck] = bytes(card_numbers(rules.deck))
    return found


class WatchedFloor(JournaledFloor):
    """The production floor, looked at after every step."""

    def __init__(
        self,
        clock: Clock,
        limits: Limits,
        journal: JournalWriter,
        watch: Watch,
        later: Callable[[Callable[[], None]], None],
    ) -> None:
        super().__init__(clock, limits, journal, later=later)
        self._watch_of: Watch | None = watch

    def watch_over(self, watch: Watch | None) -> None:
        """Watches no more: the process is dead, and what its remains do does not count."""
        self._watch_of = watch

    def open(
        self,
        table: Table,
        bots: Any,
        ended: Callable[[Run, Verdict], None],
        opening: Opening | None = None,
    ) -> Run:
        if self._watch_of is not None:
            self._watch_of.opened(Run(table, ended), opening)
        return super().open(table, bots, ended, opening)

    def go_on(self, table: Table, bots: Any, ended: Callable[[Run, Verdict], None], number: int) -> Run:
        if self._watch_of is not None:
            self._watch_of.resumed(Run(table, ended))
        run = super().go_on(table, bots, ended, number)
        if self._watch_of is not None:
            self._watch_of.restarted(run)
        return run

    def play(self, seating: Seating, cards: bytes, arrived: int) -> None:
        super().play(seating, cards, arrived)
        self._look(seating.run)

    def _guarded(self, run: Run, step: Callable[..., None], *arguments: Any) -> None:
        super()._guarded(run, step, *arguments)
        self._look(run)

    def finish(self, run: Run, cause: MatchCause, digest: bytes) -> None:
        super().finish(run, cause, digest)
        self._look(run)

    def _look(self, run: Run) -> None:
        if self._watch_of is not None:
            live = run in self.runs and run.table.state is not TableState.ENDED
            self._watch_of.step(run, live=live)

    def fail(self, run: Run, error: Exception) -> None:
        if self._watch_of is not None:
            self._watch_of.failed(run, error)
        super().fail(run, error)


class OrderedSet(dict[Session, None]):
    """A set whose order is not that of addresses."""

    def add(self, session: Session) -> None:
        self[session] = None

    def discard(self, session: Session) -> None:
        self.pop(session, None)


class WatchedLobby(Lobby):
    """The production lobby, which remembers whose handles were given out."""

    def __init__(self, floor: WatchedFloor, clock: Clock, limits: Limits, name: str, watch: Watch) -> None:
        super().__init__(floor, clock, limits, name)
        self.sessions = OrderedSet()  # type: ignore[assignment]
        self.shadows: dict[Session, dict[int, Shadow]] = {}
        """By session: who reads along under which handle."""
        self._used: set[int] = set()

    def hold(self, seating: Seating, session: Session, position: int | None = None) -> None:
        super().hold(seating, session, position)
        demand(seating.handle not in self._used, "a handle is used twice", seating.handle)
        self._used.add(seating.handle)
        self.shadows.setdefault(session, {})[seating.handle] = Shadow(run=seating.run, seat=seating.seat)


class Trace:
    """The hash of everything that bots and server said, in order and with its time."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self.messages = 0

    def add(self, at: int, who: str, data: bytes) -> None:
        self.messages += 1
        self._hash.update(b"%d %s %d " % (at, who.encode(), len(data)))
        self._hash.update(data)

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()
