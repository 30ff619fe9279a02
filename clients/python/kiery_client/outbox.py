"""What waits to be written on one stream. Everything that is pending goes out together, without a timer."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Final

from kiery.v1 import play_pb2, terms_pb2
from kiery.view import Action, DecisionKind
from kiery.wire import fill_answer

__all__ = ["Outbox"]

_START_BYTES: Final = 65_536
_MOON_CHOICE: Final = DecisionKind.MOON_CHOICE


class Outbox:
    """The next message to the server. All methods belong to the event loop's thread."""

    def __init__(self, hello: play_pb2.Hello) -> None:
        """Starts with the greeting."""
        self.max_message_bytes = _START_BYTES
        """Bounds each message; the server's welcome tells it."""
        self._request = play_pb2.PlayRequest(hello=hello)
        self._pending = True
        self._waiter: asyncio.Future[None] | None = None
        self.leaving = False
        """Whether the bot said goodbye."""
        self.left = False
        """Whether nothing is to be written any more: the goodbye was taken."""

    def answer(self, handle: int, decision_id: int, action: Action, kind: DecisionKind) -> None:
        """Adds the answer to a decision of a kind."""
        message = self._request.answers.add()
        fill_answer(message, handle, decision_id, action)
        if kind is _MOON_CHOICE and action.moon is None:
            message.moon_choice = terms_pb2.MOON_CHOICE_DEFAULT
        if not self._pending:
            self._wake()

    def ping(self, number: int) -> None:
        """Asks for a sign of life."""
        self._request.heartbeat.ping = number
        self._wake()

    def pong(self, number: int) -> None:
        """Gives a sign of life."""
        self._request.heartbeat.pong = number
        self._wake()

    def capacity(self, max_tables: int) -> None:
        """Says how many tables are taken from now on; 0 drains."""
        self._request.capacity.max_tables = max_tables
        # Zero is a value here, and an empty message must be there.
        self._request.capacity.SetInParent()
        self._wake()

    def leave(self, *, resign: bool) -> None:
        """Says goodbye. Nothing is written after it."""
        self._request.leave.resign = resign
        self._request.leave.SetInParent()
        self.leaving = True
        self._wake()

    def _wake(self) -> None:
        self._pending = True
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    async def wait(self) -> None:
        """Returns when something waits to be written."""
        if not self._pending:
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None

    def take(self) -> Sequence[bytes]:
        """Returns all that is pending as messages in order, each within the bound, and forgets it."""
        request, self._request = self._request, play_pb2.PlayRequest()
        self._pending = False
        self.left = self.leaving
        data = request.SerializeToString()
        if len(data) <= self.max_message_bytes:
            return (data,)
        return tuple(self._split(request))

    def _split(self, request: play_pb2.PlayRequest) -> Iterator[bytes]:
        """Yields the message in parts: what comes before the answers, the answers, what comes after."""
        answers = list(request.answers)
        if request.HasField("hello") or request.HasField("capacity"):
            first = play_pb2.PlayRequest()
            first.CopyFrom(request)
            first.ClearField("answers")
            first.ClearField("heartbeat")
            first.ClearField("leave")
            yield first.SerializeToString()
        yield from self._split_answers(answers)
        if request.HasField("heartbeat") or request.HasField("leave"):
            last = play_pb2.PlayRequest()
            last.CopyFrom(request)
            last.ClearField("hello")
            last.ClearField("capacity")
            last.ClearField("answers")
            yield last.SerializeToString()

    def _split_answers(self, answers: Sequence[play_pb2.Answer]) -> Iterator[bytes]:
        if not answers:
            return
        data = play_pb2.PlayRequest(answers=answers).SerializeToString()
        if len(data) <= self.max_message_bytes or len(answers) == 1:
            yield data
            return
        middle = len(answers) // 2
        yield from self._split_answers(answers[:middle])
        yield from self._split_answers(answers[middle:])
