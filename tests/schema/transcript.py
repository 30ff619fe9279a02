"""A whole match as one seat sees it, for proto/README.md; `python -m tests.schema.transcript` writes it.

The real lobby, floor, table and director play it; only clock, seed and answers are fixed.
"""

import asyncio
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from tests.host.hall import Hall, Stream
from tests.host.test_director import Shelf

from kiery import __version__
from kiery.cards import Card
from kiery.engine import Derivation
from kiery.host import Director, Plan
from kiery.tournament import build_schedule, spec_from_values
from kiery.v1 import play_pb2

README = Path(__file__).parents[2] / "proto" / "README.md"
START = "<!-- transcript: written by `python -m tests.schema.transcript` -->\n"
END = "<!-- end of transcript -->"
NAMES = ("ala", "ola", "ela", "ula", "iga", "iza", "ewa")
SECRET = bytes(range(32))
HANDLE = 4711
_WIDTH = 116
_CARDS = {"cards", "legal", "hand", "passed", "received", "kitty", "removed_cards", "point_cards"}
_SEATS = {"seats", "winners", "placements", "own_causes"}
_RANDOM = {"session_id", "resume_secret"}
_SHOWN_BYTES = 6


def plan() -> Plan:
    """Returns the tournament: seven at a table, so that a match has seven tricks."""
    spec = spec_from_values(
        {
            "name": "guide",
            "entrants": [{"name": name} for name in NAMES],
            "rules": {"preset": "hearts", "players": len(NAMES)},
            "deals": 1,
            "deals_per_bot": 1,
        }
    )
    derivation = Derivation(SECRET, b"")
    return Plan(spec=spec, schedule=build_schedule(spec, derivation), derivation=derivation)


async def conversation() -> list[tuple[str, Message]]:
    """Returns the messages of one bot's first match in order, each with who sent it."""
    hall = Hall()
    hall.lobby._next_handle = HANDLE
    hall.lobby.name = f"kiery {__version__}"
    bots = [hall.bot(name) for name in NAMES]
    shelf = Shelf()

    async def no_laps() -> None:
        raise AssertionError("boards are not shared")

    director = Director(
        plan(), hall.floor, hall.clock, bots, archive=shelf, finished=(), voids={}, max_tables=1,
        between_laps=no_laps,
    )  # fmt: skip
    hall.lobby.changed = director.look
    hello = play_pb2.Hello(min_revision=1, max_revision=1, sdk="by hand", bot="mine", max_tables=1)
    told: list[tuple[str, Message]] = [("you", play_pb2.PlayRequest(hello=hello))]
    streams = [hall.stream(name) for name in NAMES]
    for stream in streams:
        stream.session.receive(told[0][1].SerializeToString())
    playing = asyncio.create_task(director.play())
    try:
        while not any(_ends(message) for _, message in told):
            # Whoever is ready to run runs first: records are kept between two turns.
            for _ in range(5):
                await asyncio.sleep(0)
            for stream in streams:
                told += _turn(stream, is_shown=stream is streams[0])
    finally:
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
    return told


def _turn(stream: Stream, *, is_shown: bool) -> list[tuple[str, Message]]:
    """Has a bot read and answer; returns what is to be shown of it."""
    shown: list[tuple[str, Message]] = []
    for response in stream.take():
        shown.append(("server", response))
        answers = [
            play_pb2.Answer(table=each.table, decision=each.decision, cards=each.legal[: each.choose_count])
            for each in response.updates
            if each.decision
        ]
        if answers:
            request = play_pb2.PlayRequest(answers=answers)
            stream.session.receive(request.SerializeToString())
            shown.append(("you", request))
    return shown if is_shown else []


def _ends(message: Message) -> bool:
    return isinstance(message, play_pb2.PlayResponse) and any(
        update.news.HasField("match_ended") for update in message.updates
    )


def lines(who: str, message: Message) -> Iterator[str]:
    """Yields a message as text, cut to a width that a page can hold."""
    words = " ".join(_fields(message))
    yield from textwrap.wrap(
        f"{who + ':':7} {words}",
        _WIDTH,
        subsequent_indent=" " * len("server: "),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _fields(message: Message) -> Iterator[str]:
    for field, value in message.ListFields():
        values = list(value) if field.is_repeated else [value]
        if field.message_type:
            for each in values:
                yield f"{field.name}{{{' '.join(_fields(each))}}}"
        else:
            yield f"{field.name}={','.join(_text(field, each) for each in values)}"


def _text(field: FieldDescriptor, value: object) -> str:
    if field.name in _RANDOM:
        return "…"
    if isinstance(value, bytes):
        if field.name in _CARDS:
            return ",".join(str(Card(number)) for number in value)
        if field.name in _SEATS:
            return ",".join(map(str, value))
        return f"{value[:_SHOWN_BYTES].hex()}…"
    if field.enum_type:
        # Without the name of the enum, as the guide writes them.
        prefix = re.sub(r"(?<!^)(?=[A-Z])", "_", field.enum_type.name).upper()
        return field.enum_type.values_by_number[value].name.removeprefix(f"{prefix}_")  # type: ignore[index]
    return str(value).lower() if isinstance(value, bool) else str(value)


def transcript() -> str:
    """Returns the match as a block of text."""
    told = asyncio.run(conversation())
    return "\n".join(line for who, message in told for line in lines(who, message))


def written(page: str, text: str) -> str:
    """Returns a page with the transcript in its place."""
    before, start, rest = page.partition(START)
    assert start, "the page has no place for the transcript"
    _, end, after = rest.partition(END)
    return f"{before}{START}```\n{text}\n```\n{end}{after}"


if __name__ == "__main__":
    README.write_text(written(README.read_text(), transcript()))
