"""The floors, a process: gRPC servers that move messages and play nothing.

`pingpong` answers each message on its own stream. `ring` sends what a table's seats would be sent, in
the same order, one write for each message, straight from the reader: no outbox, no second task.

Run by `kiery.bench.worker`: `python -m kiery.bench.bare pingpong|ring LOOP`.
"""

import sys
from functools import partial
from typing import Any, Final

import grpc
import grpc.aio

from kiery.bench.control import reply, serve_commands
from kiery.bench.process import mark, run_on
from kiery.bench.script import Script, write_script
from kiery.bench.tables import PLAYERS
from kiery.host import Clock
from kiery.terms import Limits
from kiery.transport import server_options
from kiery.v1 import play_pb2, terms_pb2

__all__ = ["main"]

_METHOD: Final = "/kiery.v1.PlayService/Play"
_Context = grpc.aio.ServicerContext[bytes, bytes]


def turn() -> bytes:
    """Returns a turn of about 70 bytes: three plays, a trick's winner, a long legal list."""
    update = play_pb2.TableUpdate(
        table=1_000_000,
        sequence=300,
        seats=bytes(4),
        cards=b"\1\2\3\4",
        winners=b"\1",
        decision=300,
        kind=terms_pb2.DECISION_KIND_PLAY,
        legal=bytes(range(1, 14)),
        choose_count=1,
        time_ms=3_600_000,
        bank_ms=60_000,
    )
    update.own_causes = bytes(max(0, 66 - update.ByteSize()))
    return play_pb2.PlayResponse(updates=[update]).SerializeToString()


class Counter:
    """What a floor has done."""

    def __init__(self) -> None:
        """Starts at zero."""
        self.decisions = 0
        """Messages read that would be answers."""
        self.streams = 0
        """Streams opened."""


async def pingpong(counter: Counter, message: bytes, _: object, context: _Context) -> None:
    """Serves a stream that gets a turn for every answer."""
    await context.read()
    counter.streams += 1
    read, write = context.read, context.write
    await write(message)
    while isinstance(await read(), bytes):
        counter.decisions += 1
        await write(message)


class _Seat:
    """One stream of the ring."""

    __slots__ = ("busy", "queue", "write")

    def __init__(self, context: _Context) -> None:
        self.write = context.write
        self.busy = False
        self.queue: list[bytes] = []


class _Round:
    """The four streams of a table."""

    __slots__ = ("seats", "step")

    def __init__(self) -> None:
        self.seats: dict[int, _Seat] = {}
        self.step = 0


class Ring:
    """Serves tables that only repeat a script."""

    def __init__(self, counter: Counter, script: Script) -> None:
        """Starts without streams."""
        self._counter = counter
        self._script = script
        self._rounds: dict[int, _Round] = {}

    async def serve(self, _: object, context: _Context) -> None:
        """Serves one stream; the token says its number, four in a row are a table."""
        counter = self._counter
        token = dict(context.invocation_metadata() or ())["authorization"]
        number = int(str(token).rpartition("b")[2])
        await context.read()
        counter.streams += 1
        around = self._rounds.setdefault(number // PLAYERS, _Round())
        seats = around.seats
        seats[number % PLAYERS] = _Seat(context)
        if len(seats) == PLAYERS:
            for seat, message in self._script.opening:
                await seats[seat].write(message)
        steps = self._script.steps
        count = len(steps)
        read = context.read
        while isinstance(await read(), bytes):
            counter.decisions += 1
            step = around.step
            around.step = step + 1 if step + 1 < count else 0
            for seat, message in steps[step]:
                other = seats[seat]
                # An answer may overtake the completion of the write that asked for it, and a second
                # write at a time ends the stream.
                if other.busy:
                    other.queue.append(message)
                    continue
                other.busy = True
                await other.write(message)
                while other.queue:
                    await other.write(other.queue.pop(0))
                other.busy = False


class _Handler(grpc.GenericRpcHandler):
    def __init__(self, behaviour: Any) -> None:  # noqa: ANN401  (gRPC's own type)
        self._handler: Any = grpc.stream_stream_rpc_method_handler(behaviour)

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:  # noqa: ANN401  (gRPC's own type)
        return self._handler if handler_call_details.method == _METHOD else None


async def serve(kind: str, _: Clock) -> None:
    """Serves a floor until the bench is done with it."""
    counter = Counter()
    behaviour: Any
    behaviour = Ring(counter, write_script()).serve if kind == "ring" else partial(pingpong, counter, turn())
    # The same channel arguments as in earnest, so that they cancel out of the ratio.
    server = grpc.aio.server(options=server_options(Limits()))
    server.add_generic_rpc_handlers((_Handler(behaviour),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    reply({"port": port})

    async def ask_mark() -> dict[str, Any]:
        return {**mark(), "decisions": counter.decisions, "finished": 0}

    async def ask_here() -> dict[str, Any]:
        return {"bots": counter.streams}

    await serve_commands({"mark": ask_mark, "here": ask_here})
    await server.stop(0)


def main() -> None:
    """Runs the process."""
    kind, loop = sys.argv[1:]
    run_on(loop, partial(serve, kind))


if __name__ == "__main__":
    main()
