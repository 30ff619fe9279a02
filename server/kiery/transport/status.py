"""The only table from reasons to gRPC status codes."""

from collections.abc import Mapping
from typing import Final

import grpc

from kiery.host import RefusalReason

__all__ = ["STATUS", "status_of"]

STATUS: Final[Mapping[RefusalReason, grpc.StatusCode]] = {
    RefusalReason.TOKEN: grpc.StatusCode.UNAUTHENTICATED,
    RefusalReason.ROLE: grpc.StatusCode.PERMISSION_DENIED,
    RefusalReason.REVISION: grpc.StatusCode.FAILED_PRECONDITION,
    RefusalReason.HELLO_EXPECTED: grpc.StatusCode.FAILED_PRECONDITION,
    RefusalReason.HELLO_INVALID: grpc.StatusCode.INVALID_ARGUMENT,
    RefusalReason.SESSION_REPLACED: grpc.StatusCode.ABORTED,
    RefusalReason.SESSION_STALE: grpc.StatusCode.ABORTED,
    RefusalReason.STRIKES: grpc.StatusCode.INVALID_ARGUMENT,
    RefusalReason.WRITE_TIMEOUT: grpc.StatusCode.ABORTED,
    RefusalReason.HEARTBEAT_TIMEOUT: grpc.StatusCode.ABORTED,
    RefusalReason.HALF_CLOSED: grpc.StatusCode.ABORTED,
    RefusalReason.SHUTDOWN: grpc.StatusCode.UNAVAILABLE,
    RefusalReason.FULL: grpc.StatusCode.RESOURCE_EXHAUSTED,
    RefusalReason.FAREWELL: grpc.StatusCode.OK,
    RefusalReason.INTERNAL: grpc.StatusCode.INTERNAL,
}
"""Every reason has a code; a test goes through all of them."""


def status_of(reason: RefusalReason) -> grpc.StatusCode:
    """Returns the status code of a reason."""
    return STATUS[reason]
