"""A real server on a free port of this machine, and raw clients that send and read bytes."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Self

import grpc
import grpc.aio
from tests.engine.play import random_match

from kiery.host import Bot, Clock, Floor, Lobby, Refusal, RefusalReason, Run, Verdict
from kiery.rules import preset
from kiery.table import Table
from kiery.terms import FaultPolicy, Limits, MatchCause, TimeControl
from kiery.transport import GrpcServer
from kiery.transport.server import Tls
from kiery.v1 import play_pb2

METHOD = "/kiery.v1.PlayService/Play"
Call = grpc.aio.StreamStreamCall[bytes, bytes]
Metadata = tuple[tuple[str, str | bytes], ...]


class Served:
    """A server that is listening, with its lobby and floor."""

    def __init__(self, limits: Limits, authenticate: Callable[[Metadata], Bot | Refusal] | None) -> None:
        clock = Clock()
        self.floor = Floor(clock, limits)
        self.lobby = Lobby(self.floor, clock, limits, "kiery test")
        self.floor.lobby = self.lobby
        self.server = GrpcServer(self.lobby, authenticate or self.authenticate, limits)
        self.port = 0
        self.verdicts: list[Verdict] = []

    def authenticate(self, metadata: Metadata) -> Bot | Refusal:
        """Finds a bot by a bearer token that is its name."""
        token = str(dict(metadata).get("authorization", ""))
        if not token.startswith("Bearer "):
            return Refusal(reason=RefusalReason.TOKEN, message="a token is missing")
        return self.lobby.bot(token, token.removeprefix("Bearer "))

    def seat(self, names: Sequence[str], match_id: str = "m1", deals: int = 1) -> Run:
        """Begins a match of the bots of these names."""
        table = Table(
            random_match(preset("hearts", 4), 1, deal_limit=deals),
            match_id=match_id,
            names=names,
            time_control=TimeControl(),
            fault_policy=FaultPolicy(),
        )
        bots = [self.lobby.bot(f"Bearer {name}", name) for name in names]
        return self.floor.open(table, bots, self._ended)

    def _ended(self, run: Run, verdict: Verdict) -> None:
        self.verdicts.append(verdict)
        if verdict is Verdict.PLAYED:
            self.floor.finish(run, MatchCause.COMPLETED, b"d" * 32)

    async def until(self, reached: Callable[[], bool], what: str = "") -> None:
        """Waits until something has happened, at most five seconds."""
        async with asyncio.timeout(5):
            while not reached():  # noqa: ASYNC110  (what is waited for has no event)
                await asyncio.sleep(0.002)


@asynccontextmanager
async def serving(
    limits: Limits | None = None,
    *,
    tls: Tls | None = None,
    authenticate: Callable[[Metadata], Bot | Refusal] | None = None,
) -> AsyncIterator[Served]:
    """Runs a server on any free port, and checks that it leaves no task behind."""
    served = Served(limits or Limits(), authenticate)
    served.port = await served.server.start("127.0.0.1:0", tls=tls)
    try:
        yield served
    finally:
        await served.server.stop(0.1)
        served.floor.close()
    with suppress(TimeoutError):
        # gRPC's own stop returns while handlers are still cleaning up.
        await served.until(lambda: not tasks_of_streams() and not served.server._play.open)
    assert tasks_of_streams() == []
    assert not served.lobby.sessions
    assert served.server._play.open == 0


def tasks_of_streams() -> list[str]:
    """Returns the names of tasks that read or serve a stream."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    return [str(task) for task in tasks if "read " in task.get_name() or "_play" in str(task.get_coro())]


class Client:
    """A bot that knows nothing but bytes."""

    def __init__(self, port: int, name: str | None = "a", *, options: Sequence[tuple[str, int]] = ()) -> None:
        self.channel = grpc.aio.insecure_channel(
            f"127.0.0.1:{port}", options=[("grpc.use_local_subchannel_pool", 1), *options]
        )
        metadata = () if name is None else (("authorization", f"Bearer {name}"),)
        self.call: Call = self.channel.stream_stream(METHOD)(metadata=metadata)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.call.cancel()
        await self.channel.close()

    async def send(self, data: bytes = b"", **fields: object) -> None:
        """Sends raw bytes, or a request of these fields."""
        await self.call.write(data or play_pb2.PlayRequest(**fields).SerializeToString())  # type: ignore[arg-type]

    async def hello(self, **fields: object) -> play_pb2.Welcome:
        revisions = {"min_revision": 1, "max_revision": 1}
        await self.send(hello=play_pb2.Hello(**{**revisions, **fields}))  # type: ignore[arg-type]
        response = await self.read()
        assert response is not None
        return response.welcome

    async def read(self) -> play_pb2.PlayResponse | None:
        """Returns the next message, none at the end of the stream."""
        async with asyncio.timeout(5):
            data = await self.call.read()
        return play_pb2.PlayResponse.FromString(data) if isinstance(data, bytes) else None

    async def status(self) -> tuple[grpc.StatusCode, str, str]:
        """Reads to the end; returns the status code, `kiery-reason`, and the details."""
        with suppress(grpc.aio.AioRpcError, asyncio.CancelledError):
            while await self.read() is not None:
                pass
        async with asyncio.timeout(5):
            trailing = dict(await self.call.trailing_metadata() or ())
            code = await self.call.code()
            return code, str(trailing.get("kiery-reason", "")), str(await self.call.details())

    async def play(self) -> int:
        """Answers with the first legal cards until a match has ended; returns the decisions answered."""
        answered = 0
        while (response := await self.read()) is not None:
            answers = [
                play_pb2.Answer(
                    table=update.table, decision=update.decision, cards=update.legal[: update.choose_count]
                )
                for update in response.updates
                if update.decision
            ]
            answered += len(answers)
            if answers:
                await self.send(answers=answers)
            if any(update.news.HasField("match_ended") for update in response.updates):
                break
        return answered
