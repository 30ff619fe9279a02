"""A bot without a kit: a stream of messages, for bots that break the rules of the conversation."""

import os
from collections.abc import Callable, Iterator
from queue import SimpleQueue

import grpc

from kiery.v1 import play_pb2

METHOD = "/kiery.v1.PlayService/Play"
HELLO = play_pb2.PlayRequest(hello=play_pb2.Hello(min_revision=1, max_revision=1, max_tables=100))


def answers_to(response: play_pb2.PlayResponse) -> list[play_pb2.Answer]:
    """Returns an answer with the first legal cards to each decision."""
    return [
        play_pb2.Answer(
            table=update.table, decision=update.decision, cards=update.legal[: update.choose_count]
        )
        for update in response.updates
        if update.decision
    ]


def converse(reply: Callable[[play_pb2.PlayResponse], list[bytes]], token: str | None = None) -> None:
    """Greets, and sends what `reply` returns for each message, until the server ends the stream."""
    out: SimpleQueue[bytes] = SimpleQueue()
    out.put(HELLO.SerializeToString())

    def requests() -> Iterator[bytes]:
        while True:
            yield out.get()

    with grpc.insecure_channel(os.environ["KIERY_ADDRESS"]) as channel:
        bearer = f"Bearer {token or os.environ['KIERY_TOKEN']}"
        stream = channel.stream_stream(METHOD)(requests(), metadata=(("authorization", bearer),))
        for data in stream:
            response = play_pb2.PlayResponse.FromString(data)
            if response.heartbeat.ping:
                pong = play_pb2.Heartbeat(pong=response.heartbeat.ping)
                out.put(play_pb2.PlayRequest(heartbeat=pong).SerializeToString())
            for message in reply(response):
                out.put(message)
