"""Entries: one input of one table each, as a value and as bytes.

Rules of this module: an entry's first byte, its kind, tells its length; numbers are little-endian; times
are nanoseconds on the monotonic clock, which all processes of one boot share. An answer of one card
takes 20 bytes, so that its cost is that of one `struct` call.
"""

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from struct import Struct
from typing import Final

from kiery.journal.errors import DamagedJournalError
from kiery.rules import MoonChoice
from kiery.terms import DeclineReason
from kiery.view import Action

__all__ = [
    "CARD",
    "CARD_KIND",
    "SHORT_NS",
    "Entry",
    "EntryKind",
    "Opening",
    "pack_answer",
    "pack_opening",
    "pack_step",
    "unpack_entries",
]


class EntryKind(IntEnum):
    """What happened at a table."""

    CARD = 1
    """A seat answered with one card, and the answer named its open decision."""
    ANSWER = 2
    """A seat answered with anything else, or its clock did not run for two seconds at most."""
    EXPIRED = 3
    """The time of a seat's open decision was over."""
    CONNECTED = 4
    """A live stream took the seat."""
    DISCONNECTED = 5
    """The seat's stream was lost."""
    LEFT = 6
    """The bot said goodbye for the deal."""
    RESIGNED = 7
    """The bot said goodbye for good."""
    ABANDONED = 8
    """The bot will never come back."""
    RESUMED = 9
    """The table goes on after a crash, nobody connected."""
    SETTLED = 10
    """The store has what came of the match: nothing of it is needed here any more."""
    OPENED = 11
    """The table was opened."""
    EXCUSED = 12
    """The seat could not be asked whether it is ready, and has the limit for that once more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What is needed to set a table up again, beside the tournament's plan."""

    tournament: str
    """The tournament's name."""
    fixture: int
    """Index in its schedule, from 0."""
    attempt: int
    """Which try, from 1."""
    start_ms: int
    """When it was opened, milliseconds since 1970 UTC."""
    versions: tuple[str, ...]
    """By seat: the version in the record's header, which the bot may have stated itself."""
    terms: bytes
    """The hash of the record's header, its first link: rules, entrants, clocks, engine are those of then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One input of one table."""

    kind: EntryKind
    """What happened."""
    table: int
    """The table's number in the journal."""
    now: int
    """When, in the table's own reckoning, nanoseconds."""
    seat: int = 0
    """At which seat."""
    ran: int | None = None
    """How long the clock of the seat's open decision had run since it was last started, nanoseconds.

    Negative: the answer had arrived before the clock was started. None: the clock stood.
    """
    decision: int = 0
    """Answers: the last byte of the decision's id, as a check."""
    action: Action | None = None
    """Answers: what was answered, cut to what decides its fate."""
    opening: Opening | None = None
    """OPENED: how the table was set up."""


CARD: Final = Struct("<BBBBIqi")
"""The entry of a card: kind, seat, card, decision, table, now, ran."""
_STEP: Final = Struct("<BBxxIqq")
_ANSWER: Final = Struct("<BBBBIqqBBxx")
_OPENED: Final = Struct("<BxHIq")
_LENGTHS: Final = {EntryKind.CARD: CARD, EntryKind.ANSWER: _ANSWER, EntryKind.OPENED: _OPENED}

CARD_KIND: Final = int(EntryKind.CARD)
"""As a plain number, which costs nothing to pack."""
SHORT_NS: Final = 1 << 31
"""A clock that has run for less fits the short entry of a card."""
_STANDS: Final = -(1 << 63)
_MAX_CARDS: Final = 255
"""More cards than any decision takes: an answer of more is refused for its count, whatever they are."""
_MOONS: Final = (None, *MoonChoice)
_DECLINES: Final = (None, *DeclineReason)


def pack_answer(table: int, seat: int, decision_id: int, action: Action, now: int, ran: int | None) -> bytes:
    """Returns the entry of an answer to an open decision."""
    cards = action.cards
    plain = len(cards) == 1 and action.moon is None and action.decline is None
    if plain and ran is not None and -SHORT_NS <= ran < SHORT_NS:
        return CARD.pack(CARD_KIND, seat, cards[0], decision_id & 0xFF, table, now, ran)
    cards = cards[:_MAX_CARDS]
    return (
        _ANSWER.pack(
            EntryKind.ANSWER,
            seat,
            len(cards),
            decision_id & 0xFF,
            table,
            now,
            _STANDS if ran is None else ran,
            _MOONS.index(action.moon),
            _DECLINES.index(action.decline),
        )
        + cards
    )


def pack_step(kind: EntryKind, table: int, seat: int, now: int, ran: int | None) -> bytes:
    """Returns an entry of any kind but answers and openings."""
    return _STEP.pack(kind, seat, table, now, _STANDS if ran is None else ran)


def pack_opening(table: int, opening: Opening, now: int) -> bytes:
    """Returns the entry of a table that is opened."""
    facts = {
        "tournament": opening.tournament,
        "fixture": opening.fixture,
        "attempt": opening.attempt,
        "start_ms": opening.start_ms,
        "versions": opening.versions,
        "terms": opening.terms.hex(),
    }
    text = json.dumps(facts).encode()
    return _OPENED.pack(EntryKind.OPENED, len(text), table, now) + text


def unpack_entries(data: bytes) -> Iterator[Entry]:
    """Yields the entries in a batch.

    Raises:
        DamagedJournalError: They are of another form, although the batch is what was written.
    """
    place = 0
    try:
        while place < len(data):
            kind = EntryKind(data[place])
            layout = _LENGTHS.get(kind, _STEP)
            values = layout.unpack_from(data, place)
            place += layout.size
            if kind is EntryKind.CARD:
                _, seat, card, decision, table, now, ran = values
                action = Action(cards=bytes((card,)))
                yield Entry(
                    kind=kind,
                    table=table,
                    now=now,
                    seat=seat,
                    ran=ran,
                    decision=decision,
                    action=action,
                )
            elif kind is EntryKind.ANSWER:
                _, seat, count, decision, table, now, ran, moon, decline = values
                cards = _slice(data, place, count)
                place += count
                action = Action(cards=cards, moon=_MOONS[moon], decline=_DECLINES[decline])
                yield Entry(
                    kind=kind,
                    table=table,
                    now=now,
                    seat=seat,
                    ran=_ran(ran),
                    decision=decision,
                    action=action,
                )
            elif kind is EntryKind.OPENED:
                _, length, table, now = values
                opening = _opening(_slice(data, place, length))
                place += length
                yield Entry(kind=kind, table=table, now=now, opening=opening)
            else:
                _, seat, table, now, ran = values
                yield Entry(kind=kind, table=table, now=now, seat=seat, ran=_ran(ran))
    except (ValueError, IndexError, KeyError, TypeError, struct.error):
        raise DamagedJournalError(f"an entry at byte {place} of a batch cannot be read") from None


def _ran(ran: int) -> int | None:
    return None if ran == _STANDS else ran


def _slice(data: bytes, place: int, count: int) -> bytes:
    cut = data[place : place + count]
    if len(cut) < count:
        raise ValueError("the batch ends within an entry")
    return cut


def _opening(text: bytes) -> Opening:
    facts = json.loads(text)
    return Opening(
        tournament=facts["tournament"],
        fixture=facts["fixture"],
        attempt=facts["attempt"],
        start_ms=facts["start_ms"],
        versions=tuple(facts["versions"]),
        terms=bytes.fromhex(facts["terms"]),
    )
