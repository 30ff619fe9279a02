"""What only a server says and stores: records to and from messages and bytes."""

from kiery.wire_service.record import record_from_message, record_to_message
from kiery.wire_service.stored import record_from_bytes, record_to_bytes

__all__ = ["record_from_bytes", "record_from_message", "record_to_bytes", "record_to_message"]
