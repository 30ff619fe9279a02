"""What a seat is owed: everything since its last update, built when it is written.

A seat's memory on the server is its cursor into the match's log, so a bot that does not read costs
nothing, and a decision that was closed meanwhile is never sent.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kiery.engine import DealLog, Event
from kiery.table.place import MS, Place
from kiery.terms import ActionCause
from kiery.view import (
    CardsExchanged,
    DealScored,
    DealStarted,
    Decision,
    KittyTaken,
    MatchEnded,
    MoonShot,
    News,
    SeatSubstituted,
    Update,
)

if TYPE_CHECKING:
    from kiery.table.table import Table

__all__ = ["Turn", "take_turn", "take_updates"]

Turn = tuple[int, bytes, bytes, bytes, int, Decision, int, int, int]
"""Sequence, seats, cards, winners, decision id, decision, limit and bank in milliseconds, when it is lost."""


def take_updates(table: "Table", place: Place, now: int) -> list[Update]:
    """Returns the updates that a seat is owed, in order, and notes that it was told.

    There is one for each deal that it has not heard the end of, at least one in all; the last has
    what is not an event: closed decisions, rejections, the snapshot, the open decision.
    """
    after = place.told if place.announce else 0
    updates: list[Update] = []
    logs = table.match.logs
    if logs and place.log is not logs[-1]:
        updates = _catch_up(place, logs, ended=table.match.ended)
        if not updates:
            # Nothing is told of an earlier deal: events continue with this one.
            after = place.told
    log = place.log
    update = _tell(place, log) if log is not None else _before_deals(table)
    updates.append(update)
    if place.announce:
        _news(updates[0]).match_started = table.announcement(place.seat, after)
        place.announce = False
    if place.closed or place.rejections or place.pass_news or place.fault_news:
        _tell_own(place, _news(update))
    decision = place.decision
    if decision is not None:
        update.decision_id = place.decision_id
        update.decision = decision
        update.time_ms, update.bank_ms = place.limits_ms(now)
    if place.snapshot or (place.every_decision and decision is not None and logs):
        update.observation = table.observe(place.seat)
        place.snapshot = False
    return updates


def take_turn(table: "Table", place: Place, now: int) -> Turn | None:
    """Returns what a seat is owed if it is the usual turn, notes that it was told and starts its clock.

    The usual turn has plays of the current deal and a decision of which no time is used, and nothing
    else. None, with nothing changed, where `take_updates` has more to say: this is its hot path.
    """
    log = place.log
    decision = place.decision
    if (
        decision is None
        or log is None
        or log is not table.match.logs[-1]
        or len(log.rare) != place.rare
        or place.started_at is not None
        or place.spent
        or place.announce
        or place.snapshot
        or place.every_decision
        or place.closed
        or place.rejections
        or place.pass_news
        or place.fault_news
    ):
        return None
    deal = log.deal
    if deal.notes.has_other_causes:
        return None
    plays = place.plays
    cards = deal.cards
    count = place.plays = len(cards)
    limit_ms = place.terms.decision_ms
    return (
        log.base + count + place.rare,
        deal.seats_from(plays),
        bytes(cards[plays:]),
        deal.winners_from(plays),
        place.decision_id,
        decision,
        limit_ms,
        place.bank // MS if limit_ms else 0,
        place.start_turn(now),
    )


def _before_deals(table: "Table") -> Update:
    """Returns what can be told when no deal has begun: nothing, or that none ever will."""
    if table.ending is None:
        return Update(sequence=0)
    return Update(sequence=1, news=News(match_ended=table.ending))


def _catch_up(place: Place, logs: Sequence[DealLog], *, ended: bool) -> list[Update]:
    """Moves a seat on to the current deal; returns what it missed of the one before, if that is kept."""
    current = logs[-1]
    updates: list[Update] = []
    known = place.log
    if known is None and logs[0].base == 0:
        known = logs[0]
    if known is None or known not in logs:
        # Deals passed that are not kept: the snapshot stands for them, and only the end is still told.
        place.snapshot = True
        place.log = current
        place.plays, place.rare = current.cursor_at(current.sequence - ended)
        return updates
    if known is not current:
        place.log = known
        if known.sequence > place.told:
            updates.append(_tell(place, known))
        place.plays = place.rare = 0
    place.log = current
    return updates


def _tell(place: Place, log: DealLog) -> Update:
    """Returns the events of one deal that a seat has not been told, and notes that it was."""
    deal = log.deal
    plays, rare = place.plays, place.rare
    count, rare_count = len(deal.cards), len(log.rare)
    update = Update(sequence=log.base + count + rare_count)
    if count > plays:
        update.seats = deal.seats_from(plays)
        update.cards = bytes(deal.cards[plays:])
        update.winners = deal.winners_from(plays)
        if deal.notes.has_other_causes:
            causes = [
                cause
                for seat, cause in zip(update.seats, deal.notes.play_causes[plays:], strict=True)
                if seat == place.seat
            ]
            if any(cause is not ActionCause.ANSWERED for cause in causes):
                update.own_causes = causes
        place.plays = count
    if rare_count > rare:
        news = _news(update)
        for event in log.view_of(place.seat, rare):
            _add(news, event)
        place.rare = rare_count
    return update


def _add(news: News, event: Event) -> None:
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


def _tell_own(place: Place, news: News) -> None:
    news.closed, place.closed = place.closed, []
    news.rejections, place.rejections = place.rejections, []
    news.pass_accepted, place.pass_news = place.pass_news, False
    if place.fault_news:
        news.faults, place.fault_news = place.faults, False


def _news(update: Update) -> News:
    if update.news is None:
        update.news = News()
    return update.news
