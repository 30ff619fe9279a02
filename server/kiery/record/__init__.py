"""A match record as columns: built from the engine's match, hashed, and proved by playing it again.

What is not here: its protobuf form (`wire_service`) and where it is kept (`store`).
"""

from kiery.engine import Substitution
from kiery.record.build import build_record
from kiery.record.errors import DisagreementError, MalformedRecordError, RecordError
from kiery.record.packing import seats_round
from kiery.record.result import DealResult, deal_results
from kiery.record.text import format_record
from kiery.record.transcript import TranscriptError, parse_transcript, to_transcript, verify_transcript
from kiery.record.values import DealRecord, MatchHeader, MatchRecord, PlayedDeal, RecordEntrant
from kiery.record.verify import VerifiedRecord, verify_record

__all__ = [
    "DealRecord",
    "DealResult",
    "DisagreementError",
    "MalformedRecordError",
    "MatchHeader",
    "MatchRecord",
    "PlayedDeal",
    "RecordEntrant",
    "RecordError",
    "Substitution",
    "TranscriptError",
    "VerifiedRecord",
    "build_record",
    "deal_results",
    "format_record",
    "parse_transcript",
    "seats_round",
    "to_transcript",
    "verify_record",
    "verify_transcript",
]
