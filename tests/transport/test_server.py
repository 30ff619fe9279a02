"""The server: its options, its address, TLS, health and reflection."""

import asyncio
import socket
from contextlib import suppress
from typing import Any

import grpc
import grpc.aio
import pytest
import trustme
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from tests.transport.served import METHOD, Call, Client, Served, serving

from kiery.terms import Limits
from kiery.transport import ListenError, server_options
from kiery.transport.server import Tls, is_loopback
from kiery.v1 import play_pb2


def test_the_options_are_pinned() -> None:
    assert server_options(Limits()) == [
        ("grpc.keepalive_time_ms", 10_000),
        ("grpc.http2.ping_timeout_ms", 5_000),
        ("grpc.keepalive_timeout_ms", 5_000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
        ("grpc.http2.bdp_probe", 0),
        ("grpc.http2.lookahead_bytes", 65_535),
        ("grpc.max_receive_message_length", 65_536),
        ("grpc.max_send_message_length", 65_536),
        ("grpc.max_concurrent_streams", 1_024),
        ("grpc.max_metadata_size", 8_192),
        ("grpc.server.max_pending_requests", 16_384),
        ("grpc.server.max_pending_requests_hard_limit", 32_768),
        ("grpc.so_reuseport", 0),
    ]


async def test_thousands_may_dial_in_at_once() -> None:
    """Without room for pending requests gRPC cancels some of 3,000 calls that begin together."""

    async def accepts(_: object, context: grpc.aio.ServicerContext) -> None:  # type: ignore[type-arg]
        await context.send_initial_metadata(())
        await context.read()

    class Handler(grpc.GenericRpcHandler):
        def service(self, details: grpc.HandlerCallDetails) -> Any:
            return grpc.stream_stream_rpc_method_handler(accepts)

    server = grpc.aio.server(options=server_options(Limits()))
    server.add_generic_rpc_handlers((Handler(),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    own = [("grpc.use_local_subchannel_pool", 1)]
    channels = [grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=own) for _ in range(4)]
    calls = [channels[number % 4].stream_stream(METHOD)() for number in range(3_000)]

    await asyncio.gather(*(call.initial_metadata() for call in calls))

    assert not any(call.done() for call in calls)
    for call in calls:
        call.cancel()
    await asyncio.gather(*(channel.close() for channel in channels))
    await server.stop(None)


async def test_a_stream_that_is_not_read_is_pushed_back_soon() -> None:
    """Fact M6: with these options some 64 kB of a flood are taken before the sender has to wait."""
    taken = 0

    async def never_reads(_: object, context: grpc.aio.ServicerContext) -> None:  # type: ignore[type-arg]
        await context.send_initial_metadata(())
        await asyncio.sleep(60)

    class Handler(grpc.GenericRpcHandler):
        def service(self, details: grpc.HandlerCallDetails) -> Any:
            return grpc.stream_stream_rpc_method_handler(never_reads)

    server = grpc.aio.server(options=server_options(Limits()))
    server.add_generic_rpc_handlers((Handler(),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with Client(port) as client:
        with suppress(TimeoutError):
            async with asyncio.timeout(0.3):
                while taken < 10_000:
                    await client.send(b"x" * 1_000)
                    taken += 1
    await server.stop(0)

    assert 30 <= taken <= 200


# Addresses


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.9.1", "::1", "[::1]"])
def test_this_machine_alone_reaches_a_loopback_address(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["", "0.0.0.0", "::", "[::]", "example.org", "10.0.0.1", "*"])
def test_others_reach_every_other_address(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize(
    "address",
    ["", "7400", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:70000", "127.0.0.1:²", "a:-1"],
)
async def test_a_malformed_address_is_one_clear_error(address: str) -> None:
    served = Served(Limits(), None)

    with pytest.raises(ListenError, match="expected HOST:PORT"):
        await served.server.start(address)


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", ":0"])
async def test_an_address_beyond_this_machine_needs_tls(address: str) -> None:
    served = Served(Limits(), None)

    with pytest.raises(ListenError, match="--insecure"):
        await served.server.start(address)


async def test_an_address_beyond_this_machine_is_allowed_when_said() -> None:
    served = Served(Limits(), None)

    port = await served.server.start("0.0.0.0:0", insecure=True)

    async with Client(port) as client:
        assert (await client.hello()).revision == 1
    await served.server.stop(0)


async def test_a_port_in_use_is_one_clear_error() -> None:
    async with serving() as served:
        with pytest.raises(ListenError, match=f"cannot listen on 127.0.0.1:{served.port}"):
            await Served(Limits(), None).server.start(f"127.0.0.1:{served.port}")


async def test_a_port_of_another_program_is_one_clear_error() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        with pytest.raises(ListenError, match="in use"):
            await Served(Limits(), None).server.start(f"127.0.0.1:{port}")


# TLS


async def test_tls_proves_the_server_to_a_client_that_trusts_its_authority() -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("localhost")
    tls = Tls(
        key=issued.private_key_pem.bytes(),
        certificate=b"".join(each.bytes() for each in issued.cert_chain_pems),
    )
    async with serving(tls=tls) as served:
        credentials = grpc.ssl_channel_credentials(authority.cert_pem.bytes())
        async with grpc.aio.secure_channel(
            f"127.0.0.1:{served.port}",
            credentials,
            options=[("grpc.ssl_target_name_override", "localhost")],
        ) as channel:
            call: Call = channel.stream_stream(METHOD)(metadata=(("authorization", "Bearer a"),))
            hello = play_pb2.Hello(min_revision=1, max_revision=1)
            await call.write(play_pb2.PlayRequest(hello=hello).SerializeToString())
            data = await call.read()
            assert isinstance(data, bytes)
            assert play_pb2.PlayResponse.FromString(data).welcome.revision == 1
            call.cancel()

        async with Client(served.port) as plain:
            code, _, _ = await plain.status()
            assert code is grpc.StatusCode.UNAVAILABLE


async def test_a_key_that_is_none_is_one_clear_error() -> None:
    with pytest.raises(ListenError, match="certificate"):
        await Served(Limits(), None).server.start("127.0.0.1:0", tls=Tls(key=b"no key", certificate=b"none"))


# Health and reflection


async def test_health_says_serving_and_then_not_serving() -> None:
    async with serving() as served, Client(served.port) as client:
        stub = health_pb2_grpc.HealthStub(client.channel)
        for service in ("", "kiery.v1.PlayService"):
            answer = await stub.Check(health_pb2.HealthCheckRequest(service=service))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        with pytest.raises(grpc.aio.AioRpcError) as unknown:
            await stub.Check(health_pb2.HealthCheckRequest(service="no.such.Service"))
        assert unknown.value.code() is grpc.StatusCode.NOT_FOUND

        watch = stub.Watch(health_pb2.HealthCheckRequest(service=""))
        assert (await watch.read()).status == health_pb2.HealthCheckResponse.SERVING
        stopping = asyncio.create_task(served.server.stop(0.2))
        assert (await watch.read()).status == health_pb2.HealthCheckResponse.NOT_SERVING
        watch.cancel()
        await stopping


async def test_reflection_lists_the_services_and_shows_the_schema() -> None:
    async with serving() as served, Client(served.port) as client:
        stub = reflection_pb2_grpc.ServerReflectionStub(client.channel)
        requests = [
            reflection_pb2.ServerReflectionRequest(list_services=""),
            reflection_pb2.ServerReflectionRequest(file_containing_symbol="kiery.v1.PlayService"),
        ]
        answers = [answer async for answer in stub.ServerReflectionInfo(iter(requests))]

    names = {service.name for service in answers[0].list_services_response.service}
    assert {"kiery.v1.PlayService", "grpc.health.v1.Health"} <= names
    assert answers[1].file_descriptor_response.file_descriptor_proto


async def test_stopping_ends_open_streams() -> None:
    async with serving() as served, Client(served.port) as client:
        await client.hello()

        await served.server.stop(0.05)

        code, _, _ = await client.status()
        assert code in {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}
        await served.until(lambda: not served.lobby.sessions)
