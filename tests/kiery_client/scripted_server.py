"""A server that a test plays by hand: real gRPC on loopback, every message written out by the test."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import grpc.aio

from kiery.cards import mask_of, parse_card
from kiery.rules import Rules, preset
from kiery.terms import FaultPolicy, ForcedActions, TimeControl
from kiery.v1 import play_pb2
from kiery.view import DealStarted, Decision, DecisionKind, MatchStarted, News, Update
from kiery.wire import fill_update

TIMEOUT_S = 10.0
"""A test that waits longer has failed."""


class ServerStream:
    """One stream, seen from the server."""

    def __init__(self, context: grpc.aio.ServicerContext) -> None:
        self._context = context
        self._requests: asyncio.Queue[play_pb2.PlayRequest | None] = asyncio.Queue()
        self._end: asyncio.Future[tuple[grpc.StatusCode, str, tuple]] = asyncio.Future()
        self._answers: list[play_pb2.Answer] = []
        self.sizes: list[int] = []
        self.metadata = dict(context.invocation_metadata())

    async def serve(self, streams: "asyncio.Queue[ServerStream]") -> None:
        await self._context.send_initial_metadata(())
        # Only now: the test must not write before.
        streams.put_nowait(self)
        reading = asyncio.create_task(self._read())
        try:
            code, details, metadata = await self._end
            if code is grpc.StatusCode.OK:
                return
            await self._context.abort(code, details, metadata)
        finally:
            reading.cancel()

    async def _read(self) -> None:
        while (data := await self._context.read()) is not grpc.aio.EOF:
            self.sizes.append(len(data))
            request = play_pb2.PlayRequest.FromString(data)
            self._requests.put_nowait(request)
            if request.HasField("leave") and not self._end.done():
                self.end()
        self._requests.put_nowait(None)

    async def request(self) -> play_pb2.PlayRequest | None:
        """Returns the next message, none at the end of the stream."""
        async with asyncio.timeout(TIMEOUT_S):
            return await self._requests.get()

    async def answers(self, count: int = 1) -> list[play_pb2.Answer]:
        """Returns the next answers, however they are packed into messages."""
        while len(self._answers) < count:
            request = await self.request()
            assert request is not None, "the stream ended"
            self._answers += request.answers
        taken, self._answers = self._answers[:count], self._answers[count:]
        return taken

    async def answer(self) -> play_pb2.Answer:
        return (await self.answers())[0]

    async def end_of_requests(self) -> None:
        while await self.request() is not None:
            pass

    async def no_answer_before_pong(self, number: int = 77) -> None:
        """Passes when everything sent so far is handled and nothing was answered."""
        await self.send(heartbeat=play_pb2.Heartbeat(ping=number))
        while True:
            request = await self.request()
            assert request is not None
            assert not request.answers
            if request.heartbeat.pong == number:
                return

    async def send(self, *updates: play_pb2.TableUpdate, **fields: object) -> None:
        await self.send_bytes(play_pb2.PlayResponse(updates=updates, **fields).SerializeToString())

    async def send_bytes(self, data: bytes) -> None:
        async with asyncio.timeout(TIMEOUT_S):
            await self._context.write(data)

    async def greet(self, **fields: object) -> play_pb2.Hello:
        """Reads the greeting and answers it."""
        request = await self.request()
        assert request is not None
        values = {
            "session_id": "s1",
            "revision": 1,
            "server": "scripted",
            "resume_secret": b"secret",
            "max_message_bytes": 65_536,
            "heartbeat_ms": 10_000,
            "lobby_heartbeat_ms": 60_000,
            "max_tables": 64,
            **fields,
        }
        await self.send(welcome=play_pb2.Welcome(**values))
        return request.hello

    def end(
        self, code: grpc.StatusCode = grpc.StatusCode.OK, reason: str = "", details: str = "", **metadata: str
    ) -> None:
        trailing = [(f"kiery_{key}".replace("_", "-"), value) for key, value in metadata.items()]
        if reason:
            trailing.append(("kiery-reason", reason))
        self._end.set_result((code, details, tuple(trailing)))


class ScriptedServer:
    """Listens; each stream is handed to the test."""

    def __init__(self, address: str, streams: "asyncio.Queue[ServerStream]") -> None:
        self.address = address
        self._streams = streams

    @property
    def waiting(self) -> int:
        """Streams that the test has not accepted."""
        return self._streams.qsize()

    async def accept(self) -> ServerStream:
        async with asyncio.timeout(TIMEOUT_S):
            return await self._streams.get()


@asynccontextmanager
async def scripted_server(credentials: grpc.ServerCredentials | None = None) -> AsyncIterator[ScriptedServer]:
    streams: asyncio.Queue[ServerStream] = asyncio.Queue()

    async def play(_: object, context: grpc.aio.ServicerContext) -> None:
        await ServerStream(context).serve(streams)

    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    handler = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("kiery.v1.PlayService", {"Play": handler}),)
    )
    if credentials is None:
        port = server.add_insecure_port("127.0.0.1:0")
    else:
        port = server.add_secure_port("127.0.0.1:0", credentials)
    await server.start()
    try:
        yield ScriptedServer(f"127.0.0.1:{port}", streams)
    finally:
        await server.stop(0)


@asynccontextmanager
async def playing(client: object) -> AsyncIterator["asyncio.Task[None]"]:
    """Runs a client beside the test."""
    task = asyncio.create_task(client.run())
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task


# Messages.

HAND = "2C 4C 5C 9C 3D 8D TD QS KS 2H 7H JH AH"


def numbers(text: str) -> bytes:
    return bytes(parse_card(word) for word in text.split())


def started(
    match_id: str = "m1", seat: int = 0, after: int = 0, rules: Rules | None = None, **fields: object
) -> MatchStarted:
    values = {
        "match_id": match_id,
        "seat": seat,
        "names": ("a", "b", "c", "d"),
        "rules": rules or preset("hearts", 4),
        "deal_limit": 4,
        "time_control": TimeControl(),
        "fault_policy": FaultPolicy(),
        "forced_actions": ForcedActions.ASK,
        "tournament_id": "",
        "commitment": b"",
        "after": after,
        **fields,
    }
    return MatchStarted(**values)


def update(table: int, sequence: int = 0, **fields: object) -> play_pb2.TableUpdate:
    """Returns an update; `decision` is (id, kind, legal text)."""
    message = play_pb2.TableUpdate()
    fill_update(message, table, Update(sequence=sequence, **fields))
    return message


def announce(table: int, decision_id: int = 1, **fields: object) -> play_pb2.TableUpdate:
    """Returns a new table with its ready decision."""
    return update(
        table,
        news=News(match_started=started(**fields)),
        decision_id=decision_id,
        decision=Decision(kind=DecisionKind.READY),
        time_ms=30_000,
    )


def deal(
    table: int, sequence: int = 1, hand: str = HAND, pass_offset: int = 0, **fields: object
) -> play_pb2.TableUpdate:
    """Returns the start of a deal."""
    begun = DealStarted(
        deal_number=1, dealer=0, hand=mask_of(numbers(hand)), pass_offset=pass_offset, key_hash=b""
    )
    return update(table, sequence, news=News(deal_started=begun), **fields)


def ask(
    legal: str, decision_id: int = 2, kind: DecisionKind = DecisionKind.PLAY, count: int = 1
) -> dict[str, object]:
    """Returns the fields of an update that asks for cards."""
    return {
        "decision_id": decision_id,
        "decision": Decision(kind=kind, legal=mask_of(numbers(legal)), count=count),
        "time_ms": 2_000,
        "bank_ms": 60_000,
    }
