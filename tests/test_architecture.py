"""The law of imports, and the laws of clocks, chance and streams, executed on the syntax tree.

A room is a module or a package directly below `kiery`, or one of the two client packages.
The table is the law; `docs/contributing.md` says what each room knows.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE_ROOTS = [Path(__file__).parents[1] / "server", Path(__file__).parents[1] / "clients/python"]

PURE = "errors cards rules terms view policy engine table tournament record audit".split()
WIRE_SEES = "errors cards rules terms view v1".split()
SDK_SEES = "errors cards rules terms view policy wire v1".split()
ROWS = "journal store access host transport web".split()
ABOVE_JOURNAL = [*PURE, "v1", "wire", "wire_service"]

LAW: dict[str, list[str]] = {
    "errors": [],
    "cards": ["errors"],
    "rules": ["errors", "cards"],
    "terms": ["errors"],
    "view": ["errors", "cards", "rules", "terms"],
    "policy": ["errors", "cards", "rules", "terms", "view"],
    "engine": ["errors", "cards", "rules", "terms", "view"],
    "table": ["errors", "cards", "rules", "terms", "view", "policy", "engine"],
    "tournament": ["errors", "cards", "rules", "terms", "view", "policy", "engine"],
    "record": ["errors", "cards", "rules", "terms", "view", "engine"],
    "audit": [room for room in PURE if room not in {"table", "audit"}],
    "v1": [],
    "wire": WIRE_SEES,
    "wire_service": ["wire", *WIRE_SEES, "table", "tournament", "record"],
    "journal": ABOVE_JOURNAL,
    "store": ABOVE_JOURNAL,
    "access": ["errors", "terms", "store", "v1"],
    "host": [*ABOVE_JOURNAL, *ROWS[:3]],
    "transport": [*ABOVE_JOURNAL, *ROWS[:4]],
    "web": [*ABOVE_JOURNAL, *ROWS[:5]],
    "check": [*ABOVE_JOURNAL, *ROWS, "kiery_client"],
    "bench": [*ABOVE_JOURNAL, *ROWS, "check", "kiery_client"],
    "cli": [*ABOVE_JOURNAL, *ROWS, "check", "bench", "kiery_client", "kiery_bots"],
    "kiery_client": SDK_SEES,
    "kiery_bots": ["kiery_client", "cards", "rules", "view", "policy"],
}

# What a room that decides may not touch; time and chance come in as arguments.
OUTSIDE_WORLD = set(
    "asyncio concurrent datetime google grpc logging multiprocessing os pathlib random secrets "
    "shutil signal socket sqlite3 subprocess tempfile threading time".split()
)
# Only these speak protobuf, only those gRPC.
SPEAK_PROTOBUF = {
    "v1",
    "wire",
    "wire_service",
    "journal",
    "store",
    "access",
    "host",
    "transport",
    "web",
}
SPEAK_GRPC = {"v1", "transport", "check", "bench", "cli", "kiery_client"}
# All that the base install contains, so all that a bot's process may need.
BASE_INSTALL = {*SDK_SEES, "kiery_client", "kiery_bots"}
THIRD_PARTY_OF_BASE = {"google", "grpc"}

WALL_CLOCK = {
    "time.time",
    "time.time_ns",
    "datetime.now",
    "datetime.utcnow",
    "datetime.today",
    "date.today",
}
CLOCK_MODULE = "kiery.host.clock"


def imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yields line and full name of everything imported; a relative import begins with a dot."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def calls(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yields line and dotted name of every call of a name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
            yield node.lineno, ast.unparse(node.func)


def room_of(name: str) -> str:
    """Returns the room of a dotted name: `rules` for `kiery.rules.moon`."""
    package, _, rest = name.partition(".")
    return rest.partition(".")[0] if package == "kiery" else package


def import_faults(module: str, source: str) -> Iterator[str]:
    """Yields a sentence for every import in `source` that the room of `module` may not have."""
    room = room_of(module)
    if room and room not in LAW:
        yield f"{module}: `{room}` is no room; add it to the table of tests/test_architecture.py"
        return
    for line, name in imports(ast.parse(source, module)):
        top = name.partition(".")[0]
        where = f"{module}:{line}: `{room}` imports {name}"
        if name.startswith("."):
            yield f"{where}: imports are absolute"
        elif name == "kiery.__version__":
            # The version belongs to no room: it is a constant of the package itself.
            continue
        elif top in {"kiery", "kiery_client", "kiery_bots"}:
            if room_of(name) not in {room, *LAW.get(room, [])}:
                yield f"{where}: it may import {LAW.get(room) or 'nothing of kiery'}"
        elif room in PURE and top in OUTSIDE_WORLD:
            yield f"{where}: rooms that decide know no clock, chance, file or wire"
        elif (top == "google" and room not in SPEAK_PROTOBUF | SPEAK_GRPC) or (
            top.startswith("grpc") and room not in SPEAK_GRPC
        ):
            yield f"{where}: it does not speak that protocol"
        elif room in BASE_INSTALL and top not in sys.stdlib_module_names | THIRD_PARTY_OF_BASE:
            yield f"{where}: the base install has only {sorted(THIRD_PARTY_OF_BASE)}"


def clock_faults(module: str, source: str) -> Iterator[str]:
    """Yields every reading of the wall clock outside the one module that may.

    The wall clock jumps, so nothing may be measured with it, and a test cannot set it.
    """
    tree = ast.parse(source, module)
    if module != CLOCK_MODULE:
        for line, name in calls(tree):
            if any(f".{name}".endswith(f".{clock}") for clock in WALL_CLOCK):
                yield f"{module}:{line}: {name}() outside {CLOCK_MODULE}"
        for line, name in imports(tree):
            if name in {"time.time", "time.time_ns"}:
                yield f"{module}:{line}: {name} outside {CLOCK_MODULE}"


def chance_faults(module: str, source: str) -> Iterator[str]:
    """Yields every use of the process-wide random generator.

    Its output can be predicted by who has seen enough of it, and cannot be replayed.
    """
    tree = ast.parse(source, module)
    for line, name in [*calls(tree), *imports(tree)]:
        if name.startswith("random.") and name not in {"random.Random", "random.SystemRandom"}:
            yield f"{module}:{line}: {name} uses the global generator; pass a seeded random.Random"


def stream_writes(module: str, source: str) -> Iterator[str]:
    """Yields every call of a `write` in the rooms that hold streams.

    Two writes at a time break a gRPC stream, so one loop per stream does them all.
    """
    if room_of(module) in {"transport", "kiery_client"}:
        for line, name in calls(ast.parse(source, module)):
            if name.endswith(".write"):
                yield f"{module}:{line}: {name}"


def sources() -> Iterator[tuple[str, str]]:
    """Yields dotted name and text of every module but the generated ones."""
    for root in SOURCE_ROOTS:
        for path in sorted(root.glob("kiery*/**/*.py")):
            module = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
            if room_of(module) != "v1":
                yield module, path.read_text(encoding="utf-8")


def test_every_room_keeps_the_law_of_imports() -> None:
    modules = list(sources())

    faults = [fault for module, source in modules for fault in import_faults(module, source)]

    assert modules
    assert faults == []


def test_the_wall_clock_is_read_in_one_module_only() -> None:
    assert [fault for module, source in sources() for fault in clock_faults(module, source)] == []


def test_nothing_uses_the_global_random_generator() -> None:
    assert [fault for module, source in sources() for fault in chance_faults(module, source)] == []


@pytest.mark.parametrize("room", ["transport", "kiery_client"])
def test_a_stream_is_written_in_one_place_only(room: str) -> None:
    writes = [
        write
        for module, source in sources()
        if room_of(module) == room
        for write in stream_writes(module, source)
    ]

    assert len(writes) <= 1, writes


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("kiery.engine.deal", "import asyncio"),
        ("kiery.engine.deal", "def f():\n    from time import monotonic"),
        ("kiery.rules", "import os.path"),
        ("kiery.rules.moon", "from kiery.engine import Deal"),
        ("kiery.rules.moon", "from kiery import engine"),
        ("kiery.rules.moon", "if TYPE_CHECKING:\n    import kiery.view"),
        ("kiery.rules.moon", "from .points import points"),
        ("kiery.policy.low", "from kiery.engine import Deal"),
        ("kiery.store.schema", "from kiery.journal import Journal"),
        ("kiery.access.tokens", "from kiery.host import clock"),
        ("kiery.host.session", "import grpc.aio"),
        ("kiery.wire", "import grpc"),
        ("kiery.view", "import numpy as np"),
        ("kiery.utils", ""),
        ("kiery", "from kiery.rules import Rules"),
        ("kiery_client.bot", "from kiery.engine import Deal"),
        ("kiery_client.bot", "import rich"),
        ("kiery_bots.low", "from kiery.v1 import play_pb2"),
    ],
)
def test_a_forbidden_import_is_found(module: str, source: str) -> None:
    assert len(list(import_faults(module, source))) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("kiery.engine.deal", "import hashlib\nfrom kiery.rules.legality import legal_plays"),
        ("kiery.engine.deal", "from kiery.engine.derivation import board"),
        ("kiery.tournament.standings", "import numpy as np"),
        ("kiery.wire", "from google.protobuf import duration_pb2\nfrom kiery.v1 import play_pb2"),
        ("kiery.transport.play", "import grpc\nimport asyncio\nfrom kiery.host import session"),
        ("kiery.cli.main", "import typer\nimport kiery_bots.low"),
        ("kiery_client.stream", "import asyncio, grpc\nfrom kiery.wire import to_message"),
    ],
)
def test_an_allowed_import_is_left_alone(module: str, source: str) -> None:
    assert list(import_faults(module, source)) == []


@pytest.mark.parametrize(
    "source",
    ["time.time()", "from time import time", "datetime.now(UTC)", "datetime.datetime.now()"],
)
def test_a_reading_of_the_wall_clock_is_found(source: str) -> None:
    assert len(list(clock_faults("kiery.host.session", source))) == 1
    assert list(clock_faults(CLOCK_MODULE, source)) == []


def test_a_monotonic_clock_is_no_wall_clock() -> None:
    assert list(clock_faults("kiery.host.session", "time.monotonic(); asyncio.timeout(1)")) == []


@pytest.mark.parametrize("source", ["random.shuffle(deck)", "from random import choice", "random.seed(1)"])
def test_a_use_of_the_global_generator_is_found(source: str) -> None:
    assert len(list(chance_faults("kiery.host.launch", source))) == 1


def test_a_generator_of_its_own_is_allowed() -> None:
    assert (
        list(chance_faults("kiery_bots.wild", "import random\nrng = random.Random(7)\nrng.choice(x)")) == []
    )


def test_every_write_on_a_stream_is_found() -> None:
    source = "await context.write(a)\nself._stream.write(b)"

    assert len(list(stream_writes("kiery.transport.play", source))) == 2
    assert list(stream_writes("kiery.journal.writer", source)) == []


def test_contributing_says_what_every_room_knows() -> None:
    contributing = (Path(__file__).parents[1] / "docs/contributing.md").read_text(encoding="utf-8")

    assert [room for room in LAW if f"\n| `{room}` |" not in contributing] == []
