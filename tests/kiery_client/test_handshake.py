"""How a conversation begins, and how the server refuses one."""

import grpc
import pytest
import trustme
from tests.kiery_client.bots import First
from tests.kiery_client.scripted_server import announce, playing, scripted_server

import kiery
from kiery.terms import Delivery
from kiery.v1 import play_pb2
from kiery_client import (
    Client,
    GarbledError,
    GaveUpError,
    HelloError,
    RefusedError,
    ReplacedError,
    RevisionError,
    RoleError,
    StaleError,
    StrikesError,
    TokenError,
)

CODE = grpc.StatusCode


async def test_a_bot_greets_with_its_wishes_and_its_token() -> None:
    async with scripted_server() as server:
        client = Client(First(), server.address, "token-1", max_tables=12, delivery=Delivery.IMMEDIATE)
        async with playing(client):
            stream = await server.accept()
            hello = await stream.greet()

    assert stream.metadata["authorization"] == "Bearer token-1"
    assert hello == play_pb2.Hello(
        min_revision=1,
        max_revision=1,
        sdk=f"kiery-python/{kiery.__version__}",
        bot="First",
        version="7",
        max_tables=12,
        delivery=play_pb2.DELIVERY_IMMEDIATE,
    )


async def test_names_that_are_too_long_are_cut_between_letters() -> None:
    class Named(First):
        name = "ż" * 40

    async with scripted_server() as server, playing(Client(Named, server.address, "t")):
        stream = await server.accept()
        hello = await stream.greet()

    assert hello.bot == "ż" * 32


@pytest.mark.parametrize(
    ("code", "reason", "error"),
    [
        (CODE.UNAUTHENTICATED, "TOKEN", TokenError),
        (CODE.PERMISSION_DENIED, "ROLE", RoleError),
        (CODE.UNAUTHENTICATED, "TICKET", RefusedError),
        (CODE.FAILED_PRECONDITION, "HELLO_EXPECTED", HelloError),
        (CODE.INVALID_ARGUMENT, "HELLO_INVALID", HelloError),
        (CODE.ABORTED, "SESSION_REPLACED", ReplacedError),
        (CODE.ABORTED, "SESSION_STALE", StaleError),
        (CODE.INVALID_ARGUMENT, "STRIKES", StrikesError),
        (CODE.DATA_LOSS, "SOMETHING_NEW", RefusedError),
        (CODE.UNIMPLEMENTED, "", RefusedError),
    ],
)
async def test_a_refusal_for_good_ends_the_run_with_its_reason(code, reason, error) -> None:
    async with scripted_server() as server, playing(Client(First(), server.address, "t")) as run:
        stream = await server.accept()
        stream.end(code, reason, "because")

        with pytest.raises(error) as caught:
            await run

    assert type(caught.value) is error
    assert caught.value.metadata["kiery_reason"] == reason
    assert caught.value.metadata["status"] == code.name


async def test_a_revision_of_the_future_is_refused_with_what_the_server_speaks() -> None:
    async with scripted_server() as server, playing(Client(First(), server.address, "t")) as run:
        stream = await server.accept()
        stream.end(CODE.FAILED_PRECONDITION, "REVISION", kiery_min="", min_revision="2", max_revision="3")

        with pytest.raises(RevisionError) as caught:
            await run

    assert (caught.value.metadata["min"], caught.value.metadata["max"]) == ("2", "3")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (CODE.UNAVAILABLE, ""),
        (CODE.UNAVAILABLE, "SHUTDOWN"),
        (CODE.RESOURCE_EXHAUSTED, "FULL"),
        (CODE.ABORTED, "WRITE_TIMEOUT"),
        (CODE.ABORTED, "HEARTBEAT_TIMEOUT"),
        (CODE.ABORTED, "SOMETHING_NEW"),
        (CODE.INTERNAL, ""),
        (CODE.INTERNAL, "INTERNAL"),
        (CODE.OK, ""),
    ],
)
async def test_what_may_pass_is_tried_again(code, reason) -> None:
    async with scripted_server() as server, playing(Client(First(), server.address, "t")):
        first = await server.accept()
        await first.greet()
        first.end(code, reason)
        second = await server.accept()
        hello = await second.greet()
        await second.send(announce(1))
        ready = await second.answer()

    assert hello.resume_secret == b"secret"
    assert ready.table == 1


async def test_a_replaced_session_is_never_taken_back(caplog) -> None:
    async with scripted_server() as server, playing(Client(First(), server.address, "t")) as run:
        stream = await server.accept()
        await stream.greet()
        await stream.send(announce(1))
        await stream.answer()
        stream.end(CODE.ABORTED, "SESSION_REPLACED")

        with pytest.raises(ReplacedError, match="same token"):
            await run

        assert server.waiting == 0


async def test_a_server_that_is_not_there_is_given_up_when_that_was_asked(caplog) -> None:
    # Port 1 is nobody's.
    with pytest.raises(GaveUpError, match=r"no server at 127\.0\.0\.1:1 for 0 s"):
        await Client(First(), "127.0.0.1:1", "t", give_up_after=0).run()

    assert "cannot reach 127.0.0.1:1" in caplog.text


async def test_what_cannot_be_decoded_costs_the_stream_and_in_the_end_the_run() -> None:
    async with scripted_server() as server, playing(Client(First(), server.address, "t")) as run:
        for _ in range(5):
            stream = await server.accept()
            await stream.greet()
            await stream.send_bytes(b"\xff\xff\xff")

        with pytest.raises(GarbledError):
            await run


async def test_a_first_message_without_a_welcome_is_no_beginning() -> None:
    async with scripted_server() as server, playing(Client(First(), server.address, "t")):
        stream = await server.accept()
        await stream.send(announce(1))
        again = await server.accept()
        await again.greet()
        await again.send(announce(2))

        assert (await again.answer()).table == 2


async def test_a_certificate_is_checked_and_encrypts(tmp_path) -> None:
    authority = trustme.CA()
    ca = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(ca))
    issued = authority.issue_cert("127.0.0.1")
    key, chain = issued.private_key_pem.bytes(), b"".join(one.bytes() for one in issued.cert_chain_pems)
    credentials = grpc.ssl_server_credentials([(key, chain)])
    async with scripted_server(credentials) as server:
        async with playing(Client(First(), server.address, "t", ca=ca)):
            stream = await server.accept()
            await stream.greet()
            await stream.send(announce(1))
            assert (await stream.answer()).table == 1

        stranger = tmp_path / "stranger.pem"
        trustme.CA().cert_pem.write_to_path(str(stranger))
        with pytest.raises(GaveUpError):
            await Client(First(), server.address, "t", ca=stranger, give_up_after=0).run()
