"""Where the server is and how to reach it safely: address, token, certificate, and the gRPC channel."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Final

import grpc.aio

from kiery_client.errors import AddressError

__all__ = ["Endpoint", "find_endpoint"]

_MESSAGE_BYTES: Final = 65_536
"""The protocol's bound for a message either way, before `Welcome.max_message_bytes` is known."""

_OPTIONS: Final[tuple[tuple[str, int], ...]] = (
    ("grpc.max_receive_message_length", _MESSAGE_BYTES),
    ("grpc.max_send_message_length", _MESSAGE_BYTES),
    # A dead path is noticed within 30 s; the heartbeat of the protocol is quicker while seats are held.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    # Without it an unanswered ping is waited for 60 s, whatever keepalive_timeout_ms says.
    ("grpc.http2.ping_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # One connection a client: two bots in one process do not share their fate.
    ("grpc.use_local_subchannel_pool", 1),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A server that can be dialled."""

    target: str
    """`host:port`, or `unix:` and a path."""
    token: str
    """The bot's token. Never shown."""
    roots: bytes | None
    """PEM certificates that the server's is checked with; none without TLS."""
    local: bool
    """Whether it is on this machine."""

    def __repr__(self) -> str:
        """Returns the text without the token."""
        return f"Endpoint({self.target!r}, tls={self.roots is not None})"

    def channel(self) -> grpc.aio.Channel:
        """Returns a new channel, with a connection of its own. Needs a running event loop."""
        options: list[tuple[str, int]] = list(_OPTIONS)
        if self.local:
            # A proxy of the environment cannot reach this machine's loopback.
            options.append(("grpc.enable_http_proxy", 0))
        if self.roots is None:
            return grpc.aio.insecure_channel(self.target, options=options)
        # Empty: those that gRPC brings along.
        credentials = grpc.ssl_channel_credentials(self.roots or None)
        return grpc.aio.secure_channel(self.target, credentials, options=options)


def find_endpoint(
    address: str | None,
    token: str | None,
    *,
    ca: str | os.PathLike[str] | None = None,
    insecure: bool = False,
    environment: Mapping[str, str] = os.environ,
) -> Endpoint:
    """Returns where to dial, from arguments and, where they are none, from the environment.

    TLS is used with a certificate, with `https://`, and for every address that is not on this machine.

    Args:
        address: `host:port`, perhaps after `https://` or `http://`; else `KIERY_ADDRESS`.
        token: The bot's token; else `KIERY_TOKEN`.
        ca: A PEM file that the server's certificate is checked with; else `KIERY_CA`, else the system's.
        insecure: Allows an address on another machine without TLS. The token can be read on the way.
        environment: The environment variables.

    Raises:
        AddressError: Something is missing or cannot be used.
    """
    address = address or environment.get("KIERY_ADDRESS", "")
    if not address:
        raise AddressError("no server address: set KIERY_ADDRESS or pass address, such as 127.0.0.1:7400")
    token = token or environment.get("KIERY_TOKEN", "")
    if not token:
        raise AddressError("no token: set KIERY_TOKEN or pass token; the organiser gives it to you")
    if not (token.isascii() and token.isprintable()):
        raise AddressError("the token has strange characters: expected printable ASCII; copy it again")
    scheme, separator, rest = address.partition("://")
    scheme, target = (scheme.lower(), rest.rstrip("/")) if separator else ("", address)
    if scheme not in {"", "http", "https"}:
        raise AddressError(f"address {address!r}: expected host:port, perhaps after https://")
    local = _is_local(target, address)
    ca = ca or environment.get("KIERY_CA") or None
    if insecure and (ca or scheme == "https"):
        raise AddressError("insecure together with TLS: drop insecure, or the certificate and https://")
    if scheme == "http" and not (local or insecure):
        raise AddressError(
            f"address {address!r} would send the token unprotected: use https://, or pass insecure=True"
        )
    plain = insecure or (not ca and scheme != "https" and (local or scheme == "http"))
    return Endpoint(target=target, token=token, roots=None if plain else _roots(ca), local=local)


def _is_local(target: str, shown: str) -> bool:
    if target.startswith("unix:"):
        return True
    host, _, port = target.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65_536 or "/" in host:
        raise AddressError(f"address {shown!r}: expected host:port, such as 127.0.0.1:7400")
    if host == "localhost":
        return True
    try:
        return ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False


def _roots(ca: str | os.PathLike[str] | None) -> bytes:
    """Returns the certificates of a file or of the system; empty if the system has none in one file."""
    if ca is None:
        import ssl  # noqa: PLC0415  # slow to load, and needed only here

        system = ssl.get_default_verify_paths().cafile
        return Path(system).read_bytes() if system and Path(system).is_file() else b""
    try:
        roots = Path(ca).read_bytes()
    except OSError as error:
        raise AddressError(f"certificate {os.fspath(ca)!r} cannot be read: {error.strerror}") from None
    if b"-----BEGIN CERTIFICATE-----" not in roots:
        raise AddressError(f"certificate {os.fspath(ca)!r} holds none: expected a PEM file")
    return roots
