"""The journal: what is in flight on this node, so that after a crash every match goes on from its exact card.

A table is a pure function of its inputs, so the inputs are what is logged, with their times: a fresh
table that is given them again has the same cards, ids, faults, banks and grace. Boards are not in it; they
are derived again from the store's secret. "Journaled" means handed to the operating system before
anything that depends on it is sent: safe against the death of the process, not of the machine.
"""

from kiery.journal.entry import Entry, EntryKind, Opening
from kiery.journal.errors import DamagedJournalError, JournalError
from kiery.journal.reader import Damage, InFlight, Journal, read_journal
from kiery.journal.replay import ReplayError, replay
from kiery.journal.segment import SegmentHeader, segments_of
from kiery.journal.writer import JournalWriter

__all__ = [
    "Damage",
    "DamagedJournalError",
    "Entry",
    "EntryKind",
    "InFlight",
    "Journal",
    "JournalError",
    "JournalWriter",
    "Opening",
    "ReplayError",
    "SegmentHeader",
    "read_journal",
    "replay",
    "segments_of",
]
