"""The gRPC options of a server, each with its reason; figures in docs/reliability.md.

They are pinned by tests: an upgrade of grpcio that changes what they do shows there.
"""

from typing import Final

from kiery.terms import Limits

__all__ = ["server_options"]

_MAX_STREAMS: Final = 1_024
_MAX_METADATA_BYTES: Final = 8_192
_WINDOW_BYTES: Final = 65_535
_MAX_PENDING_CALLS: Final = 16_384


def server_options(limits: Limits) -> list[tuple[str, int]]:
    """Returns the channel arguments of a server that remote bots reach."""
    return [
        # A frozen peer is noticed in 15 s; the timeout that counts is the ping's own.
        ("grpc.keepalive_time_ms", 10_000),
        ("grpc.http2.ping_timeout_ms", 5_000),
        ("grpc.keepalive_timeout_ms", 5_000),
        ("grpc.keepalive_permit_without_calls", 1),
        # Clients of other languages ping quiet streams every 10 s: do not cut them for it.
        ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
        # Without these two a stream that is not read takes 4 MB instead of 64 kB before it is pushed back.
        ("grpc.http2.bdp_probe", 0),
        ("grpc.http2.lookahead_bytes", _WINDOW_BYTES),
        ("grpc.max_receive_message_length", limits.max_message_bytes),
        ("grpc.max_send_message_length", limits.max_message_bytes),
        # A lower bound would let further streams of a connection hang without an error.
        ("grpc.max_concurrent_streams", _MAX_STREAMS),
        ("grpc.max_metadata_size", _MAX_METADATA_BYTES),
        # After a restart thousands dial in at once, and beyond 1,000 waiting calls gRPC cancels at random.
        ("grpc.server.max_pending_requests", _MAX_PENDING_CALLS),
        ("grpc.server.max_pending_requests_hard_limit", 2 * _MAX_PENDING_CALLS),
        # Two servers must not share a port silently.
        ("grpc.so_reuseport", 0),
    ]
