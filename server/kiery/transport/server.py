"""The gRPC server: its port, its TLS, health and reflection."""

import ipaddress
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import grpc
import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from kiery.errors import InputError
from kiery.host import Lobby
from kiery.terms import Limits
from kiery.transport.options import server_options
from kiery.transport.play import Authenticate, PlayHandler

__all__ = ["GrpcServer", "ListenError", "Tls"]

logger = logging.getLogger(__name__)

PLAY_SERVICE: Final = "kiery.v1.PlayService"


class ListenError(InputError):
    """An address that cannot be listened on."""

    reason = "CANNOT_LISTEN"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tls:
    """What a server proves itself with."""

    key: bytes
    """The private key, PEM."""
    certificate: bytes
    """The certificate chain, PEM."""


def is_loopback(host: str) -> bool:
    """Tells whether only this machine can reach a host name or address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class GrpcServer:
    """Serves a lobby over gRPC."""

    def __init__(self, lobby: Lobby, authenticate: Authenticate, limits: Limits) -> None:
        """Makes a server that does not listen yet.

        Args:
            lobby: Where bots come in.
            authenticate: Finds the bot of a call.
            limits: What a peer may send.
        """
        self._play = PlayHandler(lobby, authenticate)
        self._server = grpc.aio.server(options=server_options(limits))
        self._health = health.aio.HealthServicer()
        self._add_services()
        self.port = 0
        """The port, once listening."""

    def _add_services(self) -> None:
        self._server.add_generic_rpc_handlers((self._play,))
        add_health: Callable[[Any, Any], None] = health_pb2_grpc.add_HealthServicer_to_server
        add_health(self._health, self._server)
        # The descriptors must be loaded to be reflected.
        import_module("kiery.v1.play_pb2")
        names = (PLAY_SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self._server)

    async def start(self, address: str, *, tls: Tls | None = None, insecure: bool = False) -> int:
        """Listens and serves.

        Args:
            address: `HOST:PORT`; port 0 takes any free one.
            tls: Key and certificate; none: plain text.
            insecure: Whether plain text is allowed beyond this machine.

        Returns:
            The port.

        Raises:
            ListenError: The address is malformed or in use, or is not loopback and there is no TLS.
        """
        host, colon, port = address.rpartition(":")
        if not colon or not (port.isascii() and port.isdigit()) or int(port) > 0xFFFF:
            raise ListenError(f"{address!a} is no address: expected HOST:PORT, such as 127.0.0.1:7400")
        if tls is None and not insecure and not is_loopback(host):
            raise ListenError(
                f"{host} can be reached from elsewhere and there is no TLS: give --tls-cert and --tls-key,"
                " or say --insecure"
            )
        try:
            if tls is None:
                self.port = self._server.add_insecure_port(address)
            else:
                credentials = grpc.ssl_server_credentials([(tls.key, tls.certificate)])
                self.port = self._server.add_secure_port(address, credentials)
        except RuntimeError:
            self.port = 0
        if not self.port:
            reasons = "the port is in use, or the host is not this machine's"
            if tls is not None:
                reasons += ", or key and certificate are no pair in PEM"
            raise ListenError(f"cannot listen on {address}: {reasons}")
        await self._server.start()
        await self._set_health(health_pb2.HealthCheckResponse.SERVING)
        logger.info("listening", extra={"address": f"{host}:{self.port}", "tls": tls is not None})
        return self.port

    async def _set_health(self, status: Any) -> None:  # noqa: ANN401  (an enum of generated code)
        services: Sequence[str] = ("", PLAY_SERVICE)
        for service in services:
            await self._health.set(service, status)

    async def stop(self, grace_s: float = 1.0) -> None:
        """Stops serving; streams that are open after the grace are cut."""
        await self._set_health(health_pb2.HealthCheckResponse.NOT_SERVING)
        await self._server.stop(grace_s)
