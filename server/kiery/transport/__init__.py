"""gRPC: moves bytes between streams and the host, and translates reasons to status codes.

No decision is made here.
"""

from kiery.transport.options import server_options
from kiery.transport.play import PlayHandler
from kiery.transport.server import GrpcServer, ListenError, Tls, is_loopback

__all__ = ["GrpcServer", "ListenError", "PlayHandler", "Tls", "is_loopback", "server_options"]
